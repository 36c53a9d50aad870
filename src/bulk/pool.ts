import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { BulkResult, BulkTask } from './protocol.ts';

export interface BulkPoolOptions {
  /** The built worker: a thread cannot load TypeScript. */
  readonly workerFile: string;
  /** Requests that may be under way at once. */
  readonly requestsMax: number;
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

  /** Tasks that one request may have under way: enough to keep every thread busy. */
  get tasksPerRequest(): number {
    return 2 * this.threads;
  }

  /** Tasks that wait or run. */
  get busy(): number {
    return this.#busy;
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
      // Cannot be reached: requests are counted, and so are their tasks.
      maxQueue: this.#options.requestsMax * this.tasksPerRequest,
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
