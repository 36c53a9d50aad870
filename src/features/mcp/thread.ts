import { type Asker, AskerEnded } from '../../base/asker.ts';
import type { Logger } from '../../base/logger.ts';
import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import { ThreadPool } from '../../base/thread-pool.ts';
import type { InnerAnswer, InnerRequest } from '../../http/inner-calls.ts';
import type { McpCall, McpReply, McpResult, McpTask } from './thread-protocol.ts';

/** Maximum number of messages in progress: in total, and per caller. */
const MESSAGES_MAX = 64;
const MESSAGES_EACH_MAX = 8;

/** An idle thread ends after this time and returns its memory; the next message starts one. */
const IDLE_MS = 60_000;

const MEMORY_MB = 128;

const BUSY = new Rejection(
  'TooManyRequestsError',
  'Too many MCP requests of this token are in progress. Try again.',
  [],
  1,
);

interface McpThreadOptions {
  readonly workerFile: string;
  readonly logger: Logger;
  /** After this time, the requests of a message to the API are refused, so that the message ends. */
  readonly deadlineMs: number;
}

/** The thread that answers messages of MCP clients. It starts at its first use. If it dies, only the messages in progress fail. */
export class McpThread {
  readonly #options: McpThreadOptions;
  readonly #messages = new PerKeyQuota<string>(MESSAGES_MAX, MESSAGES_EACH_MAX);
  readonly #threads: ThreadPool;

  constructor(options: McpThreadOptions) {
    this.#options = options;
    this.#threads = new ThreadPool({
      purpose: 'MCP',
      logger: options.logger,
      filename: options.workerFile,
      minThreads: 0,
      maxThreads: 1,
      // Messages mostly wait for the API, which runs in the main thread.
      concurrentTasksPerWorker: MESSAGES_MAX,
      maxQueue: MESSAGES_MAX,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
  }

  /** Whether the thread was started. */
  get hasStarted(): boolean {
    return this.#threads.hasStarted;
  }

  /** The thread, for tests that terminate it. */
  get workers(): readonly { terminate(): Promise<number> }[] {
    return this.#threads.workers;
  }

  /** Answers a message. `send` makes a request to the API in the name of the caller. */
  async run(
    task: Omit<McpTask, 'port'>,
    asker: Asker,
    send: (request: InnerRequest) => Promise<InnerAnswer>,
  ): Promise<McpResult | Rejection> {
    const { holder } = asker;
    if (!this.#messages.take(holder)) return BUSY;
    const { port1, port2 } = new MessageChannel();
    const endMs = performance.now() + this.#options.deadlineMs;
    port1.on('message', ({ id, request }: McpCall) => {
      const late = asker.ended || performance.now() > endMs;
      (late ? Promise.resolve(TOO_LATE) : send(request))
        .catch((error: unknown) => {
          if (error instanceof AskerEnded) return TOO_LATE;
          this.#options.logger.error({ err: error, path: request.path }, 'a request of an MCP tool failed');
          return FAILED;
        })
        .then((answer) => port1.postMessage({ id, answer } satisfies McpReply));
    });
    try {
      const thread = await this.#threads.pool();
      return (await thread.run({ ...task, port: port2 }, { transferList: [port2 as never] })) as McpResult;
    } catch (error) {
      this.#options.logger.error({ err: error }, 'the thread of MCP failed');
      return unavailable('The MCP server of this service has failed at this message. Try again.', 1);
    } finally {
      port1.close();
      this.#messages.give(holder);
    }
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}

const refusal = (status: number, message: string): InnerAnswer => ({ status, text: JSON.stringify({ message }) });
const TOO_LATE = refusal(503, 'The request took too long.');
const FAILED = refusal(500, 'The service failed to answer this request. Its log contains the cause.');
