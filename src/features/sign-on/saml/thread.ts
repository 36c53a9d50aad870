import { builtWorker } from '../../../base/built-worker.ts';
import type { Logger } from '../../../base/logger.ts';
import { networkOf } from '../../../base/network/caller-network.ts';
import { PerKeyQuota } from '../../../base/queues/per-key-quota.ts';
import { Rejection, unavailable } from '../../../base/rejection.ts';
import { ThreadPool } from '../../../base/thread-pool.ts';
import type { SamlResult, SamlTask } from './protocol.ts';

/** Maximum number of tasks that wait or run: in total, and per network. */
const TASKS_MAX = 64;
const TASKS_OF_ADDRESS_MAX = 8;
/** Maximum number of responses to verify, counted separately because the caller controls their content. Per network, one may run and one may wait. */
const RESPONSES_MAX = 64;
const RESPONSES_OF_ADDRESS_MAX = 2;

/** The time limit of one task while it runs, including the start of the thread. After it, the thread is terminated. */
const TASK_TIMEOUT_MS = 5_000;

/** An idle thread ends after this time; the next sign-on starts one. */
const IDLE_MS = 60_000;

const MEMORY_MB = 96;

const BUSY = new Rejection('TooManyRequestsError', 'Too many people are signing on at the moment. Try again.', [], 2);

/** The thread that reads and writes SAML. It starts at its first use. If it dies, only its current task fails. */
export class SamlThread {
  readonly #tasks = new PerKeyQuota<string>(TASKS_MAX, TASKS_OF_ADDRESS_MAX);
  readonly #responses = new PerKeyQuota<string>(RESPONSES_MAX, RESPONSES_OF_ADDRESS_MAX);
  readonly #threads: ThreadPool;
  /** Settles when the last task of the queue is done. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(logger: Logger, workerFile = builtWorker('features/sign-on/saml/saml-worker')) {
    this.#threads = new ThreadPool({
      purpose: 'SAML',
      logger,
      filename: workerFile,
      minThreads: 0,
      maxThreads: 1,
      // `run` passes one task at a time.
      maxQueue: 1,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
  }

  /** Runs a task. The quota is per network of `address`, because a client can use any number of addresses of its IPv6 network. */
  async run(task: SamlTask, address: string): Promise<SamlResult | Rejection> {
    const quota = task.kind === 'validate' ? this.#responses : this.#tasks;
    const network = networkOf(address, 48);
    if (!quota.take(network)) return BUSY;
    const result = this.#last.then(() => this.#runNow(task));
    this.#last = result.catch(() => undefined);
    return result.finally(() => quota.give(network));
  }

  /** Called for one task at a time: the time limit of a task begins when it is first in the queue. */
  async #runNow(task: SamlTask): Promise<SamlResult | Rejection> {
    const thread = await this.#threads.pool();
    const timeout = AbortSignal.timeout(TASK_TIMEOUT_MS);
    try {
      return await thread.run(task, { signal: timeout });
    } catch (error) {
      if (timeout.aborted) return unavailable('Signing on took too long. Try again.', 5);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
