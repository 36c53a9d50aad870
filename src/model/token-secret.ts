import { createHash, timingSafeEqual } from 'node:crypto';

/** A token's whole text has at most this length: what is longer is not one, and is not hashed. */
export const TOKEN_LENGTH_MAX = 1_024;

const PREFIX = 'sha256:';
const HASHED = /^sha256:[0-9a-f]{64}$/;

/**
 * What is kept of a secret where secrets are not kept. It names the token, in lists and paths, and opens nothing. No text of a token looks
 * like it: those have a dot.
 */
export function hashedSecret(text: string): string {
  return PREFIX + createHash('sha256').update(text).digest('hex');
}

/** Whether what is stored as a token's secret is the hash of one. */
export function isHashed(stored: string): boolean {
  return stored.startsWith(PREFIX) && HASHED.test(stored);
}

/** Whether both hashes are the same, in a time that says nothing of them. */
export function sameHash(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
