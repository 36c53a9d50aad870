import { fileURLToPath } from 'node:url';
import { BulkPool } from './pool.ts';

/** Requests under way at once. Each holds two tasks a thread and their answers, so this bounds memory. */
const REQUESTS_MAX = 64;

/** Tasks that may wait for a thread before new requests are turned away. */
const QUEUE_MAX = 256;

/** Bulk evaluation as endpoints use it: the threads, and how many requests may share them. */
export class BulkService {
  readonly pool: BulkPool;
  #underWay = 0;

  /** `workerFile` is the built worker; a thread cannot load TypeScript. */
  constructor(workerFile: string, threads?: number) {
    this.pool = new BulkPool({ workerFile, queueLimit: QUEUE_MAX, ...(threads !== undefined && { threads }) });
  }

  /** Requests that are being answered. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Whether one more request may come. */
  admits(): boolean {
    return this.#underWay < REQUESTS_MAX && !this.pool.full;
  }

  /** The same chunks; counts the request as under way until they end, whichever way. */
  async *counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.#underWay++;
    try {
      yield* chunks;
    } finally {
      this.#underWay--;
    }
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
