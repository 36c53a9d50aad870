import { type HeaderRecord, withHeadCache } from '../base/response-head.ts';
import { OPEN_HEADERS, PRIVATE_HEADERS } from './caching.ts';

const EXPOSED = { 'access-control-expose-headers': 'ETag, Retry-After' };

const OPEN_TO_ALL = withHeadCache({
  ...PRIVATE_HEADERS,
  vary: 'authorization, accept-encoding',
  'access-control-allow-origin': '*',
  ...EXPOSED,
});

/** The origins whose pages may call the routes for frontends. `*` in the list means all origins. The list may change while requests are served. */
export interface Origins {
  readonly current: readonly string[];
}

/**
 * Headers that let pages of the allowed origins read the answer, also an error. Without these headers, the browser hides the answer from the page.
 */
export function crossOriginHeaders(head: { readonly origin: string }, allowed: readonly string[]): HeaderRecord {
  // `vary` states for caches that the answer depends on the token, the accepted encodings, and the origin.
  if (allowed.includes('*')) return OPEN_TO_ALL;
  const { origin } = head;
  const headers = { ...PRIVATE_HEADERS, vary: 'authorization, accept-encoding, origin' };
  if (!allowed.includes(origin)) return headers;
  return { ...headers, 'access-control-allow-origin': origin, ...EXPOSED };
}

/** Headers of the answer to a preflight. All requested headers are allowed, because SDKs send many different headers. */
export function preflightHeaders(
  methods: readonly string[],
  requestedHeaders: string,
  maxAgeSeconds: number,
): HeaderRecord {
  const isListOfNames = /^[\w\-, ]{1,2000}$/.test(requestedHeaders);
  return {
    ...OPEN_HEADERS,
    'access-control-allow-methods': methods.join(', ').toUpperCase(),
    'access-control-allow-headers': isListOfNames ? requestedHeaders : 'authorization, content-type',
    'access-control-max-age': String(maxAgeSeconds),
  };
}
