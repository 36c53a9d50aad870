import type { Clock } from '../../base/clock.ts';

/** Something that comes to an end, and tells it. */
export interface Ending {
  /** Tells of the end once, at once if it has come already. Returns the end of that. */
  onEnd(listener: () => void): () => void;
}

/**
 * Something that happens again and again, and is waited for. Who waits is in a list until he is told: what was waited for leaves nothing
 * behind, however long the signal and the ending live. (A race against a promise that stays pending would keep every wait for as long.)
 */
export class Signal {
  readonly #clock: Clock;
  #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  fire(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const wake of waiting) wake();
  }

  /** Resolves when it next happens, or after `timeoutMs`, or when `ending` ends. */
  async wait(timeoutMs: number, ending?: Ending): Promise<void> {
    const waiting = new AbortController();
    const wake = () => waiting.abort();
    this.#waiting.add(wake);
    const forget = ending?.onEnd(wake);
    await this.#clock.sleep(Math.max(0, timeoutMs), waiting.signal);
    this.#waiting.delete(wake);
    forget?.();
  }
}
