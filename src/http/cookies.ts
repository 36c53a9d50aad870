/** What the session's secret travels in. */
export const SESSION_COOKIE = 'burgee-session';

/** The value of the cookie with this name, of the first if there are several; "" if there is none. */
export function cookieValue(header: string, name: string): string {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return '';
}

/** The headers with which a browser describes the page that sends a request. */
interface Sender {
  readonly method: string;
  /** `Origin`, "" when absent. */
  readonly origin: string;
  /** `Sec-Fetch-Site`, "" when absent. Pages cannot set it. */
  readonly site: string;
  readonly host: string;
  /** Whether the browser uses TLS, as far as is known: `UNLEASH_URL` or a trusted proxy may say so. */
  readonly isTls: boolean;
}

/**
 * Whether a request that carries a cookie may be what its owner meant. Browsers send cookies along with what other sites' pages send; so whatever
 * changes something must be seen to come from a page of this origin. `ownOrigin` is that of the service's URL, "" when that is not known.
 */
export function isMeant(sender: Sender, ownOrigin: string): boolean {
  const { method, site } = sender;
  if (method === 'get' || method === 'head') return true;
  return site === '' ? isOwn(sender, ownOrigin) : site === 'same-origin';
}

/**
 * Whether a request that ends a session may be intended by its owner: sent by a page of this origin, or from an address that the user typed. Requests without
 * these headers are accepted: over plain HTTP no browser sends them for a link.
 */
export function isMeantSignOut(sender: Omit<Sender, 'method'>, ownOrigin: string): boolean {
  const { site, origin } = sender;
  if (site !== '') return site === 'same-origin' || site === 'none';
  return origin === '' || isOwn(sender, ownOrigin);
}

/** The same host without TLS is another origin: an attacker on the network can make up its pages. */
function isOwn({ origin, host, isTls }: Omit<Sender, 'method' | 'site'>, ownOrigin: string): boolean {
  if (origin === '') return false;
  const own = `${isTls ? 'https' : 'http'}://${host}`;
  return origin === ownOrigin || (URL.canParse(own) && origin === new URL(own).origin);
}
