import type { Clock } from './clock.ts';

/** How long there is no round. */
export interface Pause {
  readonly ms: number;
  /** Whether `wake` ends the pause. After a failure it does not: otherwise each commit would be another attempt. */
  readonly canWake: boolean;
}

interface RoundsOptions {
  readonly clock: Clock;
  /** Does the work of one round, and resolves with the pause after it. Ends early when the signal aborts. */
  round(closing: AbortSignal): Promise<Pause>;
  /** Logs the failure of a round. Returns the pause after it. */
  failed(error: unknown): Pause;
  /** Milliseconds before the first round. */
  readonly firstMs?: number;
}

/** Work of the service in rounds, one after the other, until it is closed. */
export class Rounds {
  readonly #options: RoundsOptions;
  readonly #closing = new AbortController();
  #waking = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Whether another round follows the running one, or begins now. */
  get isWoken(): boolean {
    return this.#waking.signal.aborted;
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
    const { clock, round, failed, firstMs } = this.#options;
    const closing = this.#closing.signal;
    if (firstMs !== undefined) await clock.sleep(firstMs, closing);
    while (!closing.aborted) {
      this.#waking = new AbortController();
      const { ms, canWake } = await round(closing).catch((error: unknown) => failed(error));
      if (closing.aborted) return;
      await clock.sleep(ms, canWake ? this.#waking.signal : closing);
    }
  }
}
