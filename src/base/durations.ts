/** Number of buckets, from one microsecond to about two minutes. Each bucket is a factor of 2^(1/4) larger than the one before it. */
const STEPS = 108;
const STEPS_EACH_DOUBLING = 4;
const FIRST_MS = 0.001;

/** Quantiles include the durations of the last one to two windows. */
const WINDOW_MS = 5 * 60_000;

/**
 * Durations: their count and sum, and quantiles of the last minutes, which are at most a fifth too large. Adding one costs a logarithm and an
 * addition.
 */
export class Durations {
  count = 0;
  sumMs = 0;
  #now = new Uint32Array(STEPS);
  #before = new Uint32Array(STEPS);
  #endMs = Number.NEGATIVE_INFINITY;

  /** `standsFor`: the number of operations that this timed one represents. */
  add(ms: number, nowMs: number, standsFor = 1): void {
    this.count++;
    this.sumMs += ms * standsFor;
    this.#turn(nowMs);
    const step = Math.ceil(Math.log2(ms / FIRST_MS) * STEPS_EACH_DOUBLING);
    const at = Math.min(STEPS - 1, Math.max(0, step));
    this.#now[at] = (this.#now[at] as number) + 1;
  }

  /** The duration in milliseconds that this part (0 to 1) of the recent operations did not exceed; undefined without recent operations. */
  quantile(part: number, nowMs: number): number | undefined {
    this.#turn(nowMs);
    let all = 0;
    for (let step = 0; step < STEPS; step++) all += this.#at(step);
    if (all === 0) return undefined;
    let below = 0;
    for (let step = 0; step < STEPS; step++) {
      below += this.#at(step);
      if (below >= all * part) return FIRST_MS * 2 ** (step / STEPS_EACH_DOUBLING);
    }
    return undefined;
  }

  #at(step: number): number {
    return (this.#now[step] as number) + (this.#before[step] as number);
  }

  #turn(nowMs: number): void {
    if (nowMs < this.#endMs) return;
    const isLongAgo = nowMs >= this.#endMs + WINDOW_MS;
    [this.#before, this.#now] = [this.#now, this.#before];
    if (isLongAgo) this.#before.fill(0);
    this.#now.fill(0);
    this.#endMs = nowMs + WINDOW_MS;
  }
}
