import type { HttpRequest as UwsRequest } from 'uWebSockets.js';
import type { HttpRequest } from '../front.ts';
import type { Match } from '../route-table.ts';

/** The name in the form that is cheapest for uWS. A string would be encoded again for each request, which is half of the cost of a look-up. */
function nameBytes(name: string): readonly [string, ArrayBuffer] {
  return [name, Uint8Array.from(Buffer.from(name, 'latin1')).buffer];
}

/** Names of the headers that are read for polls. */
const NAMES: ReadonlyMap<string, ArrayBuffer> = new Map(
  [
    'authorization',
    'if-none-match',
    'accept-encoding',
    'unleash-client-spec',
    'burgee-min-revision',
    'content-length',
    'transfer-encoding',
  ].map(nameBytes),
);

/** The request that uWS is passing. One object for all requests: uWS's own object is valid only during the call. */
export class FastRequest implements HttpRequest {
  #request: UwsRequest | undefined;
  /** The match, if uWS did not find the route itself. */
  #match: Match | undefined;

  of(request: UwsRequest): this {
    this.#request = request;
    this.#match = undefined;
    return this;
  }

  matchedBy(match: Match): this {
    this.#match = match;
    return this;
  }

  getHeader(name: string): string {
    return this.#request?.getHeader(NAMES.get(name) ?? name) ?? '';
  }

  forEach(take: (name: string, value: string) => void): void {
    this.#request?.forEach(take);
  }

  getMethod(): string {
    return this.#request?.getMethod() ?? '';
  }

  getUrl(): string {
    return this.#match?.path ?? this.#request?.getUrl() ?? '';
  }

  getQuery(): string {
    return this.#request?.getQuery() ?? '';
  }

  getParameter(index: number): string {
    return (this.#match ? this.#match.parameters[index] : this.#request?.getParameter(index)) ?? '';
  }
}
