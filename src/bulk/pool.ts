import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import type { TextResult, TextTask } from './event-text-protocol.ts';
import type { BulkResult, BulkTask } from './protocol.ts';

interface BulkPoolOptions {
  /** The built worker: a thread cannot load TypeScript. */
  readonly workerFile: string;
  /** The same of what looks for text in audit events. */
  readonly textWorkerFile: string;
  /** Requests that may be under way at once. */
  readonly requestsMax: number;
  readonly threads?: number;
}

/** Tasks of searches for text that may wait, beside those of bulk evaluation: more than the searches there can be have under way. */
const TEXT_TASKS_MAX = 256;

/** The threads of bulk evaluation and of searches for text. Started when first used; a thread that dies fails its task alone and is replaced. */
export class BulkPool {
  readonly #options: BulkPoolOptions;
  #piscina: Piscina | undefined;
  #starting: Promise<Piscina> | undefined;
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
    this.#busy++;
    try {
      return await (await this.#threads()).run(task, { transferList: [task.lines.buffer as ArrayBuffer] });
    } finally {
      this.#busy--;
    }
  }

  /** Looks for a text in audit events. */
  async search(task: TextTask): Promise<TextResult> {
    const transferList = [task.bytes.buffer as ArrayBuffer];
    return (await this.#threads()).run(task, { filename: this.#options.textWorkerFile, transferList });
  }

  #threads(): Promise<Piscina> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<Piscina> {
    // Most services never need it.
    const { Piscina } = await import('piscina');
    this.#piscina = new Piscina({
      filename: this.#options.workerFile,
      minThreads: this.threads,
      maxThreads: this.threads,
      // Cannot be reached: requests are counted, and so are their tasks.
      maxQueue: this.#options.requestsMax * this.tasksPerRequest + TEXT_TASKS_MAX,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
    });
    return this.#piscina;
  }

  async close(): Promise<void> {
    await (await this.#starting)?.destroy();
  }
}
