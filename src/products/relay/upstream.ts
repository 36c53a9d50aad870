import {
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
  type RequestOptions,
} from 'node:http';
import { request as secureRequest, Agent as TlsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Semaphore } from '../../base/semaphore.ts';
import { VERSION } from '../../base/version.ts';
import { type AnswerMemory, PIECE_BYTES } from './answer-memory.ts';
import type { RelayOptions } from './relay-options.ts';
import { UpstreamError, upstreamError } from './upstream-error.ts';
import { tlsOptions } from './upstream-tls.ts';

/** Answers other than lists, unpacked: those about 200 tokens are far smaller. */
const SMALL_BYTES_MAX = 4 * 1024 * 1024;
/** Connections that are kept open between requests. */
const IDLE_SOCKETS_MAX = 16;
/** Connections at a time: scopes are asked side by side, and upstream is not to be run over after an outage. */
const SOCKETS_MAX = 16;

/** An answer that has an end has ended by then, however steadily it comes. */
const ANSWER_MS_MAX = 120_000;

export interface UpstreamAnswer {
  readonly status: number;
  /** "" when absent. `name` in lower case. */
  header(name: string): string;
  readonly body: Uint8Array;
}

type Opened = Omit<UpstreamAnswer, 'body'> & { readonly body: Readable };

interface UpstreamRequest {
  readonly method?: 'GET' | 'POST';
  /** Begins with `/api` or `/edge`. */
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The same, as text. */
  readonly json?: string;
  /** The answer has no end: it does not count among the connections. */
  readonly isStream?: boolean;
  /** Ends it, whether it has begun or not. */
  readonly signal?: AbortSignal;
}

type UpstreamFacts = Pick<
  RelayOptions,
  'upstreamUrl' | 'connectMs' | 'timeoutMs' | 'headers' | 'tls' | 'authHeader' | 'appName' | 'instanceId'
>;

/** Asks upstream. Everything that can go wrong with that is an `UpstreamError`; a status that is no success is not. */
export class Upstream {
  /** What its answers take in memory. */
  readonly memory: AnswerMemory;
  /** Streams that begin: each receives all of its scope first. */
  readonly beginnings = new Semaphore(SOCKETS_MAX);
  readonly #facts: UpstreamFacts;
  readonly #isTls: boolean;
  readonly #agent: PlainAgent;
  /** As many connections as there are scopes. */
  readonly #streams: PlainAgent;

  constructor(facts: UpstreamFacts, memory: AnswerMemory) {
    this.#facts = facts;
    this.memory = memory;
    this.#isTls = /^https:/i.test(facts.upstreamUrl);
    const sockets = { keepAlive: true, maxSockets: SOCKETS_MAX, maxFreeSockets: IDLE_SOCKETS_MAX };
    const tls = tlsOptions(facts.tls);
    this.#agent = this.#isTls ? new TlsAgent({ ...sockets, ...tls }) : new PlainAgent(sockets);
    this.#streams = this.#isTls ? new TlsAgent(tls) : new PlainAgent();
  }

  /** The whole answer, which is not large. Each step of it is waited for as long as the options say. @throws UpstreamError */
  async ask(asked: UpstreamRequest): Promise<UpstreamAnswer> {
    const { status, header, body } = await this.open(asked);
    let lengthBytes = 0;
    const take = (bytes: number) => {
      lengthBytes += bytes;
      if (lengthBytes > SMALL_BYTES_MAX) throw new UpstreamError(`the answer is larger than ${SMALL_BYTES_MAX} bytes`);
      return undefined;
    };
    return { status, header, body: await whole(body, take) };
  }

  /** The same of one that may be large. Its memory is counted until `use` has done with it. @throws UpstreamError, and what `use` throws */
  async read<T>(asked: UpstreamRequest, use: (answer: UpstreamAnswer) => Promise<T>): Promise<T> {
    const share = this.memory.begin();
    try {
      const { status, header, body } = await this.open(asked);
      return await use({ status, header, body: await whole(body, (bytes) => share.take(bytes)) });
    } finally {
      share.give();
    }
  }

  /** An answer whose body is read as it comes. The code that opens it reads or destroys it. @throws UpstreamError */
  open(asked: UpstreamRequest, idleMs = this.#facts.timeoutMs): Promise<Opened> {
    const { method = 'GET', path, token, body, json, isStream, signal } = asked;
    const { upstreamUrl, headers, authHeader, appName, instanceId, connectMs } = this.#facts;
    const text = body === undefined ? json : JSON.stringify(body);
    const bytes = text === undefined ? undefined : Buffer.from(text);
    const options: RequestOptions = {
      method,
      agent: isStream ? this.#streams : this.#agent,
      ...(signal && { signal }),
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip',
        'user-agent': `burgee/${VERSION}`,
        'unleash-appname': appName,
        'unleash-instanceid': instanceId,
        ...headers,
        ...asked.headers,
        ...(token !== undefined && { [authHeader]: token }),
        ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
      },
    };
    const opened = new Promise<Opened>((resolve, reject) => {
      const send = this.#isTls ? secureRequest : plainRequest;
      let answer: IncomingMessage | undefined;
      const request = send(`${upstreamUrl}${path}`, options, (response) => {
        answer = response;
        resolve({
          status: response.statusCode ?? 0,
          header: (name) => String(response.headers[name] ?? ''),
          body: unpacked(response),
        });
      });
      // Not before there is a request: one that cannot even begin throws, and must leave no timer.
      const tooLate = () => request.destroy(new UpstreamError(`no whole answer within ${ANSWER_MS_MAX} ms`));
      const deadline = isStream ? undefined : setTimeout(tooLate, ANSWER_MS_MAX);
      whenConnected(request, this.#isTls, connectMs, () => {
        // Of the connection, whatever it waits for: the first byte as well as the next one.
        request.setTimeout(idleMs, () => {
          // What has come is not read yet: it is us who are waited for.
          if (answer && answer.readableLength > 0) answer.socket.setTimeout(idleMs);
          else request.destroy(new UpstreamError(`no answer within ${idleMs} ms`));
        });
      });
      request.on('error', reject);
      request.on('close', () => clearTimeout(deadline));
      request.end(bytes);
    });
    // Also what throws at once.
    return opened.catch((error: unknown) => Promise.reject(upstreamError(error)));
  }

  /** Answers without an end end now, those that have not begun, too. */
  closeStreams(): void {
    this.#streams.destroy();
  }

  /** What is still asked is given up. */
  close(): void {
    this.#agent.destroy();
    this.#streams.destroy();
  }
}

/** A connection that is kept open is there at once, and one that a request waits its turn for takes no time yet. */
function whenConnected(request: ClientRequest, isTls: boolean, connectMs: number, then: () => void): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return then();
    const tooLate = () => request.destroy(new UpstreamError(`no connection within ${connectMs} ms`));
    const deadline = setTimeout(tooLate, connectMs);
    request.once('close', () => clearTimeout(deadline));
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(deadline);
      then();
    });
  });
}

function unpacked(response: IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  const gunzip = createGunzip();
  // Either end that fails ends the other; the reader of the unpacked one gets the error.
  pipeline(response, gunzip, () => {});
  return gunzip;
}

/** `take` is called with what comes, and may make it wait. @throws UpstreamError */
async function whole(body: Readable, take: (bytes: number) => Promise<void> | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      await take(chunk.length + PIECE_BYTES);
      chunks.push(chunk);
    }
  } catch (error) {
    throw upstreamError(error);
  }
  return Buffer.concat(chunks);
}
