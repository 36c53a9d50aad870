import type { Piscina } from 'piscina';
import type { Logger } from './logger.ts';

type PoolOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>;

interface ThreadPoolOptions extends PoolOptions {
  /** What the threads do, for the log. */
  readonly purpose: string;
  readonly logger: Logger;
}

/** Threads that start at their first use: most services never need them, so the package is not loaded before. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  #pool: Piscina | undefined;
  #starting: Promise<Piscina> | undefined;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** Whether the threads were used, or are being started. */
  get hasStarted(): boolean {
    return this.#starting !== undefined;
  }

  /** The threads, for tests that terminate one. */
  get workers(): readonly { terminate(): Promise<number> }[] {
    return this.#pool?.threads ?? [];
  }

  /** The pool. @throws Error if the package cannot be loaded; the next call tries again */
  async pool(): Promise<Piscina> {
    this.#starting ??= this.#start();
    try {
      return await this.#starting;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }

  async #start(): Promise<Piscina> {
    const { purpose, logger, ...options } = this.#options;
    const { Piscina } = await import('piscina');
    this.#pool = new Piscina({ recordTiming: false, ...options });
    // A thread that fails between two tasks: without a listener, the error would end the process. The next task gets a new thread.
    this.#pool.on('error', (error: unknown) => logger.error({ err: error, purpose }, 'a thread failed without a task'));
    return this.#pool;
  }

  async close(): Promise<void> {
    const pool = await this.#starting?.catch(() => undefined);
    await pool?.destroy();
  }
}
