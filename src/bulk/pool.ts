import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { BulkResult, BulkTask } from './protocol.ts';

export interface BulkPoolOptions {
  /** The built worker: a thread cannot load TypeScript. */
  readonly workerFile: string;
  /** Tasks that may wait for a thread; more are refused. */
  readonly queueLimit: number;
  readonly threads?: number;
}

/** The threads of bulk evaluation. Started when first used; a thread that dies fails its task alone and is replaced. */
export class BulkPool {
  readonly #options: BulkPoolOptions;
  #piscina: Piscina | undefined;
  #busy = 0;

  constructor(options: BulkPoolOptions) {
    this.#options = options;
  }

  get threads(): number {
    return this.#options.threads ?? availableParallelism();
  }

  /** Tasks that wait for a thread. */
  get waiting(): number {
    return this.#piscina?.queueSize ?? 0;
  }

  /** Tasks that wait or run. */
  get busy(): number {
    return this.#busy;
  }

  /** Whether one more request should be turned away. */
  get full(): boolean {
    return this.waiting >= this.#options.queueLimit;
  }

  /** For tests that take a thread away. */
  get workers(): readonly { terminate(): Promise<number> }[] {
    return this.#piscina?.threads ?? [];
  }

  async run(task: BulkTask): Promise<BulkResult> {
    this.#piscina ??= new Piscina({
      filename: this.#options.workerFile,
      minThreads: this.threads,
      maxThreads: this.threads,
      maxQueue: this.#options.queueLimit + 8 * this.threads,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
    });
    this.#busy++;
    try {
      return await this.#piscina.run(task, { transferList: [task.lines.buffer as ArrayBuffer] });
    } finally {
      this.#busy--;
    }
  }

  async close(): Promise<void> {
    await this.#piscina?.destroy();
  }
}
