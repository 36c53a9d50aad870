import type { HttpResponse } from 'uWebSockets.js';
import type { ResponseHead } from '../base/response-head.ts';

/**
 * Only this file passes data to uWS for sending, and always as bytes. uWS would send a string in the encoding that V8 uses internally: on Node 22 and
 * newer, text in the Latin-1 range would be sent as Latin-1.
 */

const NOTHING = new Uint8Array(0);
const CONTENT_LENGTH = Buffer.from('content-length');
const CONNECTION = Buffer.from('connection');
const CLOSE = Buffer.from('close');
const LINE_BREAK = '\r\n';

/** Writes the whole head as if it was the status. The line break that uWS adds after the status ends the last header. */
export function writeHead(response: HttpResponse, head: ResponseHead): void {
  response.writeStatus(head);
}

/** Writes the header that announces the end of the connection. For answers that do not end with `endBody`, which writes this header itself. */
export function writeClose(response: HttpResponse): void {
  response.writeHeader(CONNECTION, CLOSE);
}

/** Writes a part of a body of unknown length. Returns false if the next write must wait for the reader. */
export function writeBody(response: HttpResponse, bytes: Uint8Array): boolean {
  return response.write(bytes);
}

/**
 * Writes the whole body, or the end of a body that was written in pieces. In the second case `closeConnection` must be false: uWS would write the
 * header at the position of the last chunk, and no client accepts that as the end of an answer. A stopping server closes the connection itself
 * shortly after; otherwise the client may send its next request on it.
 */
export function endBody(response: HttpResponse, bytes: Uint8Array = NOTHING, closeConnection = false): void {
  response.end(bytes, closeConnection);
}

/** Writes as many of the bytes as the socket accepts. `lengthBytes`: the length of the whole body. */
export function tryEnd(
  response: HttpResponse,
  bytes: Uint8Array,
  lengthBytes: number,
): [taken: boolean, done: boolean] {
  return response.tryEnd(bytes, lengthBytes);
}

/**
 * Ends a response that has no body. The content-length header is written here: with the length as an argument (or `undefined`), the older uWS treats
 * the response as unanswered and ends the process.
 */
export function endHead(response: HttpResponse, lengthBytes: number | undefined, closeConnection: boolean): void {
  if (lengthBytes !== undefined) response.writeHeader(CONTENT_LENGTH, Buffer.from(String(lengthBytes), 'latin1'));
  if (closeConnection) writeClose(response);
  response.endWithoutBody();
}

/**
 * Writes a whole answer to a request whose body must still be received from uWS: after a response is ended, uWS silently drops further data without a
 * limit. So the answer is written as if all of it was the status; the line break that uWS appends is the end of the body, or of the head without a
 * body. The caller must close the connection afterwards, and announce it in the head.
 */
export function writeAnswer(response: HttpResponse, head: ResponseHead, body: Uint8Array): void {
  const length = body.length > 0 ? `\r\ncontent-length: ${body.length + LINE_BREAK.length}\r\n\r\n` : LINE_BREAK;
  const answer = Buffer.concat([head, Buffer.from(length, 'latin1'), body]);
  response.cork(() => {
    response.writeStatus(answer);
  });
}

/** Calls `listener` with the status when the answer is sent. For logging. */
export function observeStatus(response: HttpResponse, listener: (status: number) => void): void {
  const writeStatus = response.writeStatus;
  response.writeStatus = (status) => {
    const digits = status as Uint8Array;
    listener(Number.parseInt(Buffer.from(digits.buffer, digits.byteOffset, 3).toString('latin1'), 10));
    return writeStatus.call(response, status);
  };
}

/**
 * Lets the socket read, and report buffer space, again; also resets uWebSockets.js's timer. If the socket was not paused, it does nothing else.
 *
 * `resume` does not restore the events of this socket, but the events that were stored last among all sockets of the process: one set for sockets
 * with unsent bytes, one for sockets without, and none before the first such pause. `pause` stores the events that the socket currently listens for,
 * if any. So a socket that was paused, and listens again because of an incomplete write, must be paused once more before it is resumed.
 */
export function readOn(response: HttpResponse): void {
  response.pause();
  response.resume();
}
