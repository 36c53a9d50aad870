import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** An HTTP connection as bytes: it can send what no client library would send, and reads answers on request. */
export class RawConnection {
  readonly socket: Socket;
  /** Resolves when the other side has closed, in any way. */
  readonly closed: Promise<void>;
  /**
   * The bytes that arrived. The size doubles when the buffer is full, because a large answer arrives in many parts. Answers that were taken are dropped only
   * then.
   */
  #buffer = Buffer.alloc(0);
  /** The range of bytes that were not yet taken as an answer. */
  #start = 0;
  #end = 0;
  #isClosed = false;
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      const close = () => {
        this.#isClosed = true;
        this.#wake?.();
        resolve();
      };
      socket.on('end', close);
      socket.on('close', close);
      socket.on('error', close);
    });
    socket.on('data', (chunk: Buffer) => {
      this.#add(chunk);
      this.#wake?.();
    });
  }

  /** With https: over TLS; any certificate is accepted. */
  static open(url: string): Promise<RawConnection> {
    const { protocol, hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const opened = () => resolve(new RawConnection(socket));
      const socket =
        protocol === 'https:'
          ? connectTls({ port: Number(port), host: hostname, rejectUnauthorized: false }, opened)
          : connect(Number(port), hostname, opened);
      // Each write is a segment.
      socket.setNoDelay(true);
      socket.once('error', reject);
    });
  }

  write(data: string | Uint8Array): void {
    this.socket.write(data);
  }

  get #received(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  #add(chunk: Buffer): void {
    const sizeBytes = this.#end - this.#start + chunk.length;
    if (this.#end + chunk.length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(2 * sizeBytes);
      this.#received.copy(larger);
      [this.#buffer, this.#start, this.#end] = [larger, 0, this.#end - this.#start];
    }
    chunk.copy(this.#buffer, this.#end);
    this.#end += chunk.length;
  }

  /** The next answer; undefined when the connection ends before it is complete. `headOnly` for answers to HEAD. */
  async answer(headOnly = false): Promise<RawAnswer | undefined> {
    for (;;) {
      const parsed = parseAnswer(this.#received, headOnly);
      if (parsed) {
        this.#start += parsed.sizeBytes;
        if (parsed.answer.status === 100) continue;
        return parsed.answer;
      }
      if (this.#isClosed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The bytes that were not yet taken as an answer. */
  get unread(): string {
    return this.#received.toString('latin1');
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** Sends bytes on a new connection and returns the first answer. */
export async function rawRequest(
  url: string,
  data: string | Uint8Array,
  headOnly = false,
): Promise<RawAnswer | undefined> {
  const connection = await RawConnection.open(url);
  connection.write(data);
  const answer = await connection.answer(headOnly);
  connection.destroy();
  return answer;
}

/** Lines of a request head, with the empty line after them. */
export function head(requestLine: string, ...headers: string[]): string {
  return [requestLine, 'host: test', ...headers, '', ''].join('\r\n');
}

function parseAnswer(bytes: Buffer, headOnly: boolean): { answer: RawAnswer; sizeBytes: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const bodyStart = headEnd + 4;
  const bodyless = headOnly || status === 304 || status === 204 || status === 100;
  if (bodyless) return { answer: { status, headers, body: Buffer.alloc(0) }, sizeBytes: bodyStart };
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunked = parseChunks(bytes, bodyStart);
    return chunked && { answer: { status, headers, body: chunked.body }, sizeBytes: chunked.end };
  }
  // uWS's own refusals have no length: they end with the connection.
  const lengthBytes = headers.has('content-length') ? Number(headers.get('content-length')) : bytes.length - bodyStart;
  const end = bodyStart + lengthBytes;
  if (bytes.length < end) return undefined;
  return { answer: { status, headers, body: bytes.subarray(bodyStart, end) }, sizeBytes: end };
}

function parseChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const sizeBytes = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const dataStart = lineEnd + 2;
    if (sizeBytes === 0) {
      // The lines between are trailers.
      const end = bytes.indexOf('\r\n\r\n', lineEnd);
      return end < 0 ? undefined : { body: Buffer.concat(chunks), end: end + 4 };
    }
    if (bytes.length < dataStart + sizeBytes + 2) return undefined;
    chunks.push(bytes.subarray(dataStart, dataStart + sizeBytes));
    at = dataStart + sizeBytes + 2;
  }
}
