import type { HeaderRecord } from '../base/response-head.ts';
import { type Access, credentialOf } from './access.ts';

/** Headers of answers that are the same for every caller but change often. */
export const OPEN_HEADERS: HeaderRecord = { 'cache-control': 'no-store' };

/** Headers of answers that are for one caller only. */
export const PRIVATE_HEADERS: HeaderRecord = { 'cache-control': 'no-store', vary: 'authorization' };

/** Same as `PRIVATE_HEADERS`, for routes where a session cookie also authenticates the caller. */
const ADMIN_HEADERS: HeaderRecord = { 'cache-control': 'no-store', vary: 'authorization, cookie' };

/** Same as `cachingHeaders`, for a route whose answers may be compressed. */
export function compressibleHeaders(access: Access): HeaderRecord {
  const headers = cachingHeaders(access);
  return { ...headers, vary: headers.vary === undefined ? 'accept-encoding' : `${headers.vary}, accept-encoding` };
}

/** Caching headers for every answer of a route, unless the answer has its own: prepared lists do, because they are revalidated by their ETag. */
export function cachingHeaders(access: Access): HeaderRecord {
  if ('backstage' in access) return PRIVATE_HEADERS;
  const credential = credentialOf(access);
  if (credential === 'none') return OPEN_HEADERS;
  return credential === 'admin' ? ADMIN_HEADERS : PRIVATE_HEADERS;
}
