import type { Clock } from '../../base/clock.ts';

/** Something that happens again and again, and is waited for. */
export class Signal {
  readonly #clock: Clock;
  #next: { promise: Promise<void>; fire: () => void };

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#next = this.#renew();
  }

  fire(): void {
    const { fire } = this.#next;
    this.#next = this.#renew();
    fire();
  }

  /** Resolves when it next happens, or after `timeoutMs`, or when `ended` does. */
  async wait(timeoutMs: number, ended?: Promise<unknown>): Promise<void> {
    const sleeping = new AbortController();
    const sleep = this.#clock.sleep(Math.max(0, timeoutMs), sleeping.signal);
    await Promise.race([this.#next.promise, sleep, ...(ended ? [ended] : [])]);
    sleeping.abort();
  }

  #renew(): { promise: Promise<void>; fire: () => void } {
    let fire = () => {};
    const promise = new Promise<void>((resolve) => {
      fire = resolve;
    });
    return { promise, fire };
  }
}
