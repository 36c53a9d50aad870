import { availableParallelism } from 'node:os';
import type { Logger } from '../../base/logger.ts';
import { FairQueue } from '../../base/queues/fair-queue.ts';
import { ThreadPool } from '../../base/thread-pool.ts';
import type { BulkResult, BulkTask, WorkerOptions } from './protocol.ts';
import type { TextResult, TextTask } from './text-protocol.ts';

interface BulkPoolOptions {
  readonly logger: Logger;
  readonly worker: WorkerOptions;
  /** The file of the built worker. It must be built, because a thread cannot load TypeScript. */
  readonly workerFile: string;
  /** The file of the built worker for the text search in audit events. */
  readonly textWorkerFile: string;
  readonly threads?: number;
}

/** Time after which a thread without work ends, in milliseconds. */
export const IDLE_MS = 20_000;

/**
 * Maximum number of waiting tasks of text searches, in addition to the tasks of bulk evaluation. The number is greater than the number of tasks that
 * all possible searches can have in progress.
 */
const TEXT_TASKS_MAX = 256;

/**
 * The threads of bulk evaluation and of text searches. They start at their first use. If a thread dies, only its task fails, and the thread is
 * replaced.
 */
export class BulkPool {
  readonly #options: BulkPoolOptions;
  readonly #pool: ThreadPool;
  #busy = 0;
  /**
   * Tasks that wait for a thread, by client. The queue itself has no limit, because the number of requests and the tasks of each request are limited.
   */
  readonly #waiting = new FairQueue<() => void>(Number.POSITIVE_INFINITY);
  #running = 0;

  constructor(options: BulkPoolOptions) {
    this.#options = options;
    this.#pool = new ThreadPool({
      purpose: 'bulk evaluation',
      logger: options.logger,
      filename: options.workerFile,
      workerData: options.worker,
      // A thread that ends frees its compiled flags: with 100,000 flags they are a quarter of a gigabyte for each thread.
      minThreads: 0,
      maxThreads: this.threads,
      idleTimeout: IDLE_MS,
      // This limit cannot be reached, because further tasks wait in `#waiting`.
      maxQueue: 2 * this.threads + TEXT_TASKS_MAX,
      concurrentTasksPerWorker: 1,
    });
  }

  get threads(): number {
    return this.#options.threads ?? availableParallelism();
  }

  /** Maximum number of tasks of one request in progress: enough to keep every thread busy. */
  get tasksPerRequest(): number {
    return 2 * this.threads;
  }

  /** Number of waiting and running tasks. */
  get busy(): number {
    return this.#busy;
  }

  /** The threads, for tests that terminate a thread. */
  get workers(): readonly { terminate(): Promise<number> }[] {
    return this.#pool.workers;
  }

  /** Runs a task. A fair queue orders the tasks of different clients (docs/decisions/fair-share.md). */
  async run(task: BulkTask, holder: string): Promise<BulkResult> {
    this.#busy++;
    if (this.#running < 2 * this.threads) this.#running++;
    else await new Promise<void>((startTask) => this.#waiting.add(holder, startTask));
    try {
      const threads = await this.#pool.pool();
      return await threads.run(task, { transferList: [task.lines.buffer as ArrayBuffer] });
    } finally {
      this.#busy--;
      // The next task in the queue gets the slot of this one.
      const startTask = this.#waiting.take();
      if (startTask) startTask();
      else this.#running--;
    }
  }

  /** Searches for a text in audit events. */
  async search(task: TextTask): Promise<TextResult> {
    const transferList = [task.bytes.buffer as ArrayBuffer];
    const threads = await this.#pool.pool();
    return threads.run(task, { filename: this.#options.textWorkerFile, transferList });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
