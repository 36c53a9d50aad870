import { messageOf, reasonOf } from '../../base/remote-error.ts';
import { ProgramError } from '../program/subcommand.ts';

/** Maximum number of concurrent requests to one instance. It is low, so that a source in production does not become slower. */
const REQUESTS_MAX = 6;

/** Time limit for one request and its answer. */
const TIMEOUT_MS = 60_000;

/** Maximum size of one answer. A list of 100,000 flags has a tenth of this size. */
const ANSWER_BYTES_MAX = 512 * 1024 * 1024;

/** Maximum number of attempts for one request. All attempts, with the waits between them, take about half a minute. */
const ATTEMPTS_MAX = 6;
const FIRST_WAIT_MS = 500;
const WAIT_MAX_MS = 15_000;

interface ClientOptions {
  /** The name of the instance in messages, such as "the source". */
  readonly role: string;
  readonly url: string;
  readonly token: string;
  readonly random?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** The ETag of the answer; "" if the answer has none. */
  readonly etag: string;
}

/**
 * Client of the admin API of an Unleash or a Burgee. It sends few concurrent requests. It sends a request again if the instance does not answer, or
 * answers 429 or a server error. Messages contain paths and statuses, but never request bodies, because bodies contain secrets.
 */
export class InstanceClient {
  readonly url: string;
  readonly role: string;
  readonly #token: string;
  readonly #random: () => number;
  readonly #wait: (ms: number) => Promise<void>;
  #activeRequests = 0;
  readonly #waiting: (() => void)[] = [];

  constructor({ role, url, token, random = Math.random, wait = sleep }: ClientOptions) {
    this.role = role;
    this.url = url;
    this.#token = token;
    this.#random = random;
    this.#wait = wait;
  }

  /** The JSON answer of a path. @throws ProgramError */
  async get(path: string): Promise<unknown> {
    return this.parse('GET', path, await this.ask('GET', path));
  }

  /**
   * Same as `get`, but undefined if this version or edition does not have the path: the answer is 404, or 403 for a paid feature.
   * @throws ProgramError
   */
  async getOptional(path: string): Promise<unknown> {
    const reply = await this.ask('GET', path);
    return reply.status === 404 || reply.status === 403 ? undefined : this.parse('GET', path, reply);
  }

  /** @throws ProgramError */
  async post(path: string, body: unknown): Promise<unknown> {
    return this.parse('POST', path, await this.ask('POST', path, body));
  }

  /** Sends a request, and sends it again after a temporary failure. Resolves with the final answer. @throws ProgramError if there is no answer */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    await this.#waitForTurn();
    try {
      return await this.#withRetries(method, path, body, headers);
    } finally {
      this.#activeRequests--;
      this.#waiting.shift()?.();
    }
  }

  /** An error for an answer that is not a success, with a message for users. */
  problem(method: string, path: string, { status, text }: Reply): ProgramError {
    const where = `${this.role} ${this.url}`;
    const what = `${method} ${withoutSecrets(path)}`;
    if (status === 401)
      return new ProgramError(
        `${where} rejected the token (401). Use an admin token, or a personal access token of an admin.`,
      );
    if (status === 403)
      return new ProgramError(
        `${where} does not allow ${what} with this token (403: ${messageOf(text).replace(/\.$/, '')}). The token must belong to an admin.`,
      );
    if (status === 404)
      return new ProgramError(
        `${where} answers ${what} with 404. Check the address: it must include the base path and must not end in /api.`,
      );
    if (status >= 300 && status < 400)
      return new ProgramError(
        `${where} answers ${what} with a redirect (${status}). Use the address to which it redirects.`,
      );
    return new ProgramError(`${where} refused ${what}: ${status} ${messageOf(text)}`);
  }

  /** Waits until fewer than `REQUESTS_MAX` requests are active. */
  async #waitForTurn(): Promise<void> {
    if (this.#activeRequests >= REQUESTS_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#activeRequests++;
  }

  async #withRetries(
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(method, path, body, headers);
      const isFinal = !(outcome instanceof Failure) && outcome.status !== 429 && outcome.status < 500;
      if (isFinal) return outcome;
      if (attempt === ATTEMPTS_MAX) {
        if (!(outcome instanceof Failure)) throw this.problem(method, path, outcome);
        throw new ProgramError(`no answer from ${this.role} ${this.url}: ${outcome.reason}`);
      }
      const doubled = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), WAIT_MAX_MS);
      const sent = Math.min((outcome.retryAfterS ?? 0) * 1_000, WAIT_MAX_MS);
      await this.#wait(Math.max(sent, doubled * (0.5 + this.#random() / 2)));
    }
  }

  async #attempt(
    method: string,
    path: string,
    body: unknown,
    extraHeaders: Readonly<Record<string, string>>,
  ): Promise<(Reply & { readonly retryAfterS?: number }) | Failure> {
    const headers: Record<string, string> = { accept: 'application/json', authorization: this.#token, ...extraHeaders };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await fetch(`${this.url}${path}`, { method, headers, signal, redirect: 'manual', ...sent });
      const retryAfterS = Number(answer.headers.get('retry-after')) || 0;
      const etag = answer.headers.get('etag') ?? '';
      return { status: answer.status, text: await readText(answer), etag, retryAfterS };
    } catch (error) {
      return new Failure(reasonOf(error));
    }
  }

  /** The JSON of an answer. @throws ProgramError for an answer that is not a success or not JSON */
  parse(method: string, path: string, reply: Reply): unknown {
    if (reply.status >= 300) throw this.problem(method, path, reply);
    if (reply.text === '') return undefined;
    try {
      return JSON.parse(reply.text);
    } catch {
      throw new ProgramError(
        `${this.role} ${this.url} answers ${withoutSecrets(path)} with text that is not JSON. Check the address: it must include the base path.`,
      );
    }
  }
}

/** The result of a request that got no answer. */
class Failure {
  readonly reason: string;
  readonly retryAfterS = 0;

  constructor(reason: string) {
    this.reason = reason;
  }
}

async function readText(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > ANSWER_BYTES_MAX) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** A path for messages: without its query, and without the secret of a token. */
function withoutSecrets(path: string): string {
  return (path.split('?')[0] ?? '').replace(/(\/api-tokens\/).+/, '$1…');
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
