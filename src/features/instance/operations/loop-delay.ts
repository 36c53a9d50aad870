import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 20;

/** The delay of the event loop since the last reading. Monitoring starts with the first reading. */
export class LoopDelay {
  #watched: IntervalHistogram | undefined;

  /** Mean, maximum, and 50th and 99th percentile of the delays, in seconds. Each reading resets them. */
  take(): { readonly mean: number; readonly max: number; readonly p50: number; readonly p99: number } {
    if (!this.#watched) {
      this.#watched = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#watched.enable();
    }
    const { mean, max, count } = this.#watched;
    const [p50, p99] = [this.#watched.percentile(50), this.#watched.percentile(99)];
    this.#watched.reset();
    const secondsOf = (nanoseconds: number) =>
      count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1_000);
    return { mean: secondsOf(mean), max: secondsOf(max), p50: secondsOf(p50), p99: secondsOf(p99) };
  }

  close(): void {
    this.#watched?.disable();
  }
}
