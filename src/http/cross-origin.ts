import type { HeaderRecord } from '../base/response-head.ts';
import { OPEN_HEADERS, PRIVATE_HEADERS } from './caching.ts';

/** How long browsers may remember a preflight's answer. They cap it at two hours or less themselves. */
const PREFLIGHT_MAX_AGE_S = 7_200;

const EXPOSED = { 'access-control-expose-headers': 'ETag, Retry-After' };

/** Lets pages of the allowed origins read the answer, errors included: a browser hides what these headers do not open. */
export function crossOriginHeaders(origin: string, allowed: readonly string[]): HeaderRecord {
  if (allowed.includes('*')) return { ...PRIVATE_HEADERS, 'access-control-allow-origin': '*', ...EXPOSED };
  // The answer depends on who asks, which caches must know.
  const headers = { ...PRIVATE_HEADERS, vary: 'authorization, origin' };
  if (!allowed.includes(origin)) return headers;
  return { ...headers, 'access-control-allow-origin': origin, ...EXPOSED };
}

/** The headers of SDKs are many and differ from one to the next; whichever are asked for are allowed. */
export function preflightHeaders(methods: readonly string[], wanted: string): HeaderRecord {
  const isListOfNames = /^[\w\-, ]{1,2000}$/.test(wanted);
  return {
    ...OPEN_HEADERS,
    'access-control-allow-methods': methods.join(', ').toUpperCase(),
    'access-control-allow-headers': isListOfNames ? wanted : 'authorization, content-type',
    'access-control-max-age': String(PREFLIGHT_MAX_AGE_S),
  };
}
