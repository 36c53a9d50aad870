import { type Asker, OwnAsker } from '../base/asking/asker.ts';
import type { TrustedProxies } from '../base/network/trusted-proxies.ts';
import { invalid, type Rejection } from '../base/rejection.ts';
import type { Credentials } from './authentication.ts';
import { BODY_NOT_ACCEPTED, statedBody, type UnreadBody } from './body/stated-body.ts';
import type { RequestHead } from './endpoint.ts';
import type { HttpRequest, HttpResponse } from './front/front.ts';
import { HeaderList } from './header-list.ts';

/** Maximum length of one header, and of the query, in characters. The fast front accepts heads of hundreds of kilobytes if they arrive in one read. */
export const HEADER_CHARS_MAX = 16 * 1024;

/** Maximum length of all headers, parameters and the query of a request together, in characters. */
const HEAD_CHARS_MAX = 32 * 1024;

export const QUERY_TOO_LONG = invalid(`The query is longer than ${HEADER_CHARS_MAX} characters.`);

/** The head of the request that is being served. The same object is used for all requests: it is valid only during one synchronous call. */
export class CurrentHead implements RequestHead, Credentials {
  #request: HttpRequest | undefined;
  #query: string | undefined;
  /** Created only for a poll whose answer is not prepared. The server ends it with the exchange. */
  #asker: OwnAsker | undefined;
  /** Always false: `isTls` is checked only for changes, and the credentials in this object are only used for polls, which change nothing. */
  readonly isTls = false;

  of(request: HttpRequest): this {
    this.#request = request;
    this.#query = undefined;
    this.#asker = undefined;
    return this;
  }

  asker(holder: string): Asker {
    this.#asker ??= new OwnAsker();
    this.#asker.holder = holder;
    return this.#asker;
  }

  /** The asker, if the route has asked for it. */
  get askerInUse(): OwnAsker | undefined {
    return this.#asker;
  }

  /** The value of the header, "" when absent. A header that is too long counts as absent. */
  header(name: string): string {
    const value = this.#request?.getHeader(name) ?? '';
    return value.length > HEADER_CHARS_MAX ? '' : value;
  }

  get authorization(): string {
    return this.header('authorization');
  }

  get cookie(): string {
    return this.header('cookie');
  }

  get origin(): string {
    return this.header('origin');
  }

  get site(): string {
    return this.header('sec-fetch-site');
  }

  get host(): string {
    return this.header('host');
  }

  get method(): string {
    return this.#request?.getMethod() ?? '';
  }

  query(): string {
    this.#query ??= this.#request?.getQuery() ?? '';
    return this.#query;
  }

  parameter(index: number): string {
    return this.#request?.getParameter(index) ?? '';
  }
}

/** Where a request came from: its response, or the request on whose behalf the service calls its own operations. */
type Peer = Pick<HttpResponse, 'remoteAddress'>;

/** A copy of a request as text. It stays valid after the call that receives the request. */
export class CopiedRequest implements RequestHead, Credentials {
  /** Path parameters as sent, percent-encoded, in the order of the route. */
  readonly params: readonly string[];
  readonly headers: HeaderList;
  readonly method: string;
  readonly #query: string;
  readonly #peer: Peer;
  readonly #proxies: TrustedProxies;
  #socketAddress: string | undefined;
  /** Ended with the exchange. Set only for polls: other requests have their exchange (`HandlerRequest.asker`). */
  pollAsker: OwnAsker | undefined;

  constructor(
    {
      params,
      headers,
      method,
      query,
    }: Pick<CopiedRequest, 'params' | 'headers' | 'method'> & { readonly query: string },
    peer: Peer,
    proxies: TrustedProxies,
  ) {
    this.params = params;
    this.headers = headers;
    this.method = method;
    this.#query = query;
    this.#peer = peer;
    this.#proxies = proxies;
  }

  asker(holder: string): Asker {
    this.pollAsker ??= new OwnAsker();
    this.pollAsker.holder = holder;
    return this.pollAsker;
  }

  get authorization(): string {
    return this.headers.get('authorization') ?? '';
  }

  get cookie(): string {
    return this.headers.get('cookie') ?? '';
  }

  get origin(): string {
    return this.headers.get('origin') ?? '';
  }

  get site(): string {
    return this.headers.get('sec-fetch-site') ?? '';
  }

  get host(): string {
    return this.headers.get('host') ?? '';
  }

  header(name: string): string {
    const value = this.headers.get(name) ?? '';
    return value.length > HEADER_CHARS_MAX ? '' : value;
  }

  query(): string {
    return this.#query;
  }

  parameter(index: number): string {
    return this.params[index] ?? '';
  }

  /** The caller's address. To read it after the caller may have left, call `keepAddress` earlier. */
  get remoteAddress(): string {
    return this.#proxies.callerOf(this.keepAddress(), this.headers.get('x-forwarded-for'));
  }

  /** Whether the caller uses TLS. */
  get isTls(): boolean {
    const forwarded = this.headers.get('x-forwarded-proto');
    return this.#proxies.isTls(forwarded === undefined ? '' : this.keepAddress(), forwarded);
  }

  /** Reads the socket's address and stores it, because reading costs as much as copying the rest of the request. "" when the socket is closed. */
  keepAddress(): string {
    this.#socketAddress ??= socketAddressOf(this.#peer);
    return this.#socketAddress;
  }
}

function socketAddressOf(peer: Peer): string {
  try {
    return peer.remoteAddress();
  } catch {
    // The response was already answered or aborted.
    return '';
  }
}

/** The list to which `take` adds headers. `take` is one function for all requests, so that no function is created per request. */
let filling = new HeaderList();
const take = (name: string, value: string) => filling.take(name, value);

/** All headers of the request that is being served. */
function headersOf(request: HttpRequest): HeaderList {
  const headers = new HeaderList();
  filling = headers;
  request.forEach(take);
  return headers;
}

/** The problem with the headers of a request that are not copied; checks all of them. */
export function headerProblem(request: HttpRequest): Rejection | undefined {
  return headersOf(request).problem;
}

/**
 * Same as `headerProblem`, for a poll. A poll usually has no body; then this function needs only two look-ups. It does not notice two authorization
 * headers, of which the first one counts: to notice them, it would have to read every header, which costs half as much as the poll
 * (docs/decisions/http-framing.md). Returns `BODY_NOT_ACCEPTED` for a long body.
 */
export function unusualBodyProblem(request: HttpRequest): Rejection | undefined {
  const isStated = request.getHeader('content-length') !== '' || request.getHeader('transfer-encoding') !== '';
  if (!isStated) return undefined;
  return headerProblem(request) ?? (statedBodyOf(request) === 'long' ? BODY_NOT_ACCEPTED : undefined);
}

/** The length of the body, as the headers of the request state it. */
export function statedBodyOf(request: HttpRequest): UnreadBody {
  return statedBody((name) => request.getHeader(name));
}

/** Copies the data that handlers need, because the request is invalid after the call. Refuses heads that two parsers could read differently. */
export function copyRequest(
  request: HttpRequest,
  response: HttpResponse,
  parameterCount: number,
  proxies: TrustedProxies,
): CopiedRequest | Rejection {
  const headers = headersOf(request);
  if (headers.problem) return headers.problem;
  const query = request.getQuery();
  let sizeChars = headers.sizeChars + query.length;
  const params: string[] = [];
  for (let index = 0; index < parameterCount; index++) params.push(request.getParameter(index));
  for (const param of params) sizeChars += param.length;
  if (query.length > HEADER_CHARS_MAX) return QUERY_TOO_LONG;
  if (sizeChars > HEAD_CHARS_MAX) return invalid(`The request's head is larger than ${HEAD_CHARS_MAX} characters.`);
  return new CopiedRequest({ params, headers, method: request.getMethod(), query }, response, proxies);
}
