import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { AnswerParser, type RawAnswer } from './answer-parser.ts';

/** Maximum time of a request: a bench that hangs measures nothing. */
const ANSWER_TIMEOUT_MS = 30_000;

export interface Target {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

export function targetOf(url: string): Target {
  const { protocol, hostname, port } = new URL(url);
  const secure = protocol === 'https:';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 443 : 80), secure };
}

/** The bytes of a request. `path` begins with "/". */
export function requestBytes(
  method: string,
  target: Target,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Buffer {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${target.host}:${target.port}\r\n`;
  for (const [name, value] of Object.entries(headers)) text += `${name}: ${value}\r\n`;
  if (body !== '' || method !== 'GET') text += `content-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${text}\r\n${body}`);
}

interface Waiting {
  readonly request: Uint8Array;
  readonly resolve: (answer: RawAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly deadline: NodeJS.Timeout;
}

/**
 * One keep-alive connection with one request at a time. It does as little as possible: on few cores, the cost of a client library would count as the
 * server's. It connects on first use, and again after the connection was lost. If the server closes an idle connection just when a request is sent, the
 * request is sent once more, as every HTTP client does.
 */
export class Connection {
  readonly #target: Target;
  readonly #keepBodies: boolean;
  readonly #timeoutMs: number;
  #socket: Socket | undefined;
  #parser: AnswerParser;
  #waiting: Waiting | undefined;
  /** Whether this socket has answered before: only then can the server have closed it because it was idle. */
  #reused = false;
  #answerBegun = false;
  /** How often it connected. */
  connects = 0;

  constructor(target: Target, options: { readonly keepBodies?: boolean; readonly timeoutMs?: number } = {}) {
    this.#target = target;
    this.#keepBodies = options.keepBodies ?? false;
    this.#timeoutMs = options.timeoutMs ?? ANSWER_TIMEOUT_MS;
    this.#parser = new AnswerParser(this.#keepBodies);
  }

  /** Rejects when the connection fails or ends before the answer is complete, or when the answer takes too long. */
  ask(request: Uint8Array): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#waiting) return reject(new Error('one request at a time'));
      const deadline = setTimeout(() => this.#fail(new Error('no answer in time')), this.#timeoutMs);
      this.#waiting = { request, resolve, reject, deadline };
      this.#answerBegun = false;
      this.#socket ??= this.#connect();
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#fail(new Error('closed'));
  }

  #connect(): Socket {
    const { host, port, secure } = this.#target;
    const socket = secure ? connectSecure({ host, port, servername: host }) : connectPlain({ host, port });
    this.#parser = new AnswerParser(this.#keepBodies);
    this.#reused = false;
    this.connects++;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#onData(chunk, socket));
    socket.on('error', (error) => this.#onLost(socket, error));
    socket.on('close', () => this.#onLost(socket, new Error('the connection was closed')));
    return socket;
  }

  #onData(chunk: Buffer, socket: Socket): void {
    if (socket !== this.#socket) return;
    this.#answerBegun = true;
    let answer: RawAnswer | undefined;
    try {
      answer = this.#parser.push(chunk);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (!answer) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#reused = true;
    if (answer.closes || !waiting) this.#drop();
    if (!waiting) return;
    clearTimeout(waiting.deadline);
    waiting.resolve(answer);
  }

  #onLost(socket: Socket, error: Error): void {
    if (socket !== this.#socket) return;
    if (!this.#waiting || !this.#reused || this.#answerBegun) {
      this.#fail(error);
      return;
    }
    this.#drop();
    this.#socket = this.#connect();
    this.#socket.write(this.#waiting.request);
  }

  #fail(error: Error): void {
    this.#drop();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting) return;
    clearTimeout(waiting.deadline);
    waiting.reject(error);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }
}
