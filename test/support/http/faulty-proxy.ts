import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to a request. It also happens to a stream that is open when the fault begins, at its next event. */
export type Fault =
  | 'none'
  /** The request gets no answer. */
  | 'hang'
  /** The connection is cut before an answer. */
  | 'cut'
  /** The request reaches the service, but the answer is lost. */
  | 'lose-answer'
  | 'status-500'
  | 'status-429'
  /** JSON that ends in the middle, with the matching content length. */
  | 'truncated-json'
  /** The connection is cut in the middle of the body. */
  | 'cut-body'
  | 'html'
  /** A stream begins, but its events are not sent on. */
  | 'hold-stream'
  /** An answer that begins and never ends. */
  | 'endless'
  /** JSON with other content. */
  | 'other-json'
  | 'empty';

const OTHER_JSON = '{"features":{"a":true},"tokens":7}';

/** A proxy in front of a service, with the faults of networks and proxies. */
export class FaultyProxy {
  readonly #server: Server;
  readonly #target: string;
  fault: Fault = 'none';
  /** Only requests to paths with this prefix get the fault. */
  path = '/';
  delayMs = 0;
  readonly #streams = new Set<ServerResponse>();
  /** All requests: method, path, and the token if there is one. */
  readonly seen: { readonly method: string; readonly path: string; readonly token: string }[] = [];

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async before(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  count(method: string, path: string): number {
    return this.seen.filter((each) => each.method === method && each.path === path).length;
  }

  /** Ends the streams that are open. */
  cutStreams(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = asked;
    this.seen.push({ method, path, token: String(headers.authorization ?? '') });
    const fault = this.#faultOf(path);
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    if (fault === 'hang') return;
    if (fault === 'cut') return void asked.socket.destroy();
    if (fault === 'status-500') return void response.writeHead(500).end('{"name":"InternalError"}');
    if (fault === 'status-429') return void response.writeHead(429, { 'retry-after': '1' }).end();
    if (fault === 'html') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
    if (fault === 'other-json') return void response.writeHead(200).end(OTHER_JSON);
    if (fault === 'hold-stream')
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (fault === 'endless') {
      response.writeHead(200);
      const more = setInterval(() => response.write(' '), 20);
      return void response.on('close', () => clearInterval(more));
    }
    if (fault === 'empty') return void response.writeHead(200).end();
    const onward = request(
      `${this.#target}${path}`,
      { method, headers: { ...headers, ...(fault !== 'none' && { 'accept-encoding': 'identity' }) } },
      (answer) => {
        if (answer.headers['content-type']?.startsWith('text/event-stream')) this.#stream(answer, response, path);
        else this.#answer(answer, response, fault);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    asked.pipe(onward);
  }

  #faultOf(path: string): Fault {
    return path.startsWith(this.path) ? this.fault : 'none';
  }

  /** Each piece of the stream gets the fault that is set when it arrives. A fault that only an answer can have ends the stream: the next request gets it. */
  #stream(answer: IncomingMessage, response: ServerResponse, path: string): void {
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
    response.writeHead(answer.statusCode ?? 0, answer.headers);
    answer.on('data', (piece: Buffer) => {
      const fault = this.#faultOf(path);
      const half = piece.subarray(0, piece.length >> 1);
      if (fault === 'none') response.write(piece);
      else if (fault === 'truncated-json') response.write(Buffer.concat([half, Buffer.from('\n\n')]));
      else if (fault === 'other-json') response.write(`event: unleash-updated\ndata: ${OTHER_JSON}\n\n`);
      else if (fault === 'cut-body') response.write(half, () => response.destroy());
      else response.destroy();
    });
    answer.on('close', () => (answer.complete ? response.end() : response.destroy()));
  }

  #answer(answer: IncomingMessage, response: ServerResponse, fault: Fault): void {
    if (fault === 'none') {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
      return;
    }
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => {
      const body = Buffer.concat(chunks);
      const half = body.subarray(0, body.length >> 1);
      if (fault === 'lose-answer') response.destroy();
      else if (fault === 'truncated-json') response.writeHead(200, { 'content-length': half.length }).end(half);
      else {
        response.writeHead(200, { 'content-length': body.length });
        response.write(half, () => response.destroy());
      }
    });
  }
}
