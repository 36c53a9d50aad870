import type { PreparedBody } from '../../base/prepared-answer.ts';
import {
  bareHead,
  type HeaderRecord,
  isBodyless,
  NO_HEADERS,
  type ResponseHead,
  responseHead,
} from '../../base/response-head.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { StreamAnswer } from '../endpoint.ts';
import type { Exchange } from '../exchange.ts';
import type { Body, HttpResponse } from '../front/front.ts';
import { GZIPPED, isLongEnough, mayCompress } from './compressed.ts';
import { type EncodedAnswer, encodeRejection } from './encoded-answer.ts';
import { GzipWriter } from './gzip-writer.ts';
import { AnswerShare, TOO_MANY_ANSWERS } from './long-answers.ts';

/** Sends an answer with a text or without a body. A HEAD request gets the same head without the body. */
export function sendWhole(
  response: HttpResponse,
  answer: EncodedAnswer,
  headers: HeaderRecord | undefined,
  headOnly: boolean,
  closeConnection: boolean,
): void {
  const { status, text } = answer;
  const isBare = answer.headers === NO_HEADERS;
  const head = isBare ? bareHead(status, headers) : responseHead(status, headers, answer.headers);
  response.cork(() => {
    response.writeHead(head);
    if (isBare || isBodyless(status)) response.endHead(undefined, closeConnection);
    else if (headOnly) response.endHead(Buffer.byteLength(text ?? ''), closeConnection);
    else response.endBody(text ?? '', closeConnection);
  });
}

/**
 * Sends the rest of a prepared body, of which `sendBody` did not send all, when the reader reads. Ends the exchange with the last byte. A slow reader keeps only the parts in memory: ten thousand slow readers of a changing list share the parts that are equal in its versions.
 * The joined copy exists anyway while its body is the newest one, and is used as long as it exists.
 */
export function sendRest(exchange: Exchange, { parts, buffer, lengthBytes }: PreparedBody): void {
  const { response } = exchange;
  const weakBuffer = buffer && new WeakRef(buffer);
  exchange.awaitReader(true);
  response.onWritable((sentBytes) => {
    if (exchange.over) return true;
    exchange.noteRead();
    const joined = weakBuffer?.deref();
    const finished = response.sendBody({ parts, lengthBytes, ...(joined && { buffer: joined }) }, sentBytes);
    if (finished) exchange.end();
    else exchange.awaitReader(true);
    return finished;
  });
}

/** Number of characters that are collected before a write. */
const WRITE_CHARS = 32 * 1024;

/**
 * Sends a document of unknown length in pieces. At most one write waits for the reader, and the event loop gets a turn after each slice. A document
 * that fits into one write is sent with its length. If creating a piece fails, the answer is `failed` if nothing was sent yet; otherwise the
 * connection is closed, so that no client uses half of a document as a whole one.
 */
export async function sendPieces(
  exchange: Exchange,
  answer: EncodedAnswer,
  closeConnection: boolean,
  failed: (error: unknown) => EncodedAnswer,
): Promise<void> {
  const { response, headOnly, headers } = exchange;
  let unsentHead: ResponseHead | undefined;
  let nothingSent = true;
  const gzip = mayCompress(exchange, answer) ? new GzipWriter() : undefined;
  const share = answer.refused ? new AnswerShare(exchange.holder) : undefined;
  try {
    unsentHead = responseHead(answer.status, headers, answer.headers);
    const slicer = Slicer.of(exchange);
    if (share && slicer.spent) {
      if (!share.wait()) return refuse(exchange, answer, closeConnection);
      await slicer.pause();
      if (exchange.over) return;
    }
    let text = '';
    for (const piece of headOnly ? [] : (answer.pieces ?? [])) {
      if (typeof piece === 'string') text += piece;
      else {
        text += await piece;
        if (exchange.over) return;
      }
      if (text.length >= WRITE_CHARS) {
        if (share?.begin() === false) return refuse(exchange, answer, closeConnection);
        const bytes = gzip ? await gzip.part(Buffer.from(text), false) : text;
        if (exchange.over) return;
        if (gzip && unsentHead) unsentHead = responseHead(answer.status, headers, answer.headers, GZIPPED);
        const space = write(exchange, unsentHead, bytes, closeConnection);
        unsentHead = undefined;
        nothingSent = false;
        text = '';
        await space;
      }
      if (slicer.spent) await slicer.pause();
      // Leaving the loop also ends the generator that makes the pieces.
      if (exchange.over) return;
    }
    let last: Uint8Array | undefined;
    if (gzip && (!nothingSent || isLongEnough(text))) {
      last = await gzip.part(Buffer.from(text), true);
      if (exchange.over) return;
      if (unsentHead) unsentHead = responseHead(answer.status, headers, answer.headers, GZIPPED);
    }
    response.cork(() => {
      if (unsentHead) response.writeHead(unsentHead);
      if (headOnly) response.endHead(undefined, closeConnection);
      else response.endBody(last ?? text, closeConnection && nothingSent);
    });
  } catch (error) {
    // A caller that has disconnected cannot be answered, and an error that the disconnection caused is no defect.
    if (exchange.over) return;
    const defect = failed(error);
    if (nothingSent) sendWhole(response, defect, headers, headOnly, closeConnection);
    else response.close();
  } finally {
    share?.end();
  }
  exchange.end();
}

/** Refuses the answer because of the quota. Call it only if nothing was sent yet. */
function refuse(exchange: Exchange, { refused = encodeRejection }: EncodedAnswer, closeConnection: boolean): void {
  sendWhole(exchange.response, refused(TOO_MANY_ANSWERS), exchange.headers, exchange.headOnly, closeConnection);
  exchange.end();
}

/**
 * Sends an answer that is created while it is sent. At most one chunk waits for the reader. If creating a chunk fails, the answer is `failed` if
 * nothing was sent yet; otherwise the connection is closed. `closes` is called when the head is sent, and returns whether the connection will be
 * closed.
 */
export async function sendChunks(
  exchange: Exchange,
  answer: StreamAnswer,
  closes: () => boolean,
  failed: (error: unknown) => EncodedAnswer,
): Promise<void> {
  const { response, headers } = exchange;
  let unsentHead: ResponseHead | undefined;
  let nothingSent = true;
  try {
    unsentHead = responseHead(answer.status, headers, answer.headers);
    for await (const chunk of answer.chunks) {
      if (exchange.over) return;
      // An empty chunk would end a chunked body.
      if (chunk.byteLength === 0) continue;
      const space = write(exchange, unsentHead, chunk, unsentHead !== undefined && closes());
      unsentHead = undefined;
      nothingSent = false;
      await space;
      if (exchange.over) return;
    }
    if (exchange.over) return;
    response.cork(() => {
      if (unsentHead) response.writeHead(unsentHead);
      response.endBody(undefined, nothingSent && closes());
    });
  } catch (error) {
    // A caller that has disconnected cannot be answered, and an error that the disconnection caused is no defect.
    if (exchange.over) return;
    const defect = failed(error);
    if (nothingSent) sendWhole(response, defect, headers, false, closes());
    else response.close();
  }
  exchange.end();
}

/**
 * Resolves when the socket can accept more, or the exchange has ended. `head` is sent before the first piece. It states whether the connection will
 * be closed, because that cannot be stated later.
 */
function write(
  exchange: Exchange,
  head: ResponseHead | undefined,
  part: Body,
  closeConnection: boolean,
): Promise<void> | undefined {
  const { response } = exchange;
  let flowing = true;
  response.cork(() => {
    if (head) response.writeHead(head);
    if (head && closeConnection) response.writeClose();
    flowing = response.writeBody(part);
  });
  if (flowing) {
    if (exchange.awaitsReader) exchange.noteRead();
    return undefined;
  }
  exchange.awaitReader(exchange.received);
  return new Promise((resolve) => {
    exchange.wake = resolve;
    // Wakes the current sender: the fast front drops a handler that is set while another one runs, so this handler may also serve later senders.
    response.onWritable(() => {
      exchange.noteRead();
      exchange.wake?.();
      return true;
    });
  });
}
