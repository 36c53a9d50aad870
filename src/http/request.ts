import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { invalid, type Rejection } from '../base/rejection.ts';
import type { Credentials } from './authentication.ts';
import type { RequestHead } from './endpoint.ts';
import { addressText } from './remote-address.ts';

/** Characters of one header or of the query. uWS takes heads of hundreds of kilobytes when they come in one read. */
export const HEADER_CHARS_MAX = 16 * 1024;

/** Characters of all headers, parameters and the query of a request. */
const HEAD_CHARS_MAX = 32 * 1024;

export const QUERY_TOO_LONG = invalid(`The query is longer than ${HEADER_CHARS_MAX} characters.`);

/** The request's length is stated more than once: two parties could disagree on where the next request begins. */
export const AMBIGUOUS_LENGTH = invalid('The request has more than one content-length header.');

/** A request as bytes and text, copied from the server: valid for as long as anybody likes. */
export interface RawRequest extends Credentials {
  /** Path parameters as sent, percent-encoded, in the order of the route. */
  readonly params: readonly string[];
  readonly query: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly remoteAddress: string;
}

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

  header(name: string): string {
    const value = this.#raw.headers.get(name) ?? '';
    return value.length > HEADER_CHARS_MAX ? '' : value;
  }

  query(): string {
    return this.#raw.query;
  }
}

/** Whether a request without a body of its own states several lengths; costs one look-up when it states none. */
export function isAmbiguous(request: HttpRequest): boolean {
  if (request.getHeader('content-length') === '') return false;
  let count = 0;
  request.forEach((name) => {
    if (name === 'content-length') count++;
  });
  return count > 1;
}

/** Headers that decide how a request is read, and by whom: two of them are two requests in one. */
const SINGLE = new Set(['authorization', 'content-type']);

/** Copies what handlers need: uWS's request is gone after the callback. Refuses heads that two parties could read differently. */
export function copyRequest(
  request: HttpRequest,
  response: HttpResponse,
  parameterCount: number,
): RawRequest | Rejection {
  const headers = new Map<string, string>();
  const query = request.getQuery() ?? '';
  let sizeChars = query.length;
  let repeated: string | undefined;
  let repeatedLength = false;
  request.forEach((name, value) => {
    sizeChars += name.length + value.length;
    if (headers.has(name)) {
      if (name === 'content-length') repeatedLength = true;
      else if (SINGLE.has(name)) repeated = name;
    }
    headers.set(name, value);
  });
  if (repeatedLength) return AMBIGUOUS_LENGTH;
  if (repeated) return invalid(`The request has more than one ${repeated} header.`);
  const params: string[] = [];
  for (let index = 0; index < parameterCount; index++) params.push(request.getParameter(index) ?? '');
  for (const param of params) sizeChars += param.length;
  if (query.length > HEADER_CHARS_MAX) return QUERY_TOO_LONG;
  if (sizeChars > HEAD_CHARS_MAX) return invalid(`The request's head is larger than ${HEAD_CHARS_MAX} characters.`);
  const remoteAddress = addressText(response.getRemoteAddressAsText());
  const [authorization = '', cookie = '', origin = ''] = ['authorization', 'cookie', 'origin'].map((name) =>
    headers.get(name),
  );
  return { params, query, headers, remoteAddress, authorization, cookie, origin, method: request.getMethod() };
}
