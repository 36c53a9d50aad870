import { fileURLToPath } from 'node:url';
import { BulkPool } from './pool.ts';

/** Requests under way at once. Each holds two tasks a thread and their answers, so this bounds memory. */
const REQUESTS_MAX = 64;

/** Bulk evaluation as endpoints use it: the threads, and how many requests may share them. */
export class BulkService {
  readonly pool: BulkPool;
  #underWay = 0;

  /** `workerFile` is the built worker; a thread cannot load TypeScript. */
  constructor(workerFile: string, threads?: number) {
    this.pool = new BulkPool({ workerFile, requestsMax: REQUESTS_MAX, ...(threads !== undefined && { threads }) });
  }

  /** Requests that are being answered. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Takes a place for one more request, until `over` is aborted; false when there is none. */
  claim(over: AbortSignal): boolean {
    if (this.#underWay >= REQUESTS_MAX || over.aborted) return false;
    this.#underWay++;
    over.addEventListener('abort', () => this.#underWay--, { once: true });
    return true;
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

/** Where the build puts the worker, seen from the sources as from the build. */
export function builtWorkerFile(): string {
  const here = import.meta.url;
  return fileURLToPath(
    here.endsWith('.ts') ? new URL('../../dist/src/bulk/worker.js', here) : new URL('./worker.js', here),
  );
}
