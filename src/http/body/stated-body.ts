import { Rejection } from '../../base/rejection.ts';

/**
 * Bytes of a body without a use that are read: of one that is refused, or that was sent where none is expected. What is short is dropped by uWS behind the
 * answer, and the connection stays usable.
 */
export const UNREAD_BYTES_MAX = 1_000_000;

/** What may still come of a request's body. `long`: more than is read of a body without a use, or unknown. */
export type Unread = 'nothing' | 'short' | 'long';

/** What the headers of a request say of its body. */
export function statedBody(header: (name: string) => string | undefined): Unread {
  if (header('transfer-encoding')) return 'long';
  const length = header('content-length');
  if (!length || length === '0') return 'nothing';
  return Number(length) > UNREAD_BYTES_MAX ? 'long' : 'short';
}

/** To those who send a long body where none is expected. */
export const NOT_TAKEN = new Rejection(
  'PayloadTooLargeError',
  `This path takes no body, and drops no more than ${UNREAD_BYTES_MAX} bytes of one.`,
);
