import type { Clock } from '../base/clock.ts';
import type { Exchanges } from './exchanges.ts';

/** How often it is looked, which is before uWS's timer is over, and at how many looks in a row a reader may have taken nothing: a minute, and one look more at most. */
const LOOK_EVERY_MS = 5_000;
export const STILL_LOOKS_MAX = 12;

/**
 * Cuts connections whose reader takes nothing of what is ready for it. uWS would do that, too, after ten seconds, and would be wrong: it only notices that a reader
 * takes something when a third of what the kernel buffers for it has gone, which is 1.3 MB where the kernel buffers 4. A reader that takes less than 130 kB a second of a
 * large answer was cut by that. So uWS's timer is set anew at each look (`Exchange.lookAtReader`: going on after a pause does that), and this is the one that cuts:
 * 1.3 MB a minute is enough for it. Less cannot be distinguished from nothing, because uWS does not say what of the kernel's part is still unsent.
 *
 * It counts looks rather than time: a clock that jumps, or a process that was stopped, cuts no reader. Streams of events keep uWS's timer: what is made for one of them
 * may be what others wait for.
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
