import { fileURLToPath } from 'node:url';
import { Shares } from '../base/shares.ts';
import { BulkPool } from './pool.ts';

/** Requests under way at once. Each holds two tasks a thread and their answers, of some megabytes at most, so this bounds memory. */
const REQUESTS_MAX = 64;

/** And of one token: one whose readers are slow leaves most places to the others. */
const REQUESTS_OF_TOKEN_MAX = 16;

/** Bulk evaluation as endpoints use it: the threads, and how many requests may share them. */
export class BulkService {
  readonly pool: BulkPool;
  readonly #places = new Shares<string>(REQUESTS_MAX, REQUESTS_OF_TOKEN_MAX);

  /** `workerFile` is the built worker; a thread cannot load TypeScript. */
  constructor(workerFile: string, threads?: number) {
    const files = { workerFile, textWorkerFile: builtWorkerFile('event-text-worker') };
    this.pool = new BulkPool({ ...files, requestsMax: REQUESTS_MAX, ...(threads !== undefined && { threads }) });
  }

  /** Requests that are being answered. */
  get underWay(): number {
    return this.#places.count;
  }

  /** Takes a place for one more request of the holder, until `over` is aborted; false when there is none, or he has his share. */
  claim(holder: string, over: AbortSignal): boolean {
    if (over.aborted || !this.#places.take(holder)) return false;
    over.addEventListener('abort', () => this.#places.give(holder), { once: true });
    return true;
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

/** Where the build puts a worker, seen from the sources as from the build. */
export function builtWorkerFile(name = 'worker'): string {
  const here = import.meta.url;
  return fileURLToPath(
    here.endsWith('.ts') ? new URL(`../../dist/src/bulk/${name}.js`, here) : new URL(`./${name}.js`, here),
  );
}
