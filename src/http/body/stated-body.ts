import { Rejection } from '../../base/rejection.ts';
import { DROPPED_BYTES_MAX } from '../front/front.ts';

/**
 * Maximum number of bytes that are read of an unused body: the body of a refused request, or of a request to a route without a body. The server drops a
 * shorter body after the answer, and the connection stays usable.
 */
export const UNREAD_BYTES_MAX = DROPPED_BYTES_MAX;

/** The part of a request's body that may still arrive. `long`: more than `UNREAD_BYTES_MAX`, or of unknown length. */
export type UnreadBody = 'nothing' | 'short' | 'long';

/** The length of the body, as the headers of the request state it. */
export function statedBody(header: (name: string) => string | undefined): UnreadBody {
  if (header('transfer-encoding')) return 'long';
  const length = header('content-length');
  if (!length || length === '0') return 'nothing';
  return Number(length) > UNREAD_BYTES_MAX ? 'long' : 'short';
}

/** The answer to a body that is larger than its limit, as it was sent or after decompression. */
export function bodyTooLarge(limitBytes: number): Rejection {
  return new Rejection(
    'PayloadTooLargeError',
    `The body is larger than the ${limitBytes} bytes that this path accepts. A compressed body must not be larger after decompression, either.`,
  );
}

/** The answer to a request with a long body to a route without a body. */
export const BODY_NOT_ACCEPTED = new Rejection(
  'PayloadTooLargeError',
  `This path accepts no body, and ignores only a body of at most ${UNREAD_BYTES_MAX} bytes. Send the request without a body.`,
);
