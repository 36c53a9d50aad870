import type { Clock } from '../../base/clock.ts';
import type { Session } from './session.ts';

export interface LinkOptions {
  readonly clock: Clock;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  readonly open: (signal: AbortSignal) => Promise<Session>;
  /** Uses the session until it has ended. When it throws, the session ends. Calls `onProven` once the session has worked. */
  readonly serve: (session: Session, onProven: () => void) => Promise<void>;
  /** `error`: why the session could not be opened or served; left out if it ended by itself. */
  readonly onDown: (reason: string, error?: unknown) => void;
}

/**
 * Keeps one session open: connects, serves the session until it ends, waits, connects again. The waits are random and their maximum grows, so that
 * replicas that lost the server at the same time do not reconnect at the same time.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #closing = new AbortController();
  #session: Session | undefined;
  #runPromise: Promise<void> | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  start(): void {
    this.#runPromise ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#session?.drop('closed');
    await this.#runPromise;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { clock, onDown } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      const { reason, error } = await this.#serveOne(() => {
        failures = 0;
      });
      if (signal.aborted) return;
      onDown(reason, error);
      await clock.sleep(this.#delayMs(failures), signal);
      failures += 1;
    }
  }

  /** Serves one session. Resolves with the reason of its end. */
  async #serveOne(onProven: () => void): Promise<{ readonly reason: string; readonly error?: unknown }> {
    try {
      const session = await this.#options.open(this.#closing.signal);
      this.#session = session;
      if (this.#closing.signal.aborted) session.drop('closed');
      await this.#options.serve(session, onProven);
      session.drop('no longer used');
      return { reason: await session.endReason };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#session?.drop(reason);
      return { reason, error };
    } finally {
      this.#session = undefined;
    }
  }

  #delayMs(failures: number): number {
    const { random, reconnectMinMs, reconnectMaxMs } = this.#options;
    const ceilingMs = Math.min(reconnectMaxMs, reconnectMinMs * 2 ** Math.min(failures, 20));
    return reconnectMinMs + random() * (ceilingMs - reconnectMinMs);
  }
}
