import type { Clock } from '../../base/clock.ts';
import type { Exchanges } from '../exchanges.ts';

/** Interval of the checks, shorter than the timer of the fast front, and the maximum of consecutive checks without a read: one minute, plus at most one check. */
const CHECK_EVERY_MS = 5_000;
export const CHECKS_WITHOUT_READ_MAX = 12;

/**
 * Closes connections whose reader reads nothing although data is ready. uWebSockets.js would also do that, after ten seconds, but wrongly: it notices that a
 * reader reads only when a third of the kernel's send buffer is free, which is 1.3 MB of a buffer of 4 MB. That closed connections that read a large
 * answer with less than 130 kB per second. So its timer is reset at each check (`Exchange.checkReader`: resuming after a pause does that), and
 * this class closes connections: it requires 1.3 MB per minute. Less cannot be distinguished from nothing, because it does not report how much of
 * the kernel's buffer is unsent.
 *
 * This class counts checks and not time: a clock that jumps, or a process that was stopped, closes no connection. Streams of events keep its timer,
 * because other readers may wait for data that is prepared for one of them.
 */
export class ReaderWatch {
  readonly #exchanges: Exchanges;
  readonly #clock: Clock;
  readonly #stop = new AbortController();

  constructor(exchanges: Exchanges, clock: Clock) {
    this.#exchanges = exchanges;
    this.#clock = clock;
  }

  async run(): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      await this.#clock.sleep(CHECK_EVERY_MS, signal);
      if (signal.aborted) return;
      await this.#exchanges.cutStalled(CHECKS_WITHOUT_READ_MAX);
    }
  }

  close(): void {
    this.#stop.abort();
  }
}
