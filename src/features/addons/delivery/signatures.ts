import { builtWorker } from '../../../base/built-worker.ts';
import type { Logger } from '../../../base/logger.ts';
import { ThreadPool } from '../../../base/thread-pool.ts';
import { ADDON_LIMITS } from '../limits.ts';
import { type SignatureTask, signatureOf } from './signature.ts';

/**
 * Longer messages are signed in a thread. The library of the scheme computes SHA-256 in JavaScript and without pauses: the first message of this length
 * takes up to 7 ms, later ones 0.2 ms, and the longest message 16 ms.
 */
const INLINE_LENGTH_MAX = 4_000;

/** An idle thread ends after this time; the next long message starts one. */
const IDLE_MS = 20_000;

const MEMORY_MB = 32;

/** Signs messages, without blocking the event loop. */
export class Signatures {
  readonly #threads: ThreadPool;

  constructor(logger: Logger, workerFile = builtWorker('features/addons/delivery/signature-worker')) {
    this.#threads = new ThreadPool({
      purpose: 'signatures',
      logger,
      filename: workerFile,
      minThreads: 0,
      maxThreads: 1,
      // Each integration signs one message at a time.
      maxQueue: ADDON_LIMITS.addons.max,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
  }

  /** The header `webhook-signature`. @throws Error if the thread ends, or `signal` is aborted */
  async of(task: SignatureTask, signal: AbortSignal): Promise<string> {
    if (task.body.length <= INLINE_LENGTH_MAX) return signatureOf(task);
    const threads = await this.#threads.pool();
    return await threads.run(task, { signal });
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
