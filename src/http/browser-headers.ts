import type { HeaderRecord } from '../base/response-head.ts';

/**
 * Headers for every answer that a browser may display: no content sniffing, no framing, no loading or running of content, and no
 * referrer, because URLs of this service may contain secrets. Polls of SDKs are not displayed and do not get these headers. A page
 * sets its own `content-security-policy`.
 */
export const BROWSER_HEADERS: HeaderRecord = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
};

/** Additional headers if TLS is used: for a year, the browser refuses to use this host without TLS. */
export const TLS_HEADERS: HeaderRecord = { 'strict-transport-security': 'max-age=31536000' };
