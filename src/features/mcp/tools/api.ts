import { messageOf } from '../../../base/remote-error.ts';
import type { InnerAnswer, InnerRequest } from '../../../http/inner-calls.ts';

/** Sends a request to an operation of the admin API, with the rights of one caller. */
export type Send = (request: InnerRequest) => Promise<InnerAnswer>;

/** A problem that the caller of a tool reads, in plain words. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** The API has refused a request. */
export class RefusedError extends ToolError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;

interface Request {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  /** Why the caller makes the change. */
  readonly reason?: string | undefined;
}

/** The admin API, as tools use it. Paths are those of the operations, with their parameters as `:name`. */
export class Api {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Reads. @throws RefusedError */
  get<T>(path: string, request: Request = {}): Promise<T> {
    return this.#call('get', path, request);
  }

  /** Sends a body; the answer may have none. @throws RefusedError */
  post<T>(path: string, request: Request = {}): Promise<T> {
    return this.#call('post', path, request);
  }

  /** @throws RefusedError */
  put<T>(path: string, request: Request = {}): Promise<T> {
    return this.#call('put', path, request);
  }

  /** @throws RefusedError */
  delete(path: string, request: Request = {}): Promise<unknown> {
    return this.#call('delete', path, request);
  }

  async #call<T>(method: InnerRequest['method'], path: string, request: Request): Promise<T> {
    const { params = {}, query = {}, body, reason } = request;
    const { status, text } = await this.#send({
      method,
      path,
      params,
      query: queryText(query),
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: reason === undefined ? {} : { 'burgee-reason': encodeURIComponent(reason) },
    });
    if (status >= 300) throw new RefusedError(status, refusalText(status, text));
    if (text === '') return null as T;
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new ToolError('The answer of the service is not JSON. Is this the address of Burgee or Unleash?');
    }
  }
}

function queryText(query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  return params.toString();
}

/** What a status means for the caller of a tool. The message of the API names the missing permission. */
function refusalText(status: number, text: string): string {
  const message = messageOf(text) || `The service answered with status ${status}.`;
  if (status === 401) return `The token is missing, unknown or has expired. ${message}`;
  if (status === 403) return `Not allowed. ${message}`;
  if (status === 404) return `Not found, or this token may not see it. ${message}`;
  if (status === 429 || status === 503) return `Not possible at the moment; try again later. ${message}`;
  if (status >= 300 && status < 400) return 'The service sends requests to another address: use that address.';
  return message;
}
