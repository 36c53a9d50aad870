import type { HttpResponse as UwsResponse } from 'uWebSockets.js';
import type { PreparedBody } from '../../../base/prepared-answer.ts';
import { type ResponseHead, reasonOf } from '../../../base/response-head.ts';
import type { Body, BodyTaker, HttpResponse } from '../front.ts';
import { offerOf, offerOfParts } from './offers.ts';
import { addressText } from './remote-address.ts';
import { utf8 } from './utf8.ts';

const CONTENT_LENGTH = Buffer.from('content-length');
const CONNECTION = Buffer.from('connection');
const CLOSE = Buffer.from('close');
/** The same, with the line break that ends the head. */
const CLOSE_AND_END = Buffer.from('close\r\n');
const LINE_BREAK = '\r\n';

/**
 * uWS closes a connection after 8 to 12 seconds without a request, and this cannot be changed. Clients that know this header send no request later than
 * this, so that none meets a connection that is being closed (docs/operate/operations.md). Part of every head, because that costs a poll nothing.
 */
const KEEP_ALIVE = 'keep-alive: timeout=7';

/**
 * The last chunk, an empty one, with a trailer, as a header: uWS writes `name: value` and a line break. uWS has no call that ends a body in parts and
 * closes the connection.
 */
const LAST_CHUNK = Buffer.from('\r\n0\r\nburgee-end');
const LAST_CHUNK_VALUE = Buffer.from('closed\r\n');

/** The time in which a caller that was sent its whole answer can close the connection itself. */
const LINGER_MS = 2_000;
/** The same, from the moment at which bytes of the answer that were unsent have moved last. uWS does not report when it has sent all of them. */
const UNSENT_MS = 30_000;

/** The answer to a request whose body is chunked. */
interface ChunkedExchange {
  aborted: boolean;
  closeAnnounced: boolean;
  /** Whether a part of a body of unknown length was written. */
  inParts: boolean;
  /** Whether the socket has accepted all parts at once. */
  flows: boolean;
  /** The bytes of a prepared body that were written in parts. */
  partBytes: number;
  /** Whether `onWritable` was called. */
  isWatched: boolean;
  /** Closes the connection (`#leaveOpen`). */
  closing: NodeJS.Timeout | undefined;
}

/**
 * An answer by uWebSockets.js. Always passes bytes to it: uWS would send a string in the encoding that V8 uses internally, and on Node 22 and newer, text
 * in the Latin-1 range would be sent as Latin-1.
 */
export class FastResponse implements HttpResponse {
  readonly #raw: UwsResponse;
  /** The bytes that uWS counted before the prepared body. */
  #bodyOffset = 0;
  /** Set if the body of the request is chunked (`expectChunks`). */
  #chunked: ChunkedExchange | undefined;

  constructor(raw: UwsResponse) {
    this.#raw = raw;
  }

  remoteAddress(): string {
    return addressText(this.#raw.getRemoteAddressAsText());
  }

  onAborted(listener: () => void): void {
    this.#raw.onAborted(() => {
      if (this.#chunked) this.#chunked.aborted = true;
      listener();
    });
  }

  /**
   * uWS does not check the two bytes after the last chunk, and knows no trailers: it reads what follows as another request. It closes the connection
   * when it finds such a request while an answer is not ended. So the end is passed in a later turn of the event loop, in which everything that arrived
   * with it was read (a promise would be resolved in the same turn), and for uWS the answer never ends (`#leaveOpen`).
   */
  expectChunks(): void {
    this.#chunked = {
      aborted: false,
      closeAnnounced: false,
      inParts: false,
      flows: true,
      partBytes: 0,
      isWatched: false,
      closing: undefined,
    };
  }

  onData(taker: BodyTaker): void {
    this.#raw.onData((chunk, isLast) => {
      const bytes = new Uint8Array(chunk);
      const chunked = this.#chunked;
      if (!isLast || !chunked) taker(bytes, isLast);
      else {
        const kept = bytes.slice();
        setImmediate(() => {
          if (!chunked.aborted) taker(kept, true);
        });
      }
    });
  }

  pause(): void {
    this.#raw.pause();
  }

  /**
   * `resume` does not restore the events of this socket, but the events that were stored last among all sockets of the process: one set for sockets with
   * unsent bytes, one for sockets without, and none before the first such pause. `pause` stores the events that the socket currently listens for, if
   * any. So a socket that was paused, and listens again because of an incomplete write, must be paused once more before it is resumed. Both together also
   * reset uWS's timer.
   */
  readOn(): void {
    this.#raw.pause();
    this.#raw.resume();
  }

  cork(write: () => void): void {
    this.#raw.cork(write);
  }

  /** Writes the whole head as if it was the status: one call, which encodes nothing. The line break that uWS adds after the status ends the last header. */
  writeHead(head: ResponseHead): void {
    head.bytes ??= Buffer.from(headText(head, [KEEP_ALIVE]), 'latin1');
    this.#raw.writeStatus(head.bytes);
  }

  writeClose(): void {
    if (this.#chunked) this.#chunked.closeAnnounced = true;
    this.#raw.writeHeader(CONNECTION, CLOSE);
  }

  writeBody(part: Body): boolean {
    const bytes = bytesOf(part);
    const chunked = this.#chunked;
    if (!chunked) return this.#raw.write(bytes);
    if (!chunked.inParts && !chunked.closeAnnounced) this.writeClose();
    chunked.inParts = true;
    const flows = this.#raw.write(bytes);
    if (!flows) chunked.flows = false;
    return flows;
  }

  /**
   * With `closeConnection`, uWS would write its header at the position of the last chunk of a body in parts, and no client accepts that as the end of an
   * answer. A stopping server closes the connection itself shortly after; otherwise the client may send its next request on it.
   */
  endBody(body: Body = '', closeConnection = false): void {
    const bytes = bytesOf(body);
    if (!this.#chunked) this.#raw.end(bytes, closeConnection);
    else if (bytes.byteLength === 0 && !this.#chunked.inParts) this.endHead(0, true);
    else {
      if (bytes.byteLength > 0) this.writeBody(bytes);
      this.#raw.writeHeader(LAST_CHUNK, LAST_CHUNK_VALUE);
      this.#leaveOpen(this.#chunked);
    }
  }

  /**
   * For uWS the answer never ends: otherwise it would serve what follows the body of the request, while anything is unsent or the caller does not close.
   * If the socket did not accept all bytes at once, the connection stays open while they move. Without a listener of `onWritable`, uWS's own timer does
   * this; with one, uWS stops its timer. A listener that is only registered here would keep uWS from sending the rest.
   */
  #leaveOpen(chunked: ChunkedExchange): void {
    if (!chunked.flows && !chunked.isWatched) return;
    const close = () => {
      if (!chunked.aborted) this.#raw.close();
    };
    chunked.closing = setTimeout(close, chunked.flows ? LINGER_MS : UNSENT_MS);
  }

  /**
   * The content-length header is written here: with the length as an argument (or `undefined`), the older uWS treats the response as unanswered and ends
   * the process.
   */
  endHead(lengthBytes: number | undefined, closeConnection: boolean): void {
    if (lengthBytes !== undefined) this.#raw.writeHeader(CONTENT_LENGTH, Buffer.from(String(lengthBytes), 'latin1'));
    if (this.#chunked) {
      this.#raw.writeHeader(CONNECTION, CLOSE_AND_END);
      this.#leaveOpen(this.#chunked);
      return;
    }
    if (closeConnection) this.writeClose();
    this.#raw.endWithoutBody();
  }

  sendBody(body: PreparedBody, sentBytes: number): boolean {
    if (this.#chunked) return this.#sendInParts(this.#chunked, body, sentBytes);
    if (sentBytes === 0) this.#bodyOffset = this.#raw.getWriteOffset();
    const { lengthBytes } = body;
    let offset = sentBytes;
    do {
      const bytes = offered(body, offset);
      const [taken, finished] = this.#raw.tryEnd(bytes, lengthBytes);
      if (finished) return true;
      if (!taken) return false;
      offset += bytes.byteLength;
    } while (offset < lengthBytes);
    return false;
  }

  /** uWS cannot close the connection after a body of known length that it sends at the reader's speed. */
  #sendInParts(chunked: ChunkedExchange, body: PreparedBody, sentBytes: number): boolean {
    chunked.partBytes = sentBytes;
    while (chunked.partBytes < body.lengthBytes) {
      const bytes = offered(body, chunked.partBytes);
      chunked.partBytes += bytes.byteLength;
      if (!this.writeBody(bytes)) return false;
    }
    this.endBody();
    return true;
  }

  onWritable(listener: (sentBytes: number) => boolean): void {
    const chunked = this.#chunked;
    if (!chunked) {
      this.#raw.onWritable((offset) => listener(offset - this.#bodyOffset));
      return;
    }
    chunked.isWatched = true;
    this.#raw.onWritable(() => {
      chunked.closing?.refresh();
      return listener(chunked.partBytes);
    });
  }

  /**
   * After a response is ended, uWS drops further data without a limit. So the answer is written as if all of it was the status; the line break that uWS
   * appends is the end of the body, or of the head without a body.
   */
  writeEarly(head: ResponseHead, body: Body): void {
    const bytes = bytesOf(body);
    const length = bytes.length > 0 ? `\r\ncontent-length: ${bytes.length + LINE_BREAK.length}\r\n\r\n` : LINE_BREAK;
    const answer = Buffer.concat([Buffer.from(headText(head, []) + length, 'latin1'), bytes]);
    this.#raw.cork(() => {
      this.#raw.writeStatus(answer);
    });
  }

  observeStatus(listener: (status: number) => void): void {
    const raw = this.#raw;
    const writeStatus = raw.writeStatus;
    raw.writeStatus = (status) => {
      const digits = status as Uint8Array;
      listener(Number.parseInt(Buffer.from(digits.buffer, digits.byteOffset, 3).toString('latin1'), 10));
      return writeStatus.call(raw, status);
    };
  }

  close(): void {
    this.#raw.close();
  }
}

function bytesOf(body: Body): Uint8Array {
  return typeof body === 'string' ? utf8(body) : body;
}

function offered({ parts, buffer }: PreparedBody, offset: number): Uint8Array {
  return buffer ? offerOf(buffer, offset) : offerOfParts(parts, offset);
}

/** The head between `HTTP/1.1 ` and its last line break, with these lines added. */
function headText({ status, fields }: ResponseHead, lines: readonly string[]): string {
  let text = `${status} ${reasonOf(status)}`;
  for (const line of lines) text += `\r\n${line}`;
  for (let at = 0; at < fields.length; at += 2) text += `\r\n${fields[at]}: ${fields[at + 1]}`;
  return text;
}
