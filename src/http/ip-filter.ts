import type { TrustedProxies } from '../base/network/trusted-proxies.ts';
import { notAllowed } from '../base/rejection.ts';
import type { HttpRequest, HttpResponse } from './front/front.ts';

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
    const socketAddress = response.remoteAddress();
    const forwarded = request.getHeader('x-forwarded-for');
    const address = proxies.callerOf(socketAddress, forwarded === '' ? undefined : forwarded);
    if (addresses.has(address)) serveAllowed(response, request);
    else refuse(response, request);
  };
}

/** The request, as if the token was in the header `authorization`. The real value of `authorization` is ignored. */
function withTokenFrom(tokenHeader: string, request: HttpRequest): HttpRequest {
  return {
    getHeader: (name) => request.getHeader(name === 'authorization' ? tokenHeader : name),
    forEach(take) {
      request.forEach((name, value) => {
        if (name === tokenHeader) take('authorization', value);
        else if (name !== 'authorization') take(name, value);
      });
    },
    getQuery: () => request.getQuery(),
    getUrl: () => request.getUrl(),
    getMethod: () => request.getMethod(),
    getParameter: (index) => request.getParameter(index),
  };
}
