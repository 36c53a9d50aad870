import type { HttpResponse } from 'uWebSockets.js';
import type { ResponseHead } from '../base/response-head.ts';

/**
 * The only file that gives uWS anything to send, and all of it is bytes. A string would be sent in whichever encoding V8 happens to keep it: on
 * Node 22 and newer, text of the Latin-1 range goes out as Latin-1.
 */

const NOTHING = new Uint8Array(0);
const CONTENT_LENGTH = Buffer.from('content-length');
const CONNECTION = Buffer.from('connection');
const CLOSE = Buffer.from('close');
const LINE_BREAK = '\r\n';

/** uWS ends what it takes for the status with the line break that ends the last header. */
export function writeHead(response: HttpResponse, head: ResponseHead): void {
  response.writeStatus(head);
}

/** Says that the connection will be closed; for answers that are not ended by `endBody`, which says so itself. */
export function writeClose(response: HttpResponse): void {
  response.writeHeader(CONNECTION, CLOSE);
}

/** Some of a body whose length is not known. False when the reader has to be waited for. */
export function writeBody(response: HttpResponse, bytes: Uint8Array): boolean {
  return response.write(bytes);
}

/**
 * All of the body, or the end of one that was written in pieces. Of such a one, `closeConnection` must be false: uWS would write the header that says so
 * where the last chunk belongs, and no client takes that for the end of an answer. A server that stops closes the connection itself, a moment later; any
 * other client may send its next request on it.
 */
export function endBody(response: HttpResponse, bytes: Uint8Array = NOTHING, closeConnection = false): void {
  response.end(bytes, closeConnection);
}

/** As many of the bytes as the socket takes, of a body of `lengthBytes`. */
export function tryEnd(
  response: HttpResponse,
  bytes: Uint8Array,
  lengthBytes: number,
): [taken: boolean, done: boolean] {
  return response.tryEnd(bytes, lengthBytes);
}

/**
 * Ends a response that has no body. The length is written by hand: with the length as an argument (or `undefined`), the older uWS takes the
 * response for unanswered, and that ends the process.
 */
export function endHead(response: HttpResponse, lengthBytes: number | undefined, closeConnection: boolean): void {
  if (lengthBytes !== undefined) response.writeHeader(CONTENT_LENGTH, Buffer.from(String(lengthBytes), 'latin1'));
  if (closeConnection) writeClose(response);
  response.endWithoutBody();
}

/**
 * A whole answer to a request whose body uWS is to go on giving: once a response is ended, uWS drops what still comes without a bound and without a word. So it is
 * written as if all of it were the status; the line break that uWS puts behind that is the end of the body, or of the head where there is no body. A caller of
 * this closes the connection afterwards, and says so in the head.
 */
export function writeAnswer(response: HttpResponse, head: ResponseHead, body: Uint8Array): void {
  const length = body.length > 0 ? `\r\ncontent-length: ${body.length + LINE_BREAK.length}\r\n\r\n` : LINE_BREAK;
  const answer = Buffer.concat([head, Buffer.from(length, 'latin1'), body]);
  response.cork(() => {
    response.writeStatus(answer);
  });
}

/** Calls `listener` with the status of the answer, when it is sent. For logging. */
export function observeStatus(response: HttpResponse, listener: (status: number) => void): void {
  const writeStatus = response.writeStatus;
  response.writeStatus = (status) => {
    const digits = status as Uint8Array;
    listener(Number.parseInt(Buffer.from(digits.buffer, digits.byteOffset, 3).toString('latin1'), 10));
    return writeStatus.call(response, status);
  };
}

/**
 * Has the socket read, and report room, again; sets uWebSockets.js's timer anew, too. Where the socket was not paused that is all it does.
 *
 * What `resume` goes on with is not what this socket was paused with, but what was remembered last, of all sockets of the process: one thing for those that hold
 * unsent bytes, one for those that do not, and nothing at all before the first such pause. `pause` remembers what the socket listens for at present, if it does.
 * So a socket that was paused, and has listened again since because of a write that it did not take whole, is paused once more before it goes on.
 */
export function readOn(response: HttpResponse): void {
  response.pause();
  response.resume();
}
