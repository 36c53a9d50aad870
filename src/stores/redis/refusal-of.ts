import type { RefusalReason } from '../refusal-texts.ts';
import type { RedisTarget } from './connection-string.ts';

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

/** The reasons of a server that answers. They stay until somebody acts. */
const OF_ANSWERING: ReadonlySet<RefusalReason> = new Set(['signed-out', 'refused', 'memory-full', 'server-disk']);

/**
 * Whether writes need not wait for the end of the refusal, because the server has answered and no other server is about to replace it. A single server that is
 * a replica stays one; Sentinels and clusters name another server within seconds.
 */
export function staysRefused(refusal: RefusalReason, { kind }: Pick<RedisTarget, 'kind'>): boolean {
  return OF_ANSWERING.has(refusal) || (refusal === 'read-only' && kind === 'single');
}
