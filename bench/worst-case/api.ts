import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from '../support/service.ts';

export interface Sent {
  readonly status: number;
  /** Of the answer, as far as it was read. */
  readonly bytes: number;
  /** The beginning of the answer: enough to tell why it was refused. */
  readonly text: string;
  /** "" when there is none. */
  readonly etag: string;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const TEXT_CHARS_MAX = 100_000;
/** Answers without an end of their own are left after this. */
const ANSWER_MAX_MS = 20_000;

/** Calls a service as whoever the path is for, and reads every byte of the answer without keeping it. */
export class Api {
  readonly #url: string;
  /** Kept, or they would be closed. */
  readonly #followed: Response[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async send({ method, path, body, contentType = 'application/json', headers = {} }: Call): Promise<Sent> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(this.#url + path, {
      method,
      // What sends a browser elsewhere is answered: nobody goes there.
      redirect: 'manual',
      headers: {
        authorization: tokenFor(path),
        ...(text !== undefined && { 'content-type': contentType }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    });
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    const leaveAtMs = performance.now() + ANSWER_MAX_MS;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    for await (const piece of response.body ?? []) {
      if (bytes < TEXT_CHARS_MAX) pieces.push(piece);
      bytes += piece.length;
      // A stream says nothing more after its first event: nothing changes here meanwhile.
      if (performance.now() > leaveAtMs || (isStream && isEndOfEvent(piece))) break;
    }
    const etag = response.headers.get('etag') ?? '';
    return { status: response.status, bytes, etag, text: Buffer.concat(pieces).toString().slice(0, TEXT_CHARS_MAX) };
  }

  /** Opens a stream and leaves it open; what its first event says. */
  async follow(path: string): Promise<string> {
    const response = await fetch(this.#url + path, { headers: { authorization: tokenFor(path) } });
    this.#followed.push(response);
    let text = '';
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    while (!/data: .*\n\n/.test(text)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`${path} ended: ${text.slice(0, 300)}`);
      text += Buffer.from(value).toString();
    }
    return text;
  }

  /** For what has to work. @throws Error when it was refused. */
  async accepted(call: Call): Promise<unknown> {
    const { status, text } = await this.send(call);
    if (status >= 300) throw new Error(`${call.method} ${call.path.slice(0, 200)}: ${status} ${text.slice(0, 300)}`);
    return text === '' || text.length === TEXT_CHARS_MAX ? undefined : JSON.parse(text);
  }
}

/** What a stream begins with, when to come back, is shorter than that. */
function isEndOfEvent(piece: Uint8Array): boolean {
  return piece.length > 64 && piece.at(-1) === 0x0a && piece.at(-2) === 0x0a;
}

function tokenFor(path: string): string {
  if (path.startsWith('/api/client') || path === '/edge/metrics') return CLIENT_TOKEN;
  return /^\/(api\/frontend|api\/proxy|ofrep)/.test(path) ? FRONTEND_TOKEN : ADMIN_TOKEN;
}
