import { type Profiler, Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';

/**
 * Time slices end by the clock, so how often work pauses differs from run to run. Left out are the files of which this is the work, those that write log
 * lines, and those that tests share.
 */
const NOT_COUNTED = /\/base\/(yield-control|clock|logger)\.ts$/;
/** The part of a few milliseconds in which the event loop is active when only timers run. */
const IDLE_UTILIZATION = 0.1;
const OURS = /^file:.*\/src\/.*\.ts$/;

/**
 * Counts work instead of time: how often V8 entered a function, or a block of a function. So a loop over all flags counts once for each flag.
 * V8 counts exactly, and no faster or busier machine changes the number. The product has no counters for it.
 */
export class WorkCounter {
  readonly #session = new Session();
  readonly #counted: RegExp;

  /** @param counted the URLs of the files whose functions are counted. Default: `src/` */
  constructor(counted = OURS) {
    this.#counted = counted;
  }

  /**
   * Must be called before the functions run for the first time: V8 counts blocks only in functions that it compiles afterwards.
   * V8 does not count calls of functions that optimized code contains, and when it optimizes depends on how busy the machine is: so it optimizes nothing.
   */
  start(): void {
    setFlagsFromString('--no-opt');
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** The work of `action`, which is done when it returns. */
  during(action: () => unknown): number {
    this.#take();
    action();
    return this.#take();
  }

  /** The work of the longest step, and the number of steps. Between two steps, the code that runs them may pause. */
  longestStep(steps: Iterator<unknown>): { readonly work: number; readonly count: number } {
    let longest = 0;
    let count = 0;
    for (let isDone = false; !isDone; count++) {
      const work = this.during(() => {
        isDone = steps.next().done === true;
      });
      longest = Math.max(longest, work);
    }
    return { work: longest, count };
  }

  /** The work of `action`, and of what it leaves behind: views that follow a commit in time slices, connections that close. */
  async of(action: () => Promise<unknown>): Promise<number> {
    await untilIdle();
    this.#take();
    await action();
    await untilIdle();
    return this.#take();
  }

  /** The work since the last call. The inspector answers at once, because it is in this thread. */
  #take(): number {
    let scripts: readonly Profiler.ScriptCoverage[] = [];
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      scripts = result;
    });
    return scripts
      .filter(({ url }) => this.#counted.test(url) && !NOT_COUNTED.test(url))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0);
  }

  stop(): void {
    this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
    setFlagsFromString('--opt');
  }
}

/**
 * Resolves when the event loop has nothing to do. It does not read the counters: V8 leaves out a block that ran as often as the block around it, so the
 * sum of several readings depends on when each was.
 */
async function untilIdle(): Promise<void> {
  let utilization = 1;
  while (utilization > IDLE_UTILIZATION) {
    const before = performance.eventLoopUtilization();
    await new Promise((resolve) => setTimeout(resolve, 3));
    utilization = performance.eventLoopUtilization(before).utilization;
  }
}
