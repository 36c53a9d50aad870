import { type Asker, assertAsked, SERVICE } from './asking/asker.ts';
import { FairQueue } from './queues/fair-queue.ts';
import type { Work } from './work.ts';

/** Work that waits for its next slice, by holder. It has no limit of its own: the code that begins work limits it. */
const waiting = new FairQueue<() => void>(Number.POSITIVE_INFINITY);

/** Start time of the first slice in this turn of the event loop (undefined before it), and the number of the turn. */
let turnBeganMs: number | undefined;
let turn = 0;

/**
 * The start time for a new slice. All slices of one turn have the same start time: otherwise many slices in one turn would block the loop for the sum
 * of their budgets.
 */
function beginSlice(): number {
  if (turnBeganMs === undefined) {
    turnBeganMs = performance.now();
    const currentTurn = ++turn;
    setImmediate(() => {
      if (turn === currentTurn) turnBeganMs = undefined;
    });
  }
  return turnBeganMs;
}

function resumeNext(): void {
  // The resumed work gets a new slice, even if the slice of the previous turn was not reset yet.
  turnBeganMs = undefined;
  waiting.take()?.();
  if (waiting.size > 0) setImmediate(resumeNext);
}

/**
 * Resolves after all other work that waits in the event loop has run once. Only one waiting task is resumed per turn of the loop: otherwise many
 * tasks would block the loop for the sum of their slices. Holders are served round-robin (docs/decisions/fair-share.md); for one holder, started work
 * continues before new work begins.
 */
export function yieldControl(holder = SERVICE.holder, hasBegun = false): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(holder, resolve, hasBegun && holder !== SERVICE.holder);
    if (waiting.size === 1) setImmediate(resumeNext);
  });
}

/**
 * Maximum time in milliseconds of a slice: background work yields when it is over. It is much less than 10 ms, the maximum time for which any code
 * may block the event loop.
 */
export const SLICE_BUDGET_MS = 3;

/**
 * Maximum time in milliseconds between two yields of a generator that does work in between. It is much less than a slice, so that the code that runs
 * the generator can pause in time.
 */
export const STRETCH_BUDGET_MS = 1;

/** Units of work (`work.ts`) between two checks of the clock: about 20 µs. */
const WORK_PER_CLOCK_CHECK = 1_000;

/**
 * Measures how long code runs without a pause. Slices that begin in the same turn of the loop share one budget. A budget of 0 is always used up. It
 * does not pause itself: a generator measures its stretches with it, and who runs the generator pauses.
 */
export class SliceClock {
  readonly #budgetMs: number;
  #beganMs = beginSlice();
  #work = 0;

  constructor(budgetMs = STRETCH_BUDGET_MS) {
    this.#budgetMs = budgetMs;
  }

  /** True when the budget is used up and a pause should follow. It is cheap enough for a check after each item. */
  get spent(): boolean {
    return performance.now() - this.#beganMs >= this.#budgetMs;
  }

  /** Counts work; true when the budget is used up. It checks the clock depending on the amount of work, not once per item. */
  charge(work: number): boolean {
    this.#work += work;
    if (this.#work < WORK_PER_CLOCK_CHECK) return false;
    this.#work = 0;
    return this.spent;
  }

  /** Begins a new slice. Call this after the event loop has run other work. */
  restart(): void {
    this.#beganMs = beginSlice();
  }
}

/**
 * Yields control when the current slice has used its budget. Use one slicer for each piece of work. Each of them does at least one step. Every slicer
 * has an asker, so that the work of a request ends with the request.
 */
export class Slicer extends SliceClock {
  /** Who waits for the work. */
  readonly asker: Asker;
  #hasBegun = false;

  private constructor(asker: Asker, budgetMs: number) {
    assertAsked(asker);
    super(budgetMs);
    this.asker = asker;
  }

  /**
   * A slicer for work that `asker` waits for: a request, or `SERVICE`. The work counts toward the caller's share of the time.
   * @throws AskerEnded if no caller waits for the work any more
   */
  static of(asker: Asker, budgetMs = SLICE_BUDGET_MS): Slicer {
    return new Slicer(asker, budgetMs);
  }

  /** Resolves at the next slice. @throws AskerEnded if no caller waits for the work any more */
  async pause(): Promise<void> {
    const hasBegun = this.#hasBegun;
    this.#hasBegun = true;
    await yieldControl(this.asker.holder, hasBegun);
    assertAsked(this.asker);
    this.restart();
  }
}

/** Does counted work, and yields to the event loop when a slice is used up. @throws AskerEnded if no caller waits for it any more */
export async function workInSlices<T>(work: Work<T>, slicer: Slicer): Promise<T> {
  assertAsked(slicer.asker);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (slicer.charge(step.value)) await pauseOf(work, slicer);
  }
}

/** Pauses. If no caller waits for the work any more, it is abandoned: its `finally` blocks run, and it is never resumed. */
async function pauseOf(work: Generator<unknown, unknown, void>, slicer: Slicer): Promise<void> {
  try {
    await slicer.pause();
  } catch (error) {
    work.return(undefined);
    throw error;
  }
}

/**
 * Synchronous code that can be paused at each `yield`. The code that runs it decides whether to pause, so the same work can run in slices, without a
 * pause in tests, and as a part of other work in steps (`yield*`). Abandoned work is never resumed.
 */
export type Steps<T> = Generator<void, T, void>;

/** Does the work, and yields to the event loop when a slice is used up. @throws AskerEnded if no caller waits for it any more */
export async function inSlices<T>(steps: Steps<T>, slicer: Slicer): Promise<T> {
  assertAsked(slicer.asker);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slicer.spent) await pauseOf(steps, slicer);
  }
}

/** Same as `inSlices`, but calls `mayGoOn` after every pause. If it returns false, the work is abandoned, and the result is undefined. */
export async function inSlicesWhile<T>(
  steps: Steps<T>,
  mayGoOn: () => boolean,
  slicer: Slicer,
): Promise<T | undefined> {
  assertAsked(slicer.asker);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (!slicer.spent) continue;
    await pauseOf(steps, slicer);
    if (mayGoOn()) continue;
    steps.return(undefined as never);
    return undefined;
  }
}

/** Converts counted work to `Steps`, for code that checks the clock at each step. */
export function* stepsOf<T>(work: Work<T>): Steps<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    yield;
  }
}

/** Does the work without a pause. Use it only for work that is certainly small. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
