import { builtWorker } from '../../base/built-worker.ts';
import { PerKeyQuota } from '../../base/per-key-quota.ts';
import { BulkPool, IDLE_MS } from './pool.ts';
import type { WorkerOptions } from './protocol.ts';
import { ScopeSource } from './scope-source.ts';

/** Requests under way at once. Each holds two tasks a thread and their answers, of some megabytes at most, so this bounds memory. */
const REQUESTS_MAX = 64;

/** And of one token: one whose readers are slow leaves most places to the others. */
const REQUESTS_OF_TOKEN_MAX = 16;

/** What its threads run, below `src`. */
export const BULK_WORKER = 'features/bulk/bulk-worker';

/** Bulk evaluation as endpoints use it: the threads, and how many requests may share them. */
export class BulkService {
  readonly pool: BulkPool;
  readonly scopes = new ScopeSource();
  readonly #quota = new PerKeyQuota<string>(REQUESTS_MAX, REQUESTS_OF_TOKEN_MAX);
  #idle: NodeJS.Timeout | undefined;

  /** `workerFile` is the built worker; a thread cannot load TypeScript. */
  constructor(workerFile: string, worker: WorkerOptions, threads?: number) {
    const files = { workerFile, textWorkerFile: builtWorker('features/events/event-text-worker') };
    this.pool = new BulkPool({ ...files, worker, ...(threads !== undefined && { threads }) });
  }

  /** Requests that are being answered. */
  get underWay(): number {
    return this.#quota.count;
  }

  /** Takes a place for one more request of the holder, until `over` is aborted; false when there is none, or he has his share. */
  claim(holder: string, over: AbortSignal): boolean {
    if (over.aborted || !this.#quota.take(holder)) return false;
    clearTimeout(this.#idle);
    over.addEventListener('abort', () => this.#end(holder), { once: true });
    return true;
  }

  /** What the threads were given goes when they end. */
  #end(holder: string): void {
    this.#quota.give(holder);
    clearTimeout(this.#idle);
    if (this.underWay === 0) this.#idle = setTimeout(() => this.scopes.forget(), IDLE_MS).unref();
  }

  close(): Promise<void> {
    clearTimeout(this.#idle);
    return this.pool.close();
  }
}
