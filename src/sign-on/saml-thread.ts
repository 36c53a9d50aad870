import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import { Rejection, unavailable } from '../base/rejection.ts';
import { Shares } from '../base/shares.ts';
import type { SamlResult, SamlTask } from './saml-protocol.ts';

/** Tasks that wait or run, of everybody and of one address: whoever sends many keeps others from signing on no longer than these take. */
const TASKS_MAX = 64;
const TASKS_OF_ADDRESS_MAX = 8;

/** A document of the largest size takes a small part of it. Then the thread is ended, whatever it does. */
const TASK_TIMEOUT_MS = 5_000;

/** A thread that nobody needs goes; the next sign-on starts one. */
const IDLE_MS = 60_000;

const MEMORY_MB = 96;

const BUSY = new Rejection('TooManyRequestsError', 'Too many people sign on at once; try again.', [], 2);

/** The thread in which SAML is read and written. Started when first used; one that dies fails its task alone. */
export class SamlThread {
  readonly #places = new Shares<string>(TASKS_MAX, TASKS_OF_ADDRESS_MAX);
  readonly #workerFile: string;
  #starting: Promise<Piscina> | undefined;

  constructor(workerFile = builtWorkerFile()) {
    this.#workerFile = workerFile;
  }

  /** `address` is whose share it is. */
  async run(task: SamlTask, address: string): Promise<SamlResult | Rejection> {
    if (!this.#places.take(address)) return BUSY;
    this.#starting ??= this.#start();
    const overdue = AbortSignal.timeout(TASK_TIMEOUT_MS);
    try {
      const thread = await this.#starting;
      return await thread.run(task, { signal: overdue });
    } catch (error) {
      if (overdue.aborted) return unavailable('Signing on took too long; try again.', 5);
      throw error;
    } finally {
      this.#places.give(address);
    }
  }

  async #start(): Promise<Piscina> {
    // Most services never need it.
    const { Piscina } = await import('piscina');
    return new Piscina({
      filename: this.#workerFile,
      minThreads: 0,
      maxThreads: 1,
      // Cannot be reached: places are counted.
      maxQueue: TASKS_MAX,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      recordTiming: false,
    });
  }

  async close(): Promise<void> {
    await (await this.#starting)?.destroy();
  }
}

/** Where the build puts the worker, seen from the sources as from the build. */
function builtWorkerFile(): string {
  const here = import.meta.url;
  return fileURLToPath(
    here.endsWith('.ts') ? new URL('../../dist/src/sign-on/saml-worker.js', here) : new URL('./saml-worker.js', here),
  );
}
