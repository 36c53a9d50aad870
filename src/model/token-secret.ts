import { hash, timingSafeEqual } from 'node:crypto';

/** Maximum length of a token's full text: a longer text is not a token and is not hashed. */
export const TOKEN_LENGTH_MAX = 1_024;

const PREFIX = 'sha256:';
const HASHED = /^sha256:[0-9a-f]{64}$/;

/**
 * The hash that is stored instead of a secret. It identifies the token in lists and paths, but does not give access. A hash is never equal to the
 * text of a token: tokens contain a dot.
 */
export function hashedSecret(text: string): string {
  return PREFIX + hash('sha256', text, 'hex');
}

/** Whether the stored secret of a token is a hash. */
export function isHashed(stored: string): boolean {
  return stored.startsWith(PREFIX) && HASHED.test(stored);
}

/** Compares two hashes in constant time. */
export function sameHash(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
