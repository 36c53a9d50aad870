import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Front, RouteMethod, Serve, TlsFiles } from '../front.ts';
import { listenErrorOf } from '../listen-error.ts';
import { RouteTable } from '../route-table.ts';
import { NodeRequest } from './node-request.ts';
import { announceEnd, isClosing, NodeResponse } from './node-response.ts';

/** The largest request head in bytes: twice the limit of `request.ts`, so that a caller with a too large head gets an error in JSON. */
const HEAD_BYTES_MAX = 64 * 1024;
/** uWS refuses more headers, too. */
const HEADERS_MAX = 100;
/** A caller must send its whole head in this time, and end the handshake of TLS in as much. */
const HEAD_TIMEOUT_MS = 10_000;
/** Interval of the checks of that. */
const CHECK_EVERY_MS = 1_000;
/** A connection on which nothing moves for so long is closed, unless the caller waits for an answer (`NodeResponse.onAborted`). */
const STALLED_MS = 60_000;
/** Requests that may wait behind another one on their connection. */
const QUEUED_MAX = 32;
/** How long a connection stays open after an answer while the server stops. */
const CLOSING_KEEP_ALIVE_MS = 500;
/** Pause between two looks at the connections that are still open at the end. */
const CLOSING_STEP_MS = 10;

export interface NodeFrontOptions {
  /** How long a connection without a request stays open. */
  readonly keepAliveMs: number;
}

/** A front on Node's own HTTP server. */
export class NodeFront implements Front {
  readonly #server: Server;
  readonly #routes = new RouteTable();
  readonly #sockets = new Set<Socket>();
  /** The answers that wait behind another one on their connection. */
  readonly #queued = new WeakMap<Socket, Set<ServerResponse>>();

  constructor(tls: TlsFiles | undefined, { keepAliveMs }: NodeFrontOptions) {
    const options: ServerOptions = {
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: HEAD_TIMEOUT_MS,
      // Bodies have the deadline of their exchange.
      requestTimeout: 0,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      keepAliveTimeout: keepAliveMs,
      noDelay: true,
    };
    this.#server = tls
      ? createTlsServer({
          ...options,
          handshakeTimeout: HEAD_TIMEOUT_MS,
          key: readFileSync(tls.keyFile),
          cert: readFileSync(tls.certificateFile),
        })
      : createServer(options);
    const server = this.#server;
    // Node would leave out the headers above a limit without a word. They are counted in `#serve`; the limit of bytes bounds them.
    server.maxHeadersCount = 0;
    server.timeout = STALLED_MS;
    server.on('request', (message, response) => this.#serve(message, response, false));
    server.on('checkContinue', (message, response) => this.#serve(message, response, true));
    // Node would refuse expectations that it does not know. A server may ignore them (RFC 9110, 10.1.1).
    server.on('checkExpectation', (message, response) => this.#serve(message, response, false));
    const keep = (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#endQueued(socket);
      });
    };
    server.on('connection', keep);
    if (tls) server.on('secureConnection', keep);
  }

  route(method: RouteMethod, pattern: string, serve: Serve): void {
    this.#routes.add(method, pattern, serve);
  }

  #serve(message: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const { socket } = message;
    if (isClosing(socket)) return;
    if (message.rawHeaders.length > 2 * HEADERS_MAX) {
      announceEnd(socket);
      response.writeHead(431, { connection: 'close', 'content-length': 0 }).end();
      return;
    }
    if (response.socket === null && !this.#mayQueue(socket, response)) return;
    const request = new NodeRequest(message);
    const match = this.#routes.find(message.method ?? '', request.getUrl());
    const answer = new NodeResponse(response, message, awaitsContinue);
    if (match) match.serve(answer, request.matchedBy(match));
    else this.#routes.fallback?.(answer, request);
  }

  /**
   * Whether a request may wait behind the unfinished answers of its connection. Without a bound, a caller that sends many requests in one read would have
   * all their answers in memory at the same time.
   */
  #mayQueue(socket: Socket, response: ServerResponse): boolean {
    const queued = this.#queued.get(socket) ?? new Set();
    if (queued.size >= QUEUED_MAX) {
      socket.destroy();
      return false;
    }
    this.#queued.set(socket, queued.add(response));
    response.on('finish', () => queued.delete(response));
    return true;
  }

  /** Node reports the end of a connection to the answer that it sends. The answers behind it would wait for their turn, and stay in memory. */
  #endQueued(socket: Socket): void {
    for (const response of this.#queued.get(socket) ?? []) if (response.socket === null) response.emit('close');
  }

  listen(host: string, port: number, sharePort: boolean): Promise<number> {
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(listenErrorOf(error.code ?? '', host, port)));
      const address = { port, exclusive: !sharePort, reusePort: sharePort, ...(host === '' ? {} : { host }) };
      server.listen(address, () => resolve((server.address() as AddressInfo).port));
    });
  }

  /** Not by the server's own `close`, which would also close the connections that are idle at the moment. */
  stopListening(): void {
    if (this.#server.listening) NetServer.prototype.close.call(this.#server);
    // For answers whose head is already sent, and does not announce the end.
    this.#server.keepAliveTimeout = CLOSING_KEEP_ALIVE_MS;
  }

  async close(deadlineMs: number): Promise<void> {
    this.stopListening();
    const isSending = () => [...this.#sockets].some((socket) => socket.writableLength > 0 || socket.writableEnded);
    while (isSending() && performance.now() < deadlineMs)
      await new Promise((resolve) => setTimeout(resolve, CLOSING_STEP_MS));
    // The exchanges end with the event: what they use is closed after this.
    const closed = [...this.#sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
    // It no longer listens and has no connection. This ends the timer with which it checks connections.
    this.#server.close();
  }
}
