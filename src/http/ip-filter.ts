import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { notAllowed } from '../base/rejection.ts';
import type { TrustedProxies } from '../base/trusted-proxies.ts';
import { addressText } from './remote-address.ts';
import { AUTHORIZATION } from './request.ts';

export const ADDRESS_REFUSED = notAllowed('The IP filter of this service does not allow your address.');

type Serve = (response: HttpResponse, request: HttpRequest) => void;

/** Checks that are made before anything else of a request is read. Without these settings, requests go directly to the route. */
export interface IpFilter {
  /** The allowed addresses of callers. Undefined: every address is allowed. */
  readonly addresses?: { has(address: string): boolean } | undefined;
  /** Name of the header that contains the token, in lower case. Undefined: `authorization`. */
  readonly tokenHeader?: string | undefined;
}

/** `serve` with the IP filter before it. `refuse` answers a caller whose address is not allowed. */
export function withIpFilter(
  { addresses, tokenHeader }: IpFilter,
  proxies: TrustedProxies,
  serve: Serve,
  refuse: (response: HttpResponse, request: HttpRequest) => void,
): Serve {
  const serveAllowed: Serve =
    tokenHeader === undefined ? serve : (response, request) => serve(response, withTokenFrom(tokenHeader, request));
  if (!addresses) return serveAllowed;
  return (response, request) => {
    const socketAddress = addressText(response.getRemoteAddressAsText());
    const forwarded = request.getHeader('x-forwarded-for');
    const address = proxies.callerOf(socketAddress, forwarded === '' ? undefined : forwarded);
    if (addresses.has(address)) serveAllowed(response, request);
    else refuse(response, request);
  };
}

/** The request, as if the token was in the header `authorization`. The real value of `authorization` is ignored. */
function withTokenFrom(tokenHeader: string, request: HttpRequest): HttpRequest {
  return {
    getHeader: (name: Parameters<HttpRequest['getHeader']>[0]) =>
      request.getHeader(name === 'authorization' || name === AUTHORIZATION ? tokenHeader : name),
    forEach(take: (name: string, value: string) => void) {
      request.forEach((name, value) => {
        if (name === tokenHeader) take('authorization', value);
        else if (name !== 'authorization') take(name, value);
      });
    },
    getQuery: (...args: []) => request.getQuery(...args),
    getUrl: () => request.getUrl(),
    getMethod: () => request.getMethod(),
    getCaseSensitiveMethod: () => request.getCaseSensitiveMethod(),
    getParameter: (index: number) => request.getParameter(index),
    setYield: (isYielded: boolean) => request.setYield(isYielded),
  } as HttpRequest;
}
