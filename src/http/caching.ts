import type { HeaderRecord } from '../base/response-head.ts';
import { type Access, credentialOf } from './access.ts';

/** Answers that are the same for every caller, but only for a moment. */
export const OPEN_HEADERS: HeaderRecord = { 'cache-control': 'no-store' };

/** Answers that are for one caller only. */
export const PRIVATE_HEADERS: HeaderRecord = { 'cache-control': 'no-store', vary: 'authorization' };

/** The same where a session's cookie says who asked as well. */
const ADMIN_HEADERS: HeaderRecord = { 'cache-control': 'no-store', vary: 'authorization, cookie' };

/** What every answer of a route says to caches, unless the answer says otherwise: prepared lists, which are revalidated by their ETag, do. */
export function cachingHeaders(access: Access): HeaderRecord {
  if ('backstage' in access) return PRIVATE_HEADERS;
  const credential = credentialOf(access);
  if (credential === 'none') return OPEN_HEADERS;
  return credential === 'admin' ? ADMIN_HEADERS : PRIVATE_HEADERS;
}
