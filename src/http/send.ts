import type { HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { Slicer } from '../base/yield-control.ts';
import type { EncodedAnswer } from './encoding.ts';
import type { PreparedBody, StreamAnswer } from './endpoint.ts';
import type { Exchange } from './exchange.ts';

/** "404 Not Found" */
export function statusLine(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
}

/** Statuses whose answers have no body by definition, not even an empty one. */
function isBodyless(status: number): boolean {
  return status === 204 || status === 304;
}

/** Sends an answer that is text or nothing, whole. Whoever asked with HEAD gets the same head and nothing else. */
export function sendText(
  response: HttpResponse,
  { status, headers, text = '' }: EncodedAnswer,
  headOnly: boolean,
  closeConnection: boolean,
): void {
  response.cork(() => {
    response.writeStatus(statusLine(status));
    for (const name in headers) response.writeHeader(name, headers[name] ?? '');
    if (headOnly) endHead(response, Buffer.byteLength(text), closeConnection);
    else if (isBodyless(status)) endHead(response, undefined, closeConnection);
    else response.end(text, closeConnection);
  });
}

/**
 * Ends a response that has no body. The length is written by hand: told it as an argument (or told `undefined`), the older uWS takes the
 * response for unanswered, and that ends the process.
 */
export function endHead(response: HttpResponse, lengthBytes: number | undefined, closeConnection: boolean): void {
  if (lengthBytes !== undefined) response.writeHeader('content-length', String(lengthBytes));
  if (closeConnection) response.writeHeader('connection', 'close');
  response.endWithoutBody();
}

/**
 * Sends the body from `sentBytes` on. True when all of it was taken; otherwise uWS took some, and its write offset tells how much. Parts are
 * sent from where they lie: ten thousand slow readers of a large list share one copy of it.
 */
export function trySend(response: HttpResponse, { parts, lengthBytes }: PreparedBody, sentBytes: number): boolean {
  let skipBytes = sentBytes;
  for (const part of parts) {
    if (skipBytes >= part.byteLength) {
      skipBytes -= part.byteLength;
      continue;
    }
    const [taken, finished] = response.tryEnd(skipBytes === 0 ? part : part.subarray(skipBytes), lengthBytes);
    if (finished) return true;
    if (!taken) return false;
    skipBytes = 0;
  }
  return false;
}

/** Sends what `trySend` left, as the reader makes room. `startOffset` is the write offset from before the first try. Ends the exchange with the last byte. */
export function sendRest(exchange: Exchange, body: PreparedBody, startOffset: number): void {
  const { response } = exchange;
  response.onWritable((offset) => {
    if (exchange.over) return true;
    const finished = trySend(response, body, offset - startOffset);
    if (finished) exchange.end();
    return finished;
  });
}

/** Characters gathered before a write. */
const WRITE_CHARS = 32 * 1024;

/**
 * Sends a document of unknown length piece by piece: never more than one write ahead of the reader, never longer than a slice at a time.
 * One that fits into a single write is sent whole, with its length. When making the pieces fails, the answer is `failed` if nothing was
 * sent yet; otherwise the connection is cut, so that nobody takes half a document for a whole one.
 */
export async function sendPieces(
  exchange: Exchange,
  answer: EncodedAnswer,
  closeConnection: boolean,
  failed: (error: unknown) => EncodedAnswer,
): Promise<void> {
  const { response, headOnly } = exchange;
  let unsentHead: EncodedAnswer | undefined = answer;
  try {
    const slicer = new Slicer();
    let text = '';
    for (const piece of headOnly ? [] : (answer.pieces ?? [])) {
      text += piece;
      if (text.length >= WRITE_CHARS) {
        const room = write(exchange, unsentHead, text);
        unsentHead = undefined;
        text = '';
        await room;
      }
      if (slicer.spent) await slicer.pause();
      // Leaving the loop also ends the generator that makes the pieces.
      if (exchange.over) return;
    }
    response.cork(() => {
      if (unsentHead) writeHead(response, unsentHead);
      if (headOnly) endHead(response, undefined, closeConnection);
      else response.end(text, closeConnection);
    });
  } catch (error) {
    const defect = failed(error);
    if (exchange.over) return;
    if (unsentHead) sendText(response, defect, headOnly, closeConnection);
    else response.close();
  }
  exchange.end();
}

/**
 * Sends an answer that is made while it is sent, never more than one chunk ahead of the reader. When making it fails, the answer is
 * `failed` if nothing was sent yet; otherwise the connection is cut. `closes` is asked at the end.
 */
export async function sendChunks(
  exchange: Exchange,
  answer: StreamAnswer,
  closes: () => boolean,
  failed: (error: unknown) => EncodedAnswer,
): Promise<void> {
  const { response } = exchange;
  let unsentHead: Pick<StreamAnswer, 'status' | 'headers'> | undefined = answer;
  try {
    for await (const chunk of answer.chunks) {
      if (exchange.over) return;
      // An empty chunk is how a chunked body ends.
      if (chunk.byteLength === 0) continue;
      const room = write(exchange, unsentHead, chunk);
      unsentHead = undefined;
      await room;
      if (exchange.over) return;
    }
    if (exchange.over) return;
    response.cork(() => {
      if (unsentHead) writeHead(response, unsentHead);
      response.end('', closes());
    });
  } catch (error) {
    const defect = failed(error);
    if (exchange.over) return;
    if (unsentHead) sendText(response, defect, false, closes());
    else response.close();
  }
  exchange.end();
}

function writeHead(response: HttpResponse, { status, headers }: Pick<EncodedAnswer, 'status' | 'headers'>): void {
  response.writeStatus(statusLine(status));
  for (const name in headers) response.writeHeader(name, headers[name] ?? '');
}

/** Resolves when the socket can take more, or the exchange is over. `head` goes before the first piece. */
function write(
  exchange: Exchange,
  head: Pick<EncodedAnswer, 'status' | 'headers'> | undefined,
  text: string | Uint8Array,
): Promise<void> | undefined {
  const { response } = exchange;
  let flowing = true;
  response.cork(() => {
    if (head) writeHead(response, head);
    flowing = response.write(text);
  });
  if (flowing) return undefined;
  return new Promise((resolve) => {
    exchange.wake = resolve;
    // Whoever waits now, not whoever waited when this was registered: uWS keeps the handler that runs and drops one that is set meanwhile.
    response.onWritable(() => {
      exchange.wake?.();
      return true;
    });
  });
}
