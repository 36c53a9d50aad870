import { SERVICE } from '../base/asking/asker.ts';
import { Chain } from '../base/lists/chain.ts';
import type { Logger } from '../base/logger.ts';
import { Rejection } from '../base/rejection.ts';
import { SLICE_BUDGET_MS, SliceClock, Slicer } from '../base/yield-control.ts';
import { answerAndClose } from './body/unread-body.ts';
import { Exchange } from './exchange.ts';
import type { HttpResponse } from './front/front.ts';
import { isEndUnclear } from './header-list.ts';
import { isCompressed, sendCompressed } from './sending/compressed.ts';
import { type EncodedAnswer, encodeDefect, encodeRejection } from './sending/encoded-answer.ts';
import { sendPieces, sendWhole } from './sending/send.ts';

const NOT_RECEIVED = new Rejection('RequestTimeoutError', 'The body did not arrive in time.');
/** This answer has no `Retry-After`: with this header, some HTTP clients repeat a request automatically, and would make a change twice. */
const NOT_FINISHED = new Rejection(
  'ServiceUnavailableError',
  'The request was not finished in time. A write may still take effect: read what it changes before you repeat it.',
);

/**
 * Minimum interval between checks of deadlines. Each check visits all open streams. Without the minimum, a client that leaves requests open, one
 * request per millisecond, would cause a thousand checks per second.
 */
const CHECK_EVERY_MS = 25;

/** The exchanges in progress. Each is ended exactly once: by its answer, by its deadline, or when the caller disconnects. */
export class Exchanges {
  readonly #logger: Logger;
  readonly #deadlineMs: number;
  /** The exchanges in the order in which they began. */
  readonly #inProgress = new Chain<Exchange>();
  /** One timer for all exchanges: one timer per request would cost more than most requests. */
  #deadline: NodeJS.Timeout | undefined;
  /** Whether the server is stopping: every answer then closes its connection. */
  draining = false;

  constructor(logger: Logger, deadlineMs: number) {
    this.#logger = logger;
    this.#deadlineMs = deadlineMs;
  }

  get count(): number {
    return this.#inProgress.size;
  }

  /** The exchange counts as in progress until it ends. Replaces an earlier `onAborted` listener. */
  track(response: HttpResponse, headOnly: boolean): Exchange {
    return this.#add(response, headOnly, undefined);
  }

  /** Same as `track`, but the exchange is also answered when its deadline passes without an answer. */
  begin(response: HttpResponse, headOnly: boolean): Exchange {
    this.#deadline ??= this.#setDeadlineTimer(this.#deadlineMs);
    return this.#add(response, headOnly, performance.now());
  }

  #add(response: HttpResponse, headOnly: boolean, beganMs: number | undefined): Exchange {
    const exchange = new Exchange(response, headOnly, beganMs, this.#inProgress);
    response.onAborted(() => exchange.end());
    return exchange;
  }

  #setDeadlineTimer(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#expire(), Math.max(CHECK_EVERY_MS, Math.ceil(delayMs))).unref();
  }

  /** Answers the exchanges whose deadline has passed, and sets the timer for the next deadline. */
  #expire(): void {
    this.#deadline = undefined;
    const expiredMs = performance.now() - this.#deadlineMs;
    const slice = new SliceClock(SLICE_BUDGET_MS);
    for (const exchange of this.#inProgress) {
      if (exchange.beganMs === undefined || exchange.claimed) continue;
      // The deadline has not passed, or the time slice is used up: thousands of exchanges may have begun at the same time.
      if (exchange.beganMs > expiredMs || slice.spent) {
        this.#deadline = this.#setDeadlineTimer(exchange.beganMs - expiredMs);
        return;
      }
      const rejection = exchange.received ? NOT_FINISHED : NOT_RECEIVED;
      exchange.expire();
      this.finish(exchange, encodeRejection(rejection, {}, exchange.protocol), true);
    }
  }

  /** Checks all readers once, and closes the connections whose readers have read nothing at more than `checksMax` consecutive checks. */
  async cutStalled(checksMax: number): Promise<void> {
    // Work of the service: it is done for all connections.
    const slicer = Slicer.of(SERVICE);
    for (const exchange of [...this.#inProgress]) {
      if (exchange.over || exchange.checkReader() <= checksMax) continue;
      this.#close(exchange);
      if (slicer.spent) await slicer.pause();
    }
  }

  /** Sends the answer, unless the exchange is already answered or the caller has left. Never throws. */
  finish(exchange: Exchange, encoded: EncodedAnswer, closeConnection = this.draining): void {
    if (!exchange.claim()) return;
    const { headers, response, headOnly } = exchange;
    if (exchange.observe) {
      const nowMs = performance.now();
      exchange.observe(encoded.status, nowMs - (exchange.beganMs ?? nowMs), nowMs);
    }
    if (encoded.pieces) {
      void sendPieces(exchange, encoded, closeConnection, (error) => encodeDefect(error, 'pieces', this.#logger));
      return;
    }
    try {
      if (exchange.unread === 'long' || (exchange.unread === 'short' && closeConnection)) {
        answerAndClose(exchange, encoded);
        return;
      }
      if (isCompressed(exchange, encoded)) {
        sendCompressed(exchange, encoded, closeConnection)?.catch((error: unknown) => this.cut(exchange, error));
        return;
      }
      sendWhole(response, encoded, headers, headOnly, closeConnection);
      exchange.end();
    } catch (error) {
      this.cut(exchange, error);
    }
  }

  /** Answers 500, or closes the connection if the answer has already begun. */
  fail(exchange: Exchange, error: unknown, operationId: string): void {
    // The caller has left or was answered: an error that this caused is no defect.
    if (exchange.ended) return;
    if (exchange.claimed) this.cut(exchange, error);
    else this.finish(exchange, encodeDefect(error, operationId, this.#logger, exchange.protocol));
  }

  /** Answers a request whose head was refused. Closes the connection if the end of the request is unclear. */
  refuse(exchange: Exchange, rejection: Rejection): void {
    if (isEndUnclear(rejection)) this.#refuseAndClose(exchange, rejection);
    else this.finish(exchange, encodeRejection(rejection, {}, exchange.protocol));
  }

  /**
   * Answers and closes the connection, in the next turn of the event loop. Until the answer, the fast front closes the connection if it finds another
   * request in the received bytes. After an immediate answer, it would serve that request, although the caller may have sent these bytes as a body.
   */
  #refuseAndClose(exchange: Exchange, rejection: Rejection): void {
    exchange.unread = 'nothing';
    setImmediate(() => this.finish(exchange, encodeRejection(rejection, {}, exchange.protocol), true));
  }

  private cut(exchange: Exchange, error: unknown): void {
    if (exchange.over) return;
    this.#logger.error({ err: error }, 'sending an answer failed; its connection was closed');
    this.#close(exchange);
  }

  #close(exchange: Exchange): void {
    try {
      exchange.response.close();
    } catch {
      // The response was already answered or aborted.
    }
    exchange.end();
  }
}
