import { FairQueue } from './queues/fair-queue.ts';
import type { Work } from './work.ts';

/** Work of the service itself, which no caller waits for alone. */
const NO_HOLDER = '';

/** Work that waits for its next slice, by who asked for it. Bounded by those who begin work. */
const waiting = new FairQueue<() => void>(Number.POSITIVE_INFINITY);

/** When the first slice of this turn of the loop began, and which turn it is. */
let turnBeganMs: number | undefined;
let turn = 0;

/** The start time for a new slice. All slices of one turn have the same start: otherwise many that begin together would block the loop for their sum. */
function beginSlice(): number {
  if (turnBeganMs === undefined) {
    turnBeganMs = performance.now();
    const begun = ++turn;
    setImmediate(() => {
      if (turn === begun) turnBeganMs = undefined;
    });
  }
  return turnBeganMs;
}

function resumeNext(): void {
  // The work that is resumed has this turn's slice, though another turn's may not have ended yet.
  turnBeganMs = undefined;
  waiting.take()?.();
  if (waiting.size > 0) setImmediate(resumeNext);
}

/**
 * Lets everything else that waits on the event loop run once. Only one piece of waiting work is resumed per turn of the loop: otherwise many pieces of
 * work would block the loop for the sum of their slices. Holders are served round-robin (docs/decisions/fair-share.md); for one holder, started work
 * continues before new work begins.
 */
export function yieldControl(holder = NO_HOLDER, hasBegun = false): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(holder, resolve, hasBegun && holder !== NO_HOLDER);
    if (waiting.size === 1) setImmediate(resumeNext);
  });
}

/** How long a piece of background work may hold the loop before it yields. Well under the 10 ms for which no code may hold it. */
export const SLICE_BUDGET_MS = 3;

/**
 * For generators that gather work between two yields, run by code that pauses: well under what a slice may take, so that it is asked in
 * time.
 */
export const STRETCH_BUDGET_MS = 1;

/** Units of work (`work.ts`) between two checks of the clock: about 20 µs. */
const WORK_PER_LOOK = 1_000;

/**
 * Yields control when the current slice has used its budget. One slicer per piece of work; slicers that begin in the same turn of the loop share its
 * budget, and each of them does at least one step. A budget of 0 is always used up at once.
 */
export class Slicer {
  readonly #budgetMs: number;
  readonly #holder: string;
  #sliceStartMs = beginSlice();
  #work = 0;
  #hasBegun = false;

  /** `holder`: the caller for which the work is done, if it is one. */
  constructor(budgetMs = SLICE_BUDGET_MS, holder = NO_HOLDER) {
    this.#budgetMs = budgetMs;
    this.#holder = holder;
  }

  /** For work of one caller, which counts against the caller's part of the time. */
  static of(holder: string): Slicer {
    return new Slicer(SLICE_BUDGET_MS, holder);
  }

  /** True when the slice is used up and `pause` should be awaited. Cheap enough to ask once an item. */
  get spent(): boolean {
    return performance.now() - this.#sliceStartMs >= this.#budgetMs;
  }

  /** Counts work; true when the slice is used up. It checks the clock depending on the amount of work, not once per item. */
  charge(work: number): boolean {
    this.#work += work;
    if (this.#work < WORK_PER_LOOK) return false;
    this.#work = 0;
    return this.spent;
  }

  async pause(): Promise<void> {
    const hasBegun = this.#hasBegun;
    this.#hasBegun = true;
    await yieldControl(this.#holder, hasBegun);
    this.restart();
  }

  /** A new slice begins: the loop was free in between. */
  restart(): void {
    this.#sliceStartMs = beginSlice();
  }
}

/** Does counted work, giving the event loop back wherever a slice is used up. */
export async function workInSlices<T>(work: Work<T>, slicer = new Slicer()): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (slicer.charge(step.value)) await slicer.pause();
  }
}

/**
 * Work that can be paused wherever it yields, and that is otherwise ordinary synchronous code. Who runs it decides whether pauses are made,
 * so the same work serves the event loop, tests and other work in steps (`yield*`). Abandoned work is never resumed.
 */
export type Steps<T> = Generator<void, T, void>;

/** Does the work, giving the event loop back wherever a slice is used up. */
export async function inSlices<T>(steps: Steps<T>, slicer = new Slicer()): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slicer.spent) await slicer.pause();
  }
}

/** Same as `inSlices`, but checks after every pause whether to continue. Undefined when not: the work is abandoned. */
export async function inSlicesWhile<T>(
  steps: Steps<T>,
  mayGoOn: () => boolean,
  slicer = new Slicer(),
): Promise<T | undefined> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (!slicer.spent) continue;
    await slicer.pause();
    if (mayGoOn()) continue;
    steps.return(undefined as never);
    return undefined;
  }
}

/** Counted work, for code that checks the clock at each step. */
export function* uncounted<T>(work: Work<T>): Steps<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    yield;
  }
}

/** Does the work without a pause. For what is known to be small. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
