import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { invalid, type Rejection } from '../base/rejection.ts';
import type { TrustedProxies } from '../base/trusted-proxies.ts';
import type { Credentials } from './authentication.ts';
import type { RequestHead } from './endpoint.ts';
import { addressText } from './remote-address.ts';

/** Characters of one header or of the query. uWS takes heads of hundreds of kilobytes when they come in one read. */
export const HEADER_CHARS_MAX = 16 * 1024;

/** Characters of all headers, parameters and the query of a request. */
const HEAD_CHARS_MAX = 32 * 1024;

export const QUERY_TOO_LONG = invalid(`The query is longer than ${HEADER_CHARS_MAX} characters.`);

/** The request's length is stated more than once: two parties could disagree on where the next request begins. */
const AMBIGUOUS_LENGTH = invalid('The request has more than one content-length header.');

/** uWS takes every transfer-encoding for `chunked`; another party may not. */
const NOT_CHUNKED = invalid('The only transfer-encoding that is understood is chunked, stated once.');

/** Whether two parties could disagree on where the refused request ends: its connection is closed then. */
export function isUnclear(rejection: Rejection): boolean {
  return rejection === AMBIGUOUS_LENGTH || rejection === NOT_CHUNKED;
}

/** A request as bytes and text, copied from the server: valid for as long as anybody likes. */
export interface RawRequest extends Credentials {
  /** Path parameters as sent, percent-encoded, in the order of the route. */
  readonly params: readonly string[];
  readonly query: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly remoteAddress: string;
  /** Whether the caller uses TLS. */
  readonly isTls: boolean;
}

/** The name as uWS takes it cheapest: a string would be encoded anew for each request, which is half of what a look-up costs. */
function nameBytes(name: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(name, 'latin1')).buffer;
}

/** The name `authorization`, as `CurrentHead` asks for it. */
export const AUTHORIZATION = nameBytes('authorization');
const CONTENT_LENGTH = nameBytes('content-length');
const TRANSFER_ENCODING = nameBytes('transfer-encoding');

/** Headers that polls are asked for. */
const NAMES: ReadonlyMap<string, ArrayBuffer> = new Map([
  ['authorization', AUTHORIZATION],
  ['if-none-match', nameBytes('if-none-match')],
  ['accept-encoding', nameBytes('accept-encoding')],
  ['unleash-client-spec', nameBytes('unleash-client-spec')],
  ['burgee-min-revision', nameBytes('burgee-min-revision')],
]);

/** Shows the request that is being served. One object for all of them: it is valid during one synchronous call. */
export class CurrentHead implements RequestHead, Credentials {
  #request: HttpRequest | undefined;
  #query: string | undefined;

  of(request: HttpRequest): this {
    this.#request = request;
    this.#query = undefined;
    return this;
  }

  /** Headers that are too long count as absent. */
  header(name: string): string {
    const value = this.#request?.getHeader(NAMES.get(name) ?? name) ?? '';
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
}

/** As `CurrentHead`, of a request that was copied: valid for as long as anybody likes. */
export class CopiedHead implements RequestHead {
  readonly #raw: RawRequest;

  constructor(raw: RawRequest) {
    this.#raw = raw;
  }

  get authorization(): string {
    return this.#raw.authorization;
  }

  header(name: string): string {
    const value = this.#raw.headers.get(name) ?? '';
    return value.length > HEADER_CHARS_MAX ? '' : value;
  }

  query(): string {
    return this.#raw.query;
  }
}

/** Headers that decide how a request is read, and by whom: two of them are two requests in one. */
const SINGLE = new Set(['authorization', 'x-api-key', 'content-type', 'host']);

/** Takes the headers one by one; says what is wrong with them together. */
class HeaderCheck {
  readonly #seen = new Map<string, string>();
  #sizeChars = 0;
  #repeated: string | undefined;
  #unclear: Rejection | undefined;

  take(name: string, value: string): void {
    this.#sizeChars += name.length + value.length;
    const isSecond = this.#seen.has(name);
    if (name === 'content-length' && isSecond) this.#unclear = AMBIGUOUS_LENGTH;
    else if (name === 'transfer-encoding') {
      if (isSecond || value.toLowerCase() !== 'chunked') this.#unclear = NOT_CHUNKED;
    } else if (isSecond && SINGLE.has(name)) this.#repeated = name;
    this.#seen.set(name, value);
  }

  get headers(): ReadonlyMap<string, string> {
    return this.#seen;
  }

  get sizeChars(): number {
    return this.#sizeChars;
  }

  get problem(): Rejection | undefined {
    if (this.#unclear) return this.#unclear;
    return this.#repeated === undefined
      ? undefined
      : invalid(`The request has more than one ${this.#repeated} header.`);
  }
}

/** What is wrong with the headers of a request that nobody copies; looks at all of them. */
export function headerProblem(request: HttpRequest): Rejection | undefined {
  const check = new HeaderCheck();
  request.forEach((name, value) => {
    check.take(name, value);
  });
  return check.problem;
}

/**
 * The same for a poll, which has no body and should state none: costs two look-ups then. Two authorization headers go unseen: to see them,
 * every header would have to be read, which costs as much as half of the poll (docs/decisions/http-framing.md); the first one counts.
 */
export function unclearBody(request: HttpRequest): Rejection | undefined {
  const isStated = request.getHeader(CONTENT_LENGTH) !== '' || request.getHeader(TRANSFER_ENCODING) !== '';
  return isStated ? headerProblem(request) : undefined;
}

/** Copies what handlers need: uWS's request is gone after the callback. Refuses heads that two parties could read differently. */
export function copyRequest(
  request: HttpRequest,
  response: HttpResponse,
  parameterCount: number,
  proxies: TrustedProxies,
): RawRequest | Rejection {
  const check = new HeaderCheck();
  request.forEach((name, value) => {
    check.take(name, value);
  });
  const { headers, problem } = check;
  if (problem) return problem;
  const query = request.getQuery() ?? '';
  let sizeChars = check.sizeChars + query.length;
  const params: string[] = [];
  for (let index = 0; index < parameterCount; index++) params.push(request.getParameter(index) ?? '');
  for (const param of params) sizeChars += param.length;
  if (query.length > HEADER_CHARS_MAX) return QUERY_TOO_LONG;
  if (sizeChars > HEAD_CHARS_MAX) return invalid(`The request's head is larger than ${HEAD_CHARS_MAX} characters.`);
  const socketAddress = addressText(response.getRemoteAddressAsText());
  const remoteAddress = proxies.callerOf(socketAddress, headers.get('x-forwarded-for'));
  const isTls = proxies.isTls(socketAddress, headers.get('x-forwarded-proto'));
  const header = (name: string) => headers.get(name) ?? '';
  return {
    params,
    query,
    headers,
    remoteAddress,
    isTls,
    authorization: header('authorization'),
    cookie: header('cookie'),
    origin: header('origin'),
    site: header('sec-fetch-site'),
    host: header('host'),
    method: request.getMethod(),
  };
}
