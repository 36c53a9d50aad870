import type { Clock } from '../../base/clock.ts';

/** Something that ends once, and calls listeners then. */
export interface Ending {
  /** Calls the listener once: at the end, or immediately if the end has passed. Returns a function that removes the listener. */
  onEnd(listener: () => void): () => void;
}

/**
 * An event that happens repeatedly, and that callers wait for. A waiter is stored only until it is woken: finished waits use no memory, however
 * long the signal and the ending live. (A race against a promise that stays pending would keep every wait in memory.)
 */
export class Signal {
  readonly #clock: Clock;
  #wakers = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  fire(): void {
    const wakers = this.#wakers;
    this.#wakers = new Set();
    for (const wake of wakers) wake();
  }

  /** Resolves at the next `fire`, after `timeoutMs`, or when `ending` ends. */
  async wait(timeoutMs: number, ending?: Ending): Promise<void> {
    const sleep = new AbortController();
    const wake = () => sleep.abort();
    this.#wakers.add(wake);
    const forget = ending?.onEnd(wake);
    await this.#clock.sleep(Math.max(0, timeoutMs), sleep.signal);
    this.#wakers.delete(wake);
    forget?.();
  }
}
