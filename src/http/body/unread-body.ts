import type { Rejection } from '../../base/rejection.ts';
import { responseHead } from '../../base/response-head.ts';
import type { Exchange } from '../exchange.ts';
import { type BodyTaker, LINGER_MS } from '../front/front.ts';
import type { EncodedAnswer } from '../sending/encoded-answer.ts';
import type { PausedBody } from './paused-body.ts';
import { BODY_NOT_ACCEPTED, UNREAD_BYTES_MAX } from './stated-body.ts';

const CLOSED = { connection: 'close' };

/**
 * Reads and drops an unexpected body. Resolves at the end of the body, or with a rejection if it is too long. Never resolves if the caller leaves.
 */
export function dropBody(exchange: Exchange, paused?: PausedBody): Promise<Rejection | undefined> {
  return new Promise((resolve) => {
    let sizeBytes = 0;
    const take: BodyTaker = (chunk, isLast) => {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > UNREAD_BYTES_MAX) resolve(BODY_NOT_ACCEPTED);
      else if (isLast) resolve(undefined);
    };
    if (paused) paused.release(take);
    else exchange.onBody(take);
  });
}

/**
 * Answers a request whose body is not received completely, and closes the connection at the end of the body, at the latest after `LINGER_MS`. In that
 * time at most `UNREAD_BYTES_MAX` bytes of the body are read; then the socket is paused.
 */
export function answerAndClose(exchange: Exchange, { status, headers, text }: EncodedAnswer): void {
  const { response, headOnly } = exchange;
  response.writeEarly(responseHead(status, exchange.headers, headers, CLOSED), headOnly ? '' : (text ?? ''));
  const close = () => {
    if (!exchange.over) response.close();
    exchange.end();
  };
  const timer = setTimeout(close, LINGER_MS);
  exchange.onEnd(() => clearTimeout(timer));
  let sizeBytes = 0;
  exchange.onBody((chunk, isLast) => {
    sizeBytes += chunk.byteLength;
    // Not in this turn of the event loop: the written answer is not sent yet.
    if (isLast) setImmediate(close);
    else if (sizeBytes > UNREAD_BYTES_MAX) response.pause();
  });
}
