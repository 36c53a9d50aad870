import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from '../../../../bench/support/service.ts';

export interface Sent {
  readonly status: number;
  /** Bytes of the answer that were read. */
  readonly bytes: number;
  /** The beginning of the answer: enough to see why the request was refused. */
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
/** Answers that do not end are abandoned after this time. */
const ANSWER_MAX_MS = 20_000;

/** Calls a service with the token that the path needs. Reads the whole answer, but keeps only its beginning. */
export class Api {
  readonly #url: string;
  /** The authorization of an identity provider; "" until `scimToken` has created it. */
  scimToken = '';
  /** References to open streams: without one, the garbage collector would close the stream. */
  readonly #followed: Response[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async send({ method, path, body, contentType = 'application/json', headers = {} }: Call): Promise<Sent> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(this.#url + path, {
      method,
      // A redirect is an answer and is not followed.
      redirect: 'manual',
      headers: {
        authorization: path.startsWith('/scim/') ? this.scimToken : tokenFor(path),
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
      // A stream sends nothing more after its first event, because nothing changes meanwhile.
      if (performance.now() > leaveAtMs || (isStream && isEndOfEvent(piece))) break;
    }
    const etag = response.headers.get('etag') ?? '';
    return { status: response.status, bytes, etag, text: Buffer.concat(pieces).toString().slice(0, TEXT_CHARS_MAX) };
  }

  /** Opens a stream, leaves it open and returns the text of its first event. */
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

  /** For calls that have to succeed. @throws Error when the call was refused. */
  async accepted(call: Call): Promise<unknown> {
    const { status, text } = await this.send(call);
    if (status >= 300) throw new Error(`${call.method} ${call.path.slice(0, 200)}: ${status} ${text.slice(0, 300)}`);
    return text === '' || text.length === TEXT_CHARS_MAX ? undefined : JSON.parse(text);
  }
}

/** The first line of a stream, which is its retry interval, is shorter than that. */
function isEndOfEvent(piece: Uint8Array): boolean {
  return piece.length > 64 && piece.at(-1) === 0x0a && piece.at(-2) === 0x0a;
}

function tokenFor(path: string): string {
  if (path.startsWith('/api/client') || path === '/edge/metrics') return CLIENT_TOKEN;
  return /^\/(api\/frontend|api\/proxy|ofrep)/.test(path) ? FRONTEND_TOKEN : ADMIN_TOKEN;
}
