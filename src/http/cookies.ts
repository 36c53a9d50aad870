/** What the session's secret travels in. */
export const SESSION_COOKIE = 'burgee-session';

/** What the header says of the cookie of this name, the first one if there are several; "" without one. */
export function cookieValue(header: string, name: string): string {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return '';
}

/** What a browser says of the page that sends a request. */
interface Sender {
  readonly method: string;
  /** `Origin`, "" when absent. */
  readonly origin: string;
  /** `Sec-Fetch-Site`, "" when absent. Pages cannot set it. */
  readonly site: string;
  readonly host: string;
}

/**
 * Whether a request that carries a cookie may be what its owner meant. Browsers send cookies along with what other sites' pages send; so whatever
 * changes something must be seen to come from a page of this origin. `ownOrigin` is that of the service's URL, "" when that is not known.
 */
export function isMeant({ method, origin, site, host }: Sender, ownOrigin: string): boolean {
  if (method === 'get' || method === 'head') return true;
  if (site !== '') return site === 'same-origin';
  if (origin === '' || !URL.canParse(origin)) return false;
  return origin === ownOrigin || new URL(origin).host === host.toLowerCase();
}
