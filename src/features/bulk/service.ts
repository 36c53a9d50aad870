import { builtWorker } from '../../base/built-worker.ts';
import type { Logger } from '../../base/logger.ts';
import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';
import { BulkPool, IDLE_MS } from './pool.ts';
import type { WorkerOptions } from './protocol.ts';
import { ScopeSource } from './scope-source.ts';

/**
 * Maximum number of concurrent requests. Each request keeps two tasks for each thread and their answers in memory, some megabytes at most, so this
 * number limits the memory.
 */
const REQUESTS_MAX = 64;

/** Maximum number of concurrent requests of one token. So a token with slow readers leaves most of the capacity to other tokens. */
const REQUESTS_OF_TOKEN_MAX = 16;

/** The path of the file that the threads run, relative to `src`. */
export const BULK_WORKER = 'features/bulk/bulk-worker';

/** Bulk evaluation for the endpoints: the threads, and the quota of concurrent requests. */
export class BulkService {
  readonly pool: BulkPool;
  readonly scopes = new ScopeSource();
  readonly #quota = new PerKeyQuota<string>(REQUESTS_MAX, REQUESTS_OF_TOKEN_MAX);
  #idle: NodeJS.Timeout | undefined;

  /** `workerFile` is the built worker, because a thread cannot load TypeScript. */
  constructor(workerFile: string, worker: WorkerOptions, logger: Logger, threads?: number) {
    const files = { workerFile, textWorkerFile: builtWorker('features/events/event-text-worker') };
    this.pool = new BulkPool({ ...files, worker, logger, ...(threads !== undefined && { threads }) });
  }

  /** Number of requests in progress. */
  get requestCount(): number {
    return this.#quota.count;
  }

  /**
   * Counts one more request of the holder until `endSignal` is aborted. Returns false if the total quota or the quota of the holder is used up, or if
   * `endSignal` is already aborted.
   */
  claim(holder: string, endSignal: AbortSignal): boolean {
    if (endSignal.aborted || !this.#quota.take(holder)) return false;
    clearTimeout(this.#idle);
    endSignal.addEventListener('abort', () => this.#end(holder), { once: true });
    return true;
  }

  /** Ends a request. If it was the last one, the shared memory is dropped at about the time when the idle threads end. */
  #end(holder: string): void {
    this.#quota.give(holder);
    clearTimeout(this.#idle);
    if (this.requestCount === 0) this.#idle = setTimeout(() => this.scopes.forget(), IDLE_MS).unref();
  }

  close(): Promise<void> {
    clearTimeout(this.#idle);
    return this.pool.close();
  }
}
