import type { RefusalReason } from '../write-refusal.ts';

/** Signing in failed: trying again will not help. */
export const SIGN_IN_REFUSED = /WRONGPASS|NOAUTH|NOPERM|invalid password|invalid username-password/i;

/**
 * The reason for each error word of the server. The word may be anywhere in an answer: before Redis 7, an answer to a script has it in the middle.
 */
const WORDS: readonly (readonly [RegExp, RefusalReason])[] = [
  [/\bOOM\b/, 'memory-full'],
  [/\bMISCONF\b/, 'server-disk'],
  [/\bREADONLY\b|the server is a replica/, 'read-only'],
  [/\bNOREPLICAS\b/, 'replicas-behind'],
  [SIGN_IN_REFUSED, 'signed-out'],
  // A command that a script may not use is refused with another text.
  [/\bThe user executing the script can't\b|\bACL failure in script\b/, 'signed-out'],
];

/** The reason in the message; `defaultReason` when the message has no known error word. */
export function refusalOf(message: string, defaultReason: RefusalReason): RefusalReason {
  return WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? defaultReason;
}
