import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from '../front.ts';
import type { Match } from '../route-table.ts';

const NOT_ASCII = /[\x80-\xff]/;

/** A request of Node's server. Headers are read from the list as it was sent: few are read, and Node would build an object of all of them. */
export class NodeRequest implements HttpRequest {
  readonly #message: IncomingMessage;
  #path: string;
  readonly #query: string;
  #parameters: readonly string[] = [];

  constructor(message: IncomingMessage) {
    this.#message = message;
    const target = originForm(message.url ?? '');
    const queryAt = target.indexOf('?');
    this.#path = queryAt < 0 ? target : target.slice(0, queryAt);
    this.#query = queryAt < 0 ? '' : target.slice(queryAt + 1);
  }

  matchedBy({ path, parameters }: Match): this {
    this.#path = path;
    this.#parameters = parameters;
    return this;
  }

  getHeader(name: string): string {
    const { rawHeaders } = this.#message;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const sent = rawHeaders[at] as string;
      if (sent.length === name.length && (sent === name || sent.toLowerCase() === name))
        return textOf(rawHeaders[at + 1] as string);
    }
    return '';
  }

  forEach(take: (name: string, value: string) => void): void {
    const { rawHeaders } = this.#message;
    for (let at = 0; at < rawHeaders.length; at += 2)
      take((rawHeaders[at] as string).toLowerCase(), textOf(rawHeaders[at + 1] as string));
  }

  getMethod(): string {
    return (this.#message.method ?? '').toLowerCase();
  }

  getUrl(): string {
    return this.#path;
  }

  getQuery(): string {
    return this.#query;
  }

  getParameter(index: number): string {
    return this.#parameters[index] ?? '';
  }
}

/** Node reads headers as Latin-1, and uWS as UTF-8. */
function textOf(value: string): string {
  return NOT_ASCII.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}

/** The target without scheme and host, which a request to a proxy states (`GET http://host/path`). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const found = /^https?:\/\/[^/?]*/i.exec(target);
  if (!found) return target;
  const rest = target.slice(found[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
