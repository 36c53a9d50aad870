import type { Clock } from '../base/clock.ts';
import type { Exchanges } from './exchanges.ts';

/** How often it is looked, and at how many looks in a row a reader may have taken nothing: a minute, and one look more at most. */
const LOOK_EVERY_MS = 5_000;
export const STILL_LOOKS_MAX = 12;

/**
 * Cuts connections whose reader takes nothing of what is there for him. uWS does that, too, after ten seconds, but has no timer for some: an answer that begins
 * while its request is read was never cut. Here nobody is left out. It counts looks rather than time: a clock that jumps, or a process that was stopped, cuts
 * nobody.
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
      await this.#clock.sleep(LOOK_EVERY_MS, signal);
      if (signal.aborted) return;
      await this.#exchanges.cutStalled(STILL_LOOKS_MAX);
    }
  }

  close(): void {
    this.#stop.abort();
  }
}
