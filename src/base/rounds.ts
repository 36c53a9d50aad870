import type { Clock } from './clock.ts';

/** How long there is no round. */
export interface Pause {
  readonly ms: number;
  /** Whether `wake` ends the pause. After a failure it does not: otherwise each commit would be another attempt. */
  readonly canWake: boolean;
}

/** Work of the service in rounds, one after the other, until it is closed. */
export class Rounds {
  readonly #clock: Clock;
  readonly #round: (closing: AbortSignal) => Promise<Pause>;
  readonly #closing = new AbortController();
  #waking = new AbortController();
  #running: Promise<void> | undefined;

  /** `round` does the work of one round, and resolves with the pause after it. It ends early when the signal aborts, and never rejects. */
  constructor(clock: Clock, round: (closing: AbortSignal) => Promise<Pause>) {
    this.#clock = clock;
    this.#round = round;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Begins the next round now. If a round is running, another one follows it. */
  wake(): void {
    // Each call of `abort` creates an error object, even on an aborted signal.
    if (!this.#waking.signal.aborted) this.#waking.abort();
  }

  /** Resolves when the running round has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const closing = this.#closing.signal;
    while (!closing.aborted) {
      this.#waking = new AbortController();
      const { ms, canWake } = await this.#round(closing);
      if (!closing.aborted) await this.#clock.sleep(ms, canWake ? this.#waking.signal : closing);
    }
  }
}
