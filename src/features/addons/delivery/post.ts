import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { DestinationError, type Destinations } from './destinations.ts';
import type { Signing } from './signature.ts';

/** Most bytes of an answer that are read. What follows is not waited for. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** A request as a provider states it. */
export interface Message {
  /** Who gets it, if one event goes to several: a channel. */
  readonly target: string | null;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** The body, which is a text, is signed with this. */
  readonly signing?: Signing;
}

/** The answer to a request, or why there is none, as a sentence without secrets. */
export type Posted = PostAnswer | { readonly status: null; readonly problem: string };

export interface PostAnswer {
  readonly status: number;
  readonly retryAfterS: number | null;
  /** The beginning of the answer. */
  readonly text: string;
}

/**
 * Sends a POST request to a checked address and reads the beginning of the answer. Redirects are not followed: they would lead to an unchecked
 * address, with the secrets of the request. `signal` ends the request at its deadline.
 */
export async function post(message: Message, destinations: Destinations, signal: AbortSignal): Promise<Posted> {
  try {
    signal.throwIfAborted();
    const url = new URL(message.url);
    const address = await unlessAborted(destinations.addressOf(url.hostname), signal);
    return await answerOf(begin(url, address, message, signal), destinations);
  } catch (error) {
    return { status: null, problem: problemOf(error, signal) };
  }
}

function begin(url: URL, address: string, { headers, body }: Message, signal: AbortSignal): ClientRequest {
  const isTls = url.protocol === 'https:';
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const send = isTls ? httpsRequest : httpRequest;
  const request = send({
    method: 'POST',
    // The socket connects to the address that was checked; certificate and `host` are those of the name.
    host: address,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    // A connection is never used again: each one is checked.
    agent: false,
    ...(isTls && isIP(name) === 0 && { servername: name }),
    headers: {
      ...headers,
      host: url.host,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    },
    signal,
  });
  request.end(body);
  return request;
}

function answerOf(request: ClientRequest, destinations: Destinations): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    request.on('socket', (socket) => {
      socket.on('connect', () => {
        if (destinations.allows(socket.remoteAddress ?? '')) return;
        request.destroy(new DestinationError('The connection was made to an address that is not allowed.'));
      });
    });
    let isAnswered = false;
    request.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    // Also when the server changes the protocol: then there is neither a response nor an error.
    request.on('close', () => {
      if (!isAnswered) reject(new Error('The connection was closed without an answer.'));
    });
    request.on('response', (response) => {
      isAnswered = true;
      readBeginning(response, (text) => {
        resolve({ status: response.statusCode ?? 0, retryAfterS: retryAfterOf(response), text });
        request.destroy();
      });
    });
  });
}

function readBeginning(response: IncomingMessage, done: (text: string) => void): void {
  const pieces: Buffer[] = [];
  let length = 0;
  const end = () => done(Buffer.concat(pieces).toString('utf8', 0, ANSWER_BYTES_MAX));
  response.on('data', (piece: Buffer) => {
    pieces.push(piece);
    length += piece.length;
    if (length >= ANSWER_BYTES_MAX) end();
  });
  response.on('end', end);
  // The status is an answer, even if the rest of it does not arrive in time.
  response.on('error', end);
  response.on('close', end);
}

/** `Retry-After` in seconds; null if it is missing, or a date. */
function retryAfterOf({ headers }: IncomingMessage): number | null {
  const text = headers['retry-after'] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // When the signal ends the wait, nothing else waits for the work: its error must not end the process.
  work.catch(() => {});
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Texts for people. The messages of errors may contain the address, which may be a secret, so only the code of an error is shown. */
function problemOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof DestinationError) return error.message;
  if (signal.aborted) return 'The destination did not answer in time.';
  const { code } = error as { readonly code?: unknown };
  return `The connection failed${typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : ''}.`;
}
