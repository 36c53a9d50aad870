import type { HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { Slicer } from '../base/yield-control.ts';
import type { EncodedAnswer } from './dispatch.ts';
import { type Exchange, endExchange } from './exchange.ts';

/** "404 Not Found" */
export function statusLine(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
}

/**
 * Ends the response with these bytes. What the socket does not take at once is sent from the same buffer as the reader makes room: ten
 * thousand slow readers of a large list share one copy of it. Status and headers must have been written.
 */
export function sendBytes(response: HttpResponse, body: Uint8Array): void {
  const startOffset = response.getWriteOffset();
  const [sent, finished] = response.tryEnd(body, body.byteLength);
  if (sent || finished) return;
  let aborted = false;
  response.onAborted(() => {
    aborted = true;
  });
  response.onWritable((offset) => {
    if (aborted) return true;
    const [sentNow] = response.tryEnd(body.subarray(offset - startOffset), body.byteLength);
    return sentNow;
  });
}

/** Characters gathered before a write. */
const WRITE_CHARS = 32 * 1024;

/** Sends a document of unknown length piece by piece: never more than one write ahead of the reader, never longer than a slice at a time. */
export async function sendPieces(
  exchange: Exchange,
  answer: EncodedAnswer,
  pieces: Iterable<string>,
  closeConnection: boolean,
): Promise<void> {
  const { response } = exchange;
  const slicer = new Slicer();
  response.cork(() => {
    response.writeStatus(statusLine(answer.status));
    for (const name in answer.headers) response.writeHeader(name, answer.headers[name] ?? '');
  });
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length >= WRITE_CHARS) {
      await writeText(exchange, text);
      text = '';
    }
    if (slicer.spent) await slicer.pause();
    if (exchange.over) return;
  }
  response.cork(() => response.end(text, closeConnection));
  endExchange(exchange);
}

/** Resolves when the socket can take more, or the exchange is over. */
function writeText(exchange: Exchange, text: string): Promise<void> | undefined {
  const { response } = exchange;
  let flowing = true;
  response.cork(() => {
    flowing = response.write(text);
  });
  if (flowing) return undefined;
  return new Promise((resolve) => {
    const { onOver } = exchange;
    exchange.onOver = () => {
      onOver?.();
      resolve();
    };
    response.onWritable(() => {
      exchange.onOver = onOver;
      resolve();
      return true;
    });
  });
}
