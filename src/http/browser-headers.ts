import type { HeaderRecord } from '../base/response-head.ts';

/**
 * What the headers say of every answer that a browser may show by itself: it is what its content type says, stands in no frame, loads and runs nothing,
 * and takes no address of this service to others; addresses may hold secrets. Polls of SDKs are nothing to show, and are spared the bytes. An
 * answer that is a page says in its own `content-security-policy` what it needs.
 */
export const BROWSER_HEADERS: HeaderRecord = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
};

/** Beside them where TLS is used: a year without it is refused by the browser itself. */
export const TLS_HEADERS: HeaderRecord = { 'strict-transport-security': 'max-age=31536000' };
