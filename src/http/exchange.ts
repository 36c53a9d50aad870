import type { Asker } from '../base/asking/asker.ts';
import { type Chain, Link } from '../base/lists/chain.ts';
import type { HeaderRecord } from '../base/response-head.ts';
import { statedBody, type UnreadBody } from './body/stated-body.ts';
import type { Protocol } from './endpoint.ts';
import type { BodyTaker, HttpResponse } from './front/front.ts';

/**
 * One request and its answer. A response must not be used after it was aborted or answered; this class stores that state and calls the listeners.
 */
export class Exchange extends Link implements Asker {
  readonly response: HttpResponse;
  /** Whether the method is HEAD: the answer is sent without its body. */
  readonly headOnly: boolean;
  /** Headers that are added to every answer, also to errors. */
  headers: HeaderRecord | undefined;
  /** Whether the body is complete, or nothing reads it. Until then, the server waits for the caller. */
  received = false;
  /** The part of the body that may still arrive (`expectBody`). */
  unread: UnreadBody = 'nothing';
  /** `Accept-Encoding` of the caller; "" if the answer must not be compressed. */
  acceptEncoding = '';
  /** A text that identifies the caller for quotas; "" while the caller is not known. */
  holder = '';
  /** The protocol of the route, which decides the form of errors; undefined if the route has none. */
  protocol: Protocol | undefined;
  /** Called when the answer begins, with the status, the duration since the request, and the current time. For statistics. */
  observe: ((status: number, ms: number, nowMs: number) => void) | undefined;
  /** When the request arrived (`performance.now()`); undefined if it has no deadline. */
  readonly beganMs: number | undefined;
  /** Resumes a sender that waits for the reader. */
  wake: (() => void) | undefined;
  readonly #inProgress: Chain<Exchange>;
  /** Created only for the first listener, because thousands of exchanges may begin in one turn of the event loop. */
  #endListeners: (() => void)[] | undefined;
  /** Number of consecutive checks at which the reader had read nothing since the last check; undefined while no sender waits for the reader. */
  #checksWithoutRead: number | undefined;
  #readCount = 0;
  /** Whether the body of the request is complete, so that the front's own timer may be reset (`awaitReader`). */
  #isPatient = false;
  #taker: BodyTaker | undefined;
  #answering = false;
  #over = false;
  #isExpired = false;

  /** The exchange counts as in progress from now on until it ends. */
  constructor(response: HttpResponse, headOnly: boolean, beganMs: number | undefined, inProgress: Chain<Exchange>) {
    super();
    this.response = response;
    this.beganMs = beganMs;
    this.headOnly = headOnly;
    this.#inProgress = inProgress;
    inProgress.add(this);
  }

  /** Whether the request was answered or aborted: `response` must not be used any more. */
  get over(): boolean {
    return this.#over;
  }

  /** Whether no caller waits for the handler any more: the answer was sent, the caller has left, or the deadline has passed. */
  get ended(): boolean {
    return this.#over || this.#isExpired;
  }

  /** Marks that the deadline has passed. The exchange may end later: the answer that says so may still wait for the rest of the request. */
  expire(): void {
    this.#isExpired = true;
  }

  /** Notes which body the headers of the request state. `header` returns the value of a header, "" or undefined if it is absent. */
  expectBody(header: (name: string) => string | undefined): void {
    this.unread = statedBody(header);
    this.received ||= this.unread === 'nothing';
    if (header('transfer-encoding')) this.response.expectChunks();
  }

  /**
   * Passes the body to `taker` from now on, instead of the previous taker. Only one handler is registered: the fast front must not replace a handler
   * that is running.
   */
  onBody(taker: BodyTaker): void {
    const isFirst = this.#taker === undefined;
    this.#taker = taker;
    if (!isFirst || this.#over) return;
    this.response.onData((chunk, isLast) => {
      if (isLast) {
        this.unread = 'nothing';
        this.received = true;
      }
      if (!this.#over) this.#taker?.(chunk, isLast);
    });
  }

  /** Whether `claim` has succeeded: an answer is in progress. */
  get claimed(): boolean {
    return this.#answering;
  }

  /** Calls `listener` when the exchange ends, in any way; at once if it has. */
  onEnd(listener: () => void): void {
    if (this.#over) {
      listener();
      return;
    }
    this.#endListeners ??= [];
    this.#endListeners.push(listener);
  }

  /** Returns true only once, to the code that may answer. After that the deadline does not apply, because a sent status cannot be changed. */
  claim(): boolean {
    if (this.#over || this.#answering) return false;
    this.#answering = true;
    return true;
  }

  /**
   * Marks that the sender waits, because the socket accepts no more bytes. It may wait as long as the reader reads something from time to time
   * (`ReaderWatch`). `isPatient`: the caller has sent its whole request, so the front's own timer may be reset.
   */
  awaitReader(isPatient = false): void {
    // A sender that tries again without reported space keeps waiting.
    this.#checksWithoutRead ??= 0;
    this.#isPatient = isPatient;
  }

  /** Number of times that the reader has read something. */
  get readCount(): number {
    return this.#readCount;
  }

  /** Whether a sender waits for the reader. */
  get awaitsReader(): boolean {
    return this.#checksWithoutRead !== undefined;
  }

  /** Marks that the reader has read something. */
  noteRead(): void {
    this.#readCount++;
    this.#checksWithoutRead = undefined;
  }

  /** Checks the reader. Returns the number of consecutive checks at which a sender was waiting for it; 0 if none waits now. */
  checkReader(): number {
    if (this.#checksWithoutRead === undefined) return 0;
    if (this.#isPatient) this.response.readOn();
    return ++this.#checksWithoutRead;
  }

  /** Ends the exchange once; later calls do nothing. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#inProgress.delete(this);
    this.#taker = undefined;
    for (const listener of this.#endListeners ?? []) listener();
    this.wake?.();
  }
}
