import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import { FairQueue } from '../../base/fair-queue.ts';
import type { TextResult, TextTask } from '../events/text-protocol.ts';
import type { BulkResult, BulkTask, WorkerOptions } from './protocol.ts';

interface BulkPoolOptions {
  readonly worker: WorkerOptions;
  /** The built worker: a thread cannot load TypeScript. */
  readonly workerFile: string;
  /** The same of what looks for text in audit events. */
  readonly textWorkerFile: string;
  readonly threads?: number;
}

/** After which a thread without work ends. */
export const IDLE_MS = 20_000;

/** Tasks of searches for text that may wait, beside those of bulk evaluation: more than the searches there can be have under way. */
const TEXT_TASKS_MAX = 256;

/** The threads of bulk evaluation and of searches for text. Started when first used; a thread that dies fails its task alone and is replaced. */
export class BulkPool {
  readonly #options: BulkPoolOptions;
  #piscina: Piscina | undefined;
  #starting: Promise<Piscina> | undefined;
  #busy = 0;
  /** Tasks that wait for a thread, by whose they are. Bounded, as requests are counted, and so are their tasks. */
  readonly #waiting = new FairQueue<() => void>(Number.POSITIVE_INFINITY);
  #running = 0;

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

  /** Those who have tasks take turns (docs/decisions/fair-share.md). */
  async run(task: BulkTask, holder: string): Promise<BulkResult> {
    this.#busy++;
    if (this.#running < 2 * this.threads) this.#running++;
    else await new Promise<void>((begin) => this.#waiting.add(holder, begin));
    try {
      return await (await this.#threads()).run(task, { transferList: [task.lines.buffer as ArrayBuffer] });
    } finally {
      this.#busy--;
      // Whose turn it is has this one's place.
      const begin = this.#waiting.take();
      if (begin) begin();
      else this.#running--;
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
      workerData: this.#options.worker,
      // What a thread has compiled goes with it: at 100,000 flags that is a quarter of a gigabyte each.
      minThreads: 0,
      maxThreads: this.threads,
      idleTimeout: IDLE_MS,
      // Cannot be reached: others wait in the queue before it.
      maxQueue: 2 * this.threads + TEXT_TASKS_MAX,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
    });
    return this.#piscina;
  }

  async close(): Promise<void> {
    await (await this.#starting)?.destroy();
  }
}
