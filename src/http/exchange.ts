import type { HttpResponse } from 'uWebSockets.js';
import { type Chain, Link } from '../base/chain.ts';
import type { HeaderRecord } from '../base/response-head.ts';
import type { Unread } from './body/stated-body.ts';
import { readOn } from './wire.ts';

/** Takes what comes of a body; uWS takes the chunk back after the call. */
export type BodyTaker = (chunk: ArrayBuffer, isLast: boolean) => void;

/** A response of uWS may not be touched once it was aborted or answered; this remembers which, and whose listeners must be called. */
export class Exchange extends Link {
  readonly response: HttpResponse;
  /** Asked with HEAD: the answer is sent without its body. */
  readonly headOnly: boolean;
  /** Sent with whatever the answer is, errors included. */
  headers: HeaderRecord | undefined;
  /** Whether the body is complete: until then it is the caller who is waited for. */
  received = false;
  /** The part of the body that may still arrive; set by the code that has read the head. */
  unread: Unread = 'nothing';
  /** The caller, once it is known. */
  holder = '';
  /** Called with the status when the answer begins, and with the time since the request; for stats. */
  observe: ((status: number, ms: number, nowMs: number) => void) | undefined;
  /** When the request came, on the clock of `performance`; undefined for those without a deadline. */
  readonly beganMs: number | undefined;
  /** Resumes a sender that waits for the reader. */
  wake: (() => void) | undefined;
  readonly #underWay: Chain<Exchange>;
  /** Made for the first listener: thousands of exchanges may begin in one turn of the loop. */
  #onOver: (() => void)[] | undefined;
  /** Number of consecutive checks at which the reader had read nothing; undefined while nothing waits for the reader. */
  #stillLooks: number | undefined;
  #takes = 0;
  /** Whether nothing else is to come from the reader. */
  #isPatient = false;
  #taker: BodyTaker | undefined;
  #answering = false;
  #over = false;

  /** Counts as in progress from here on until it ends. */
  constructor(response: HttpResponse, headOnly: boolean, beganMs: number | undefined, underWay: Chain<Exchange>) {
    super();
    this.response = response;
    this.beganMs = beganMs;
    this.headOnly = headOnly;
    this.#underWay = underWay;
    underWay.add(this);
  }

  /** Answered or aborted: hands off. */
  get over(): boolean {
    return this.#over;
  }

  /** Hands the body to `taker` from now on, instead of the taker before, which uWS must not be made to forget while it calls it. */
  onBody(taker: BodyTaker): void {
    const isFirst = this.#taker === undefined;
    this.#taker = taker;
    if (!isFirst || this.#over) return;
    this.response.onData((chunk, isLast) => {
      if (isLast) this.unread = 'nothing';
      if (!this.#over) this.#taker?.(chunk, isLast);
    });
  }

  /** An answer is being made. */
  get claimed(): boolean {
    return this.#answering;
  }

  /** Calls `listener` when the exchange ends, in any way. */
  onEnd(listener: () => void): void {
    this.#onOver ??= [];
    this.#onOver.push(listener);
  }

  /** True once, for the code that may answer. From then on the deadline is off: a status that was sent cannot be taken back. */
  claim(): boolean {
    if (this.#over || this.#answering) return false;
    this.#answering = true;
    return true;
  }

  /**
   * The socket accepts no more: the sender waits, as long as the reader reads something from time to time (`ReaderWatch`). `isPatient`: the reader has
   * nothing more to send, so uWS's own timer may be reset.
   */
  awaitReader(isPatient = false): void {
    // A sender that tries again without reported space keeps waiting.
    this.#stillLooks ??= 0;
    this.#isPatient = isPatient;
  }

  /** How often the reader has read something. */
  get takes(): number {
    return this.#takes;
  }

  /** Whether something waits for the reader. */
  get awaitsReader(): boolean {
    return this.#stillLooks !== undefined;
  }

  /** The reader has read something. */
  readerTook(): void {
    this.#takes++;
    this.#stillLooks = undefined;
  }

  /** Looks whether the reader is waited for, and answers at how many looks in a row he was. */
  lookAtReader(): number {
    if (this.#stillLooks === undefined) return 0;
    if (this.#isPatient) readOn(this.response);
    return ++this.#stillLooks;
  }

  /** Ends the exchange once; later calls do nothing. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#underWay.delete(this);
    this.#taker = undefined;
    for (const listener of this.#onOver ?? []) listener();
    this.wake?.();
  }
}
