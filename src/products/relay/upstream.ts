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
import { Semaphore } from '../../base/queues/semaphore.ts';
import { VERSION } from '../../base/version.ts';
import { type AnswerMemory, PIECE_BYTES } from './answer-memory.ts';
import type { RelayOptions } from './relay-options.ts';
import { toUpstreamError, UpstreamError } from './upstream-error.ts';
import { tlsOptions } from './upstream-tls.ts';

/** Maximum size of answers other than lists, after decompression: an answer about 200 tokens is far smaller. */
const SMALL_BYTES_MAX = 4 * 1024 * 1024;
/** Maximum number of idle connections. */
const IDLE_SOCKETS_MAX = 16;
/** Maximum number of connections: scopes are requested concurrently, and these requests must not overload upstream after an outage. */
const SOCKETS_MAX = 16;

/** Maximum duration of an answer that is not a stream, even if data keeps arriving. */
const ANSWER_MS_MAX = 120_000;

export interface UpstreamAnswer {
  readonly status: number;
  /** The value of a header; "" when it is absent. `name` must be in lower case. */
  header(name: string): string;
  readonly body: Uint8Array;
}

type OpenAnswer = Omit<UpstreamAnswer, 'body'> & { readonly body: Readable };

interface UpstreamRequest {
  readonly method?: 'GET' | 'POST';
  /** The path of the request; it begins with `/api` or `/edge`. */
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, which is sent as JSON. */
  readonly body?: unknown;
  /** The body as JSON text, used instead of `body`. */
  readonly json?: string;
  /** The answer is an endless stream: it is not counted in the connection limit. */
  readonly isStream?: boolean;
  /** Aborts the request, even before it has begun. */
  readonly signal?: AbortSignal;
}

type UpstreamDetails = Pick<
  RelayOptions,
  'upstreamUrl' | 'connectMs' | 'timeoutMs' | 'headers' | 'tls' | 'authHeader' | 'appName' | 'instanceId'
>;

/** Sends requests to upstream. Every failure is an `UpstreamError`; an answer with an error status is not a failure. */
export class Upstream {
  /** Memory accounting of the answers. */
  readonly memory: AnswerMemory;
  /** Limits the number of streams that begin at the same time, because each stream first receives its whole scope. */
  readonly beginnings = new Semaphore(SOCKETS_MAX);
  readonly #details: UpstreamDetails;
  readonly #isTls: boolean;
  readonly #agent: PlainAgent;
  /** Agent for streams: one connection per scope. */
  readonly #streams: PlainAgent;

  constructor(details: UpstreamDetails, memory: AnswerMemory) {
    this.#details = details;
    this.memory = memory;
    this.#isTls = /^https:/i.test(details.upstreamUrl);
    const sockets = { keepAlive: true, maxSockets: SOCKETS_MAX, maxFreeSockets: IDLE_SOCKETS_MAX };
    const tls = tlsOptions(details.tls);
    this.#agent = this.#isTls ? new TlsAgent({ ...sockets, ...tls }) : new PlainAgent(sockets);
    this.#streams = this.#isTls ? new TlsAgent(tls) : new PlainAgent();
  }

  /** Reads a complete small answer. The options define the time limit of each step. @throws UpstreamError */
  async ask(upstreamRequest: UpstreamRequest): Promise<UpstreamAnswer> {
    const { status, header, body } = await this.open(upstreamRequest);
    let lengthBytes = 0;
    const take = (bytes: number) => {
      lengthBytes += bytes;
      if (lengthBytes > SMALL_BYTES_MAX)
        throw new UpstreamError(`the answer of upstream is larger than ${SMALL_BYTES_MAX} bytes`);
      return undefined;
    };
    return { status, header, body: await readWhole(body, take) };
  }

  /** Like `ask`, for an answer that may be large. Its memory is accounted until `use` has finished. @throws UpstreamError, and errors of `use` */
  async read<T>(upstreamRequest: UpstreamRequest, use: (answer: UpstreamAnswer) => Promise<T>): Promise<T> {
    const share = this.memory.begin();
    try {
      const { status, header, body } = await this.open(upstreamRequest);
      return await use({ status, header, body: await readWhole(body, (bytes) => share.take(bytes)) });
    } finally {
      share.give();
    }
  }

  /** Opens an answer whose body is read as it arrives. The caller must read or destroy it. @throws UpstreamError */
  open(upstreamRequest: UpstreamRequest, idleMs = this.#details.timeoutMs): Promise<OpenAnswer> {
    const { method = 'GET', path, token, body, json, isStream, signal } = upstreamRequest;
    const { upstreamUrl, headers, authHeader, appName, instanceId, connectMs } = this.#details;
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
        ...upstreamRequest.headers,
        ...(token !== undefined && { [authHeader]: token }),
        ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
      },
    };
    const openAnswer = new Promise<OpenAnswer>((resolve, reject) => {
      const send = this.#isTls ? secureRequest : plainRequest;
      let answer: IncomingMessage | undefined;
      const request = send(`${upstreamUrl}${path}`, options, (response) => {
        answer = response;
        resolve({
          status: response.statusCode ?? 0,
          header: (name) => String(response.headers[name] ?? ''),
          body: decompress(response),
        });
      });
      // The timer is set after the request exists: if creating the request throws, no timer may remain.
      const onTimeout = () => request.destroy(new UpstreamError(`no complete answer within ${ANSWER_MS_MAX} ms`));
      const deadline = isStream ? undefined : setTimeout(onTimeout, ANSWER_MS_MAX);
      whenConnected(request, this.#isTls, connectMs, () => {
        // Idle timeout of the connection, for the first byte and between two later ones.
        request.setTimeout(idleMs, () => {
          // Received data waits for this relay to read it, so this relay is slow, and not upstream.
          if (answer && answer.readableLength > 0) answer.socket.setTimeout(idleMs);
          else request.destroy(new UpstreamError(`no answer within ${idleMs} ms`));
        });
      });
      request.on('error', reject);
      request.on('close', () => clearTimeout(deadline));
      request.end(bytes);
    });
    // This also converts errors that are thrown synchronously.
    return openAnswer.catch((error: unknown) => Promise.reject(toUpstreamError(error)));
  }

  /** Ends all streams, including those that have not begun. */
  closeStreams(): void {
    this.#streams.destroy();
  }

  /** Aborts running requests. */
  close(): void {
    this.#agent.destroy();
    this.#streams.destroy();
  }
}

/** Starts the connection timeout when the request gets a socket: a reused socket is already connected, and a queued request has none yet. */
function whenConnected(request: ClientRequest, isTls: boolean, connectMs: number, onConnected: () => void): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return onConnected();
    const onTimeout = () => request.destroy(new UpstreamError(`no connection within ${connectMs} ms`));
    const deadline = setTimeout(onTimeout, connectMs);
    request.once('close', () => clearTimeout(deadline));
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(deadline);
      onConnected();
    });
  });
}

function decompress(response: IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  const gunzip = createGunzip();
  // A failure of one stream ends the other; the reader of the decompressed stream gets the error.
  pipeline(response, gunzip, () => {});
  return gunzip;
}

/** Reads a whole body. `take` is called with the size of each piece, and may delay the reading. @throws UpstreamError */
async function readWhole(body: Readable, take: (bytes: number) => Promise<void> | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      await take(chunk.length + PIECE_BYTES);
      chunks.push(chunk);
    }
  } catch (error) {
    throw toUpstreamError(error);
  }
  return Buffer.concat(chunks);
}
