/** Number of buckets, from one microsecond to about two minutes. Each bucket is a factor of 2^(1/4) larger than the one before it. */
const BUCKETS = 108;
const BUCKETS_PER_DOUBLING = 4;
const FIRST_MS = 0.001;

/** Quantiles include the durations of the last one to two windows. */
const WINDOW_MS = 5 * 60_000;

/**
 * Durations: their count and sum, and quantiles of the last minutes, which are at most a fifth too large. Adding a duration costs a logarithm and an
 * addition.
 */
export class Durations {
  count = 0;
  sumMs = 0;
  #current = new Uint32Array(BUCKETS);
  #previous = new Uint32Array(BUCKETS);
  #endMs = Number.NEGATIVE_INFINITY;

  /** `standsFor`: the number of operations that this timed one represents in the sum. `count` counts only timed operations. */
  add(ms: number, nowMs: number, standsFor = 1): void {
    this.count++;
    this.sumMs += ms * standsFor;
    this.#startWindowIfDue(nowMs);
    const bucket = Math.ceil(Math.log2(ms / FIRST_MS) * BUCKETS_PER_DOUBLING);
    const index = Math.min(BUCKETS - 1, Math.max(0, bucket));
    this.#current[index] = (this.#current[index] as number) + 1;
  }

  /** The duration in milliseconds that this part (0 to 1) of the recent operations did not exceed; undefined without recent operations. */
  quantile(part: number, nowMs: number): number | undefined {
    this.#startWindowIfDue(nowMs);
    let all = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) all += this.#countOf(bucket);
    if (all === 0) return undefined;
    let below = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      below += this.#countOf(bucket);
      if (below >= all * part) return FIRST_MS * 2 ** (bucket / BUCKETS_PER_DOUBLING);
    }
    return undefined;
  }

  #countOf(bucket: number): number {
    return (this.#current[bucket] as number) + (this.#previous[bucket] as number);
  }

  #startWindowIfDue(nowMs: number): void {
    if (nowMs < this.#endMs) return;
    const isLongAgo = nowMs >= this.#endMs + WINDOW_MS;
    [this.#previous, this.#current] = [this.#current, this.#previous];
    if (isLongAgo) this.#previous.fill(0);
    this.#current.fill(0);
    this.#endMs = nowMs + WINDOW_MS;
  }
}
