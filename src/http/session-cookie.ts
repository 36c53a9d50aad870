/** Name of the cookie with the session's secret. */
export const SESSION_COOKIE = 'burgee-session';

/** The value of the first cookie with this name; "" if no cookie has this name. */
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
 * Whether the owner of the session cookie may have intended the request. Browsers also send cookies with requests from pages of other sites, so a
 * request that changes something must come from a page of this origin. `ownOrigin` is the origin of the service's URL; "" when the URL is not known.
 */
export function isIntended(sender: Sender, ownOrigin: string): boolean {
  const { method, site } = sender;
  if (method === 'get' || method === 'head') return true;
  return site === '' ? isOwn(sender, ownOrigin) : site === 'same-origin';
}

/**
 * Whether a request that ends a session may be intended by its owner: sent by a page of this origin, or from an address that the user typed. Requests
 * without these headers are accepted: over plain HTTP no browser sends them for a link.
 */
export function isIntendedSignOut(sender: Omit<Sender, 'method'>, ownOrigin: string): boolean {
  const { site, origin } = sender;
  if (site !== '') return site === 'same-origin' || site === 'none';
  return origin === '' || isOwn(sender, ownOrigin);
}

/**
 * Whether the request comes from a page of this origin. The same host without TLS is another origin: an attacker on the network can forge its pages.
 */
function isOwn({ origin, host, isTls }: Omit<Sender, 'method' | 'site'>, ownOrigin: string): boolean {
  if (origin === '') return false;
  const own = `${isTls ? 'https' : 'http'}://${host}`;
  return origin === ownOrigin || (URL.canParse(own) && origin === new URL(own).origin);
}
