import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 20;

/** The delay of the event loop since the last reading. Monitoring starts with the first reading. */
export class LoopDelay {
  #histogram: IntervalHistogram | undefined;

  /** Mean, maximum, and 50th and 99th percentile of the delays, in seconds. Each reading resets them. */
  readAndReset(): { readonly mean: number; readonly max: number; readonly p50: number; readonly p99: number } {
    if (!this.#histogram) {
      this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#histogram.enable();
    }
    const { mean, max, count } = this.#histogram;
    const [p50, p99] = [this.#histogram.percentile(50), this.#histogram.percentile(99)];
    this.#histogram.reset();
    const secondsOf = (nanoseconds: number) =>
      count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1_000);
    return { mean: secondsOf(mean), max: secondsOf(max), p50: secondsOf(p50), p99: secondsOf(p99) };
  }

  close(): void {
    this.#histogram?.disable();
  }
}
