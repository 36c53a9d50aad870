import type { Channel, Frame } from '../../base/queues/channel.ts';
import { responseHead } from '../../base/response-head.ts';
import type { Caller } from '../../model/caller.ts';
import type { Access } from '../access.ts';
import type { Receipts, SubscribedEndpoint } from '../endpoint.ts';
import type { Exchange } from '../exchange.ts';
import type { CopiedRequest } from '../request.ts';

/** Bytes passed to a socket at a time: the maximum that the process buffers for a reader that does not read. */
const PIECE_BYTES = 64 * 1024;

/** Pieces passed to one socket in one turn: a socket may accept megabytes, and many of them do when a fleet connects. */
const TURN_PIECES = 4;

/** Without a referrer, because the address of a stream may contain the right to it. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'x-accel-buffering': 'no',
  'referrer-policy': 'no-referrer',
};

/** A comment line, which every reader of events ignores. */
const COMMENT = Buffer.from(':\n\n');

/** Provides the frames that a subscriber has not received yet. */
export interface FrameSource {
  readonly channel: Channel;
  /** A frame from position `from` to a newer position. Undefined: the frame is not ready yet, and `advance` will be called again. */
  next(from: string | undefined): Frame | undefined;
  /** Calls `work` in a later turn, which has time for it. `work` must not throw. */
  later(work: () => void): void;
}

/** What a stream needs of its route. */
export interface SubscribedRoute extends Pick<SubscribedEndpoint<never>, 'received' | 'isCurrent'> {
  readonly access: Access;
}

/** One open stream. If its reader is slow, the stream skips intermediate changes and sends all missed changes in one frame. */
export class Subscriber {
  readonly route: SubscribedRoute;
  readonly caller: Caller;
  readonly request: CopiedRequest;
  readonly exchange: Exchange;
  readonly #source: FrameSource;
  readonly #receipts: Receipts | undefined;
  /** The revision that the reader has when everything that was sent has arrived. */
  #revision: string | undefined;
  #frame: Frame | undefined;
  /** The notice of the channel that was sent. */
  #notice: Uint8Array | undefined;
  #sentBytes = 0;
  /** Whether the subscriber must wait until the socket accepts more bytes. */
  #blocked = false;
  /** Whether it continues in a later turn. */
  #isQueued = false;
  #wroteAtMs = 0;
  #failed: (error: unknown) => void = () => {};

  /** `revision` is the revision that the reader reported; undefined if it reported none. */
  constructor(
    exchange: Exchange,
    { route, caller, request }: Pick<Subscriber, 'route' | 'caller' | 'request'>,
    source: FrameSource,
    revision: string | undefined,
    receipts: Receipts | undefined,
  ) {
    this.exchange = exchange;
    this.route = route;
    this.caller = caller;
    this.request = request;
    this.#source = source;
    this.#revision = revision;
    this.#receipts = receipts;
  }

  /** Sends the head of the answer and the reconnection delay. `failed` is called with errors that occur in later turns. */
  begin(nowMs: number, retryMs: number, failed: (error: unknown) => void): void {
    const { response, headers } = this.exchange;
    this.#failed = failed;
    // Registered only once: the fast front drops a handler that is set while another one runs. Hundreds of sockets may be writable in one turn, so
    // nothing is written here.
    response.onWritable(() => {
      this.#blocked = false;
      this.exchange.noteRead();
      this.#advanceLater();
      return true;
    });
    this.#wroteAtMs = nowMs;
    response.cork(() => {
      response.writeHead(responseHead(200, headers, STREAM_HEADERS));
      this.#write(Buffer.from(`retry: ${retryMs}\n\n`));
    });
  }

  /** Sends the changes that the reader has not received yet, until the socket accepts no more bytes. Continues in later turns after a few pieces. */
  advance(nowMs: number): void {
    const { response } = this.exchange;
    for (let pieces = 0; !this.#blocked && !this.exchange.over; pieces++) {
      if (pieces === TURN_PIECES) {
        this.#advanceLater();
        return;
      }
      if (this.#frame === undefined) {
        if (this.#revision === this.#source.channel.revision) return;
        this.#frame = this.#source.next(this.#revision);
        this.#sentBytes = 0;
        if (this.#frame === undefined) return;
      }
      const { head, bytes, revision, release } = this.#frame;
      const begin = this.#sentBytes === 0 ? head : undefined;
      const isShort = this.#sentBytes === 0 && bytes.byteLength <= PIECE_BYTES;
      const piece = isShort ? bytes : bytes.subarray(this.#sentBytes, this.#sentBytes + PIECE_BYTES);
      this.#sentBytes += piece.byteLength;
      if (piece.byteLength > 0) {
        response.cork(() => {
          if (begin) response.writeBody(begin);
          this.#write(piece);
        });
        this.#wroteAtMs = nowMs;
      }
      if (this.#sentBytes < bytes.byteLength) continue;
      this.#revision = revision;
      this.#frame = undefined;
      this.#receipts?.recordReceipt(revision);
      release?.();
    }
  }

  #advanceLater(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    this.#source.later(() => {
      this.#isQueued = false;
      try {
        this.advance(performance.now());
      } catch (error) {
        this.#failed(error);
      }
    });
  }

  /**
   * Whether the reader is up to date and has not got the notice of the channel yet. If there is no notice any more, the same notice may be sent again
   * later.
   */
  get awaitsNotice(): boolean {
    const { notice, revision } = this.#source.channel;
    if (notice === undefined) this.#notice = undefined;
    return notice !== this.#notice && !this.#blocked && this.#frame === undefined && this.#revision === revision;
  }

  /** Sends the notice of the channel, if the reader awaits it. */
  notify(nowMs: number): void {
    const { notice } = this.#source.channel;
    if (this.exchange.over || notice === undefined || !this.awaitsNotice) return;
    this.#notice = notice;
    this.exchange.response.cork(() => this.#write(notice));
    this.#wroteAtMs = nowMs;
  }

  /** Sends a heartbeat if nothing else was sent for `afterMs`. */
  keepAlive(nowMs: number, afterMs: number): void {
    if (this.#blocked || this.#frame || nowMs - this.#wroteAtMs < afterMs) return;
    const { response } = this.exchange;
    response.cork(() => {
      this.#write(COMMENT);
    });
    this.#wroteAtMs = nowMs;
  }

  #write(bytes: Uint8Array): void {
    this.#blocked = !this.exchange.response.writeBody(bytes);
    if (this.#blocked) this.exchange.awaitReader();
  }

  /** Ends the answer after the last whole frame; a partially sent frame is cut, so that no client accepts it as a whole one. */
  end(): void {
    const { exchange } = this;
    if (exchange.over) return;
    if (this.#blocked || this.#frame) exchange.response.close();
    else exchange.response.cork(() => exchange.response.endBody());
    exchange.end();
  }
}
