import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PreparedBody } from '../../../base/prepared-answer.ts';
import { type ResponseHead, reasonOf } from '../../../base/response-head.ts';
import { type Body, type BodyTaker, DROPPED_BYTES_MAX, type HttpResponse, LINGER_MS } from '../front.ts';

const NOTHING = new Uint8Array(0);
const MAPPED_V4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Bytes of a prepared body that are passed to the socket before it reports space. They are shared with other answers and not copied. */
const OFFER_BYTES = 1024 * 1024;
/** Parts of a prepared body up to this size are joined: a copy costs less than further writes. */
const JOINED_BYTES_MAX = 64 * 1024;

/** Connections whose end was announced. */
const closing = new WeakSet<Socket>();

/** Whether the end of the connection was announced: requests that follow are not served, although Node's parser passes them. */
export const isClosing = (socket: Socket): boolean => closing.has(socket);

/** To be called with the head that announces the end of the connection. */
export const announceEnd = (socket: Socket): void => {
  closing.add(socket);
};

/** An answer by Node's server. */
export class NodeResponse implements HttpResponse {
  readonly #response: ServerResponse;
  readonly #message: IncomingMessage;
  /** Whether the caller waits for `100 Continue` before it sends the body. */
  readonly #awaitsContinue: boolean;
  #head: ResponseHead | undefined;
  #closes = false;
  /** Bytes of a prepared body that were passed to the socket. */
  #sentBytes = 0;
  #writable: ((sentBytes: number) => boolean) | undefined;
  #observer: ((status: number) => void) | undefined;

  constructor(response: ServerResponse, message: IncomingMessage, awaitsContinue: boolean) {
    this.#response = response;
    this.#message = message;
    this.#awaitsContinue = awaitsContinue;
  }

  remoteAddress(): string {
    const address = this.#message.socket.remoteAddress ?? '';
    return MAPPED_V4.exec(address)?.[1] ?? address;
  }

  /** Node reports `timeout` if nothing was received or sent for a while, and closes the connection if nobody listens. */
  onAborted(listener: () => void): void {
    const response = this.#response;
    const { socket } = this.#message;
    response.on('close', () => {
      if (!response.writableFinished) listener();
    });
    response.on('error', listener);
    response.on('timeout', () => {
      const isWaiting = this.#message.complete && socket.writableLength === 0;
      if (isWaiting) socket.setTimeout(socket.timeout ?? 0);
      else socket.destroy();
    });
  }

  /** Node checks where a chunked body ends. */
  expectChunks(): void {}

  onData(taker: BodyTaker): void {
    if (this.#awaitsContinue) this.#response.writeContinue();
    this.#message.on('data', (chunk: Uint8Array) => taker(chunk, false));
    this.#message.on('end', () => taker(NOTHING, true));
  }

  pause(): void {
    this.#message.pause();
  }

  readOn(): void {
    if (this.#message.isPaused()) this.#message.resume();
  }

  /**
   * Node combines the writes of one turn itself. Its own `cork` of a response must not be used with writes that wait for space: on newer Node, such a
   * write can return false although the socket takes all of it later, and then no `drain` follows.
   */
  cork(write: () => void): void {
    write();
  }

  /** Node writes a head in one call, when it is known how the body is sent. */
  writeHead(head: ResponseHead): void {
    this.#head = head;
  }

  writeClose(): void {
    this.#closes = true;
  }

  writeBody(part: Body): boolean {
    this.#begin();
    return this.#response.write(part);
  }

  endBody(body: Body = '', closeConnection = false): void {
    if (this.#head) {
      this.#closes ||= closeConnection;
      this.#begin(Buffer.byteLength(body));
    }
    this.#end(body);
  }

  endHead(lengthBytes: number | undefined, closeConnection: boolean): void {
    this.#closes ||= closeConnection;
    this.#begin(lengthBytes);
    this.#end('');
  }

  sendBody({ parts, buffer, lengthBytes }: PreparedBody, sentBytes: number): boolean {
    if (sentBytes === 0) {
      this.#begin(lengthBytes);
      const whole = buffer ?? (lengthBytes <= JOINED_BYTES_MAX ? Buffer.concat(parts) : undefined);
      if (whole && lengthBytes <= OFFER_BYTES) {
        this.#end(whole);
        return true;
      }
    }
    this.#sentBytes = sentBytes;
    const hasSpace = this.#offer(buffer ? [buffer] : parts);
    if (this.#sentBytes < lengthBytes || !hasSpace) return false;
    this.#end('');
    return true;
  }

  /** Passes the next bytes to the socket. Returns whether the next ones need not wait for the reader. */
  #offer(parts: readonly Uint8Array[]): boolean {
    const from = this.#sentBytes;
    let end = 0;
    let hasSpace = true;
    for (const part of parts) {
      const start = end;
      end += part.byteLength;
      if (end <= from) continue;
      if (this.#sentBytes - from >= OFFER_BYTES) break;
      const rest = part.subarray(Math.max(0, from - start), from + OFFER_BYTES - start);
      if (rest.byteLength === 0) continue;
      hasSpace = this.#response.write(rest);
      this.#sentBytes += rest.byteLength;
    }
    return hasSpace;
  }

  onWritable(listener: (sentBytes: number) => boolean): void {
    if (this.#writable === undefined) this.#response.on('drain', () => this.#writable?.(this.#sentBytes));
    this.#writable = listener;
  }

  /** The answer is complete for the caller, because its length is known; Node would close the connection, and the caller would lose it, after `end`. */
  writeEarly(head: ResponseHead, body: Body): void {
    this.#head = head;
    announceEnd(this.#message.socket);
    this.#begin(Buffer.byteLength(body));
    if (body.length > 0) this.#response.write(body);
    else this.#response.flushHeaders();
  }

  observeStatus(listener: (status: number) => void): void {
    this.#observer = listener;
  }

  close(): void {
    this.#message.socket.destroy();
  }

  #end(body: Body): void {
    if (this.#closes && !this.#message.complete) lingerAfterAnswer(this.#message);
    if (body.length > 0) this.#response.end(body);
    else this.#response.end();
  }

  /** Writes the head. `lengthBytes`: the length of the body; undefined if it is not known, or the head has it. */
  #begin(lengthBytes?: number): void {
    const head = this.#head;
    if (head === undefined) return;
    this.#head = undefined;
    this.#observer?.(head.status);
    const fields = [...head.fields];
    if (lengthBytes !== undefined) fields.push('content-length', String(lengthBytes));
    if (this.#closes) {
      fields.push('connection', 'close');
      announceEnd(this.#message.socket);
    }
    this.#response.writeHead(head.status, reasonOf(head.status), fields);
  }
}

/**
 * Node calls `destroySoon` after an answer that announces the end of the connection. While the caller still sends its body, the connection would be reset
 * and the answer lost: so only our side is closed, and the body is read and dropped for a while.
 */
function lingerAfterAnswer(message: IncomingMessage): void {
  const { socket } = message;
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.on('close', () => clearTimeout(timer));
  };
  let droppedBytes = 0;
  message.on('data', (chunk: Uint8Array) => {
    droppedBytes += chunk.byteLength;
    if (droppedBytes > DROPPED_BYTES_MAX) message.pause();
  });
  message.resume();
}
