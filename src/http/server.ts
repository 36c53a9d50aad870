import uWS, { type HttpRequest, type HttpResponse, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import type { Logger } from '../base/logger.ts';
import { notFound, Rejection, unavailable } from '../base/rejection.ts';
import type { Caller } from '../model/caller.ts';
import type { Authenticator } from './authentication.ts';
import { BodyCollector } from './body-collector.ts';
import { crossOriginHeaders, preflightHeaders } from './cross-origin.ts';
import { admit, dispatch, encodeDefect, encodeRejection, parameterNames, type RawRequest } from './dispatch.ts';
import type {
  AnyEndpoint,
  Endpoint,
  Method,
  PreparedAnswer,
  PreparedEndpoint,
  RequestHead,
  StreamedEndpoint,
} from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { Exchanges } from './exchanges.ts';
import { awaitRevision, MIN_REVISION_HEADER, type RevisionSource } from './min-revision.ts';
import {
  AMBIGUOUS_LENGTH,
  CopiedHead,
  CurrentHead,
  copyRequest,
  HEADER_CHARS_MAX,
  isAmbiguous,
  QUERY_TOO_LONG,
} from './request.ts';
import { endHead, sendRest, sendText, trySend } from './send.ts';
import { serveStreamed } from './streamed.ts';

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Lets several processes listen on the port (SO_REUSEPORT); otherwise a second one is refused. */
  readonly sharePort: boolean;
  /** Put before every route; "" or "/something". */
  readonly basePath: string;
  /** Origins whose pages may call the routes for frontends; `*` means every origin. */
  readonly frontendOrigins: readonly string[];
  readonly bodyLimitBytes: number;
  readonly importBodyLimitBytes: number;
  /** A request whose body has not arrived by then is told 408; one that is not answered by then, 503. */
  readonly handlerDeadlineMs: number;
  /** How long `close` waits for requests under way. */
  readonly drainMs: number;
  /** Where requests wait that name a revision; without it, the header means nothing and is not looked at. */
  readonly revisions?: RevisionSource | undefined;
}

/** The port cannot be had. The message is for people. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

type Handler = (response: HttpResponse, request: HttpRequest) => void;

const STARTING = unavailable('The service is starting.', 1);
/**
 * The HTTP server: the only part of Burgee, with `send.ts` and `request.ts`, that touches uWS requests and responses. What holds here, or
 * uWS ends the process: no exception leaves a callback; whoever does not answer at once has registered `onAborted` first; a response that
 * was aborted or answered is never touched again.
 */
export class HttpServer<Services> {
  readonly #app: TemplatedApp = uWS.App();
  readonly #services: Services;
  readonly #authenticator: Authenticator;
  readonly #logger: Logger;
  readonly #options: ServerOptions;
  readonly #exchanges: Exchanges;
  readonly #head = new CurrentHead();
  #listenSocket: us_listen_socket | undefined;
  #opened = false;
  #operational = false;

  constructor(
    endpoints: readonly AnyEndpoint<Services>[],
    services: Services,
    authenticator: Authenticator,
    logger: Logger,
    options: ServerOptions,
  ) {
    this.#services = services;
    this.#authenticator = authenticator;
    this.#logger = logger;
    this.#options = options;
    this.#exchanges = new Exchanges(logger, options.handlerDeadlineMs);
    for (const endpoint of endpoints) {
      if (endpoint.kind === 'prepared') this.#routePrepared(endpoint);
      else if (endpoint.kind === 'streamed') this.#routeStreamed(endpoint);
      else this.#routeHandled(endpoint);
    }
    const frontend = endpoints.filter((endpoint) => endpoint.permission === 'frontend');
    for (const path of new Set(frontend.map((endpoint) => endpoint.path))) this.#routePreflight(path, frontend);
    this.#app.any('/*', (response, request) => this.#handleUnknown(response, request));
  }

  /** True once `close` was called: `/ready` says so, so that load balancers look elsewhere. */
  get draining(): boolean {
    return this.#exchanges.draining;
  }

  /** Takes the port and resolves with it. Until `open` every request is told 503. @throws ListenError */
  listen(): Promise<number> {
    const { host, port, sharePort } = this.#options;
    return new Promise((resolve, reject) => {
      listenOn(this.#app, host, port, sharePort, (socket) => {
        if (!socket) {
          const message = `cannot listen on ${host}, port ${port}: it is in use, or this process may not take it`;
          return reject(new ListenError(message));
        }
        this.#listenSocket = socket;
        resolve(uWS.us_socket_local_port(socket));
      });
    });
  }

  /** From here on requests are answered. */
  open(): void {
    this.#opened = true;
  }

  /** From here on routes that ask for no credential are answered: a start that takes long is seen to live, and says what it waits for. */
  openOperational(): void {
    this.#operational = true;
  }

  /** Takes no new connections, waits for the requests under way (bounded), then closes every connection. */
  async close(): Promise<void> {
    this.#exchanges.draining = true;
    if (this.#listenSocket) uWS.us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = undefined;
    const deadlineMs = performance.now() + this.#options.drainMs;
    while (this.#exchanges.count > 0 && performance.now() < deadlineMs)
      await new Promise((resolve) => setTimeout(resolve, 10));
    this.#app.close();
  }

  #route(method: Method | 'head', path: string, handler: Handler): void {
    const register = method === 'delete' ? this.#app.del : this.#app[method];
    register.call(this.#app, this.#options.basePath + path, handler);
  }

  #routePrepared(endpoint: PreparedEndpoint<Services>): void {
    this.#route(endpoint.method, endpoint.path, (response, request) =>
      this.#servePrepared(endpoint, response, request, false),
    );
    if (endpoint.method !== 'get') return;
    this.#route('head', endpoint.path, (response, request) => this.#servePrepared(endpoint, response, request, true));
  }

  #servePrepared(
    endpoint: PreparedEndpoint<Services>,
    response: HttpResponse,
    request: HttpRequest,
    headOnly: boolean,
  ): void {
    try {
      const answer = this.#prepare(endpoint, request, response);
      if (answer === AMBIGUOUS_LENGTH) this.#refuseAmbiguous(response);
      else if (answer instanceof Promise) this.#sendLater(response, answer, endpoint.operationId, headOnly);
      else if (answer instanceof Rejection)
        sendText(response, encodeRejection(answer), headOnly, this.#exchanges.draining);
      else this.#sendPrepared(response, answer, headOnly, undefined);
    } catch (error) {
      this.#sendDefect(response, error, endpoint.operationId, headOnly);
    }
  }

  #prepare(
    endpoint: PreparedEndpoint<Services>,
    request: HttpRequest,
    response: HttpResponse,
  ): PreparedAnswer | Rejection | Promise<PreparedAnswer | Rejection> {
    if (!this.#opened) return STARTING;
    if (isAmbiguous(request)) return AMBIGUOUS_LENGTH;
    const head = this.#head.of(request);
    if (head.query().length > HEADER_CHARS_MAX) return QUERY_TOO_LONG;
    const { revisions } = this.#options;
    const waiting = revisions && awaitRevision(revisions, head.header(MIN_REVISION_HEADER));
    if (waiting === undefined) return this.#serve(endpoint, head);
    if (waiting instanceof Rejection) return waiting;
    const raw = copyRequest(request, response, 0);
    if (raw instanceof Rejection) return raw;
    return waiting.then((rejection) => rejection ?? this.#serve(endpoint, new CopiedHead(raw)));
  }

  #serve(
    endpoint: PreparedEndpoint<Services>,
    head: RequestHead,
  ): PreparedAnswer | Rejection | Promise<PreparedAnswer | Rejection> {
    const caller = this.#authenticator.authenticate(head.header('authorization'), endpoint.permission);
    return caller instanceof Rejection ? caller : endpoint.serve(head, caller, this.#services);
  }

  #sendLater(
    response: HttpResponse,
    later: Promise<PreparedAnswer | Rejection>,
    operationId: string,
    headOnly: boolean,
  ): void {
    const exchange = this.#exchanges.begin(response, headOnly);
    exchange.received = true;
    later
      .then((answer) => {
        if (answer instanceof Rejection) return this.#exchanges.finish(exchange, encodeRejection(answer));
        if (!exchange.claim()) return;
        response.cork(() => {
          if (this.#sendPrepared(response, answer, headOnly, exchange)) exchange.end();
        });
      })
      .catch((error: unknown) => this.#exchanges.fail(exchange, error, operationId));
  }

  /** True when everything was sent; otherwise the rest follows as the reader makes room. */
  #sendPrepared(
    response: HttpResponse,
    { status, headers, body }: PreparedAnswer,
    headOnly: boolean,
    exchange: Exchange | undefined,
  ): boolean {
    response.writeStatus(status);
    for (let index = 0; index < headers.length; index += 2)
      response.writeHeader(headers[index] ?? '', headers[index + 1] ?? '');
    if (headOnly || body === undefined) {
      endHead(response, body?.lengthBytes, this.#exchanges.draining);
      return true;
    }
    if (this.#exchanges.draining) response.writeHeader('connection', 'close');
    const startOffset = response.getWriteOffset();
    const finished = trySend(response, body, 0);
    if (!finished) sendRest(exchange ?? this.#exchanges.track(response, headOnly), body, startOffset);
    return finished;
  }

  /** Browsers ask before they send a token across origins. */
  #routePreflight(path: string, endpoints: readonly AnyEndpoint<Services>[]): void {
    const methods = endpoints.filter((endpoint) => endpoint.path === path).map((endpoint) => endpoint.method);
    this.#app.options(this.#options.basePath + path, (response, request) => {
      try {
        const head = this.#head.of(request);
        const headers = {
          ...crossOriginHeaders(head.header('origin'), this.#options.frontendOrigins),
          ...preflightHeaders(methods, head.header('access-control-request-headers')),
        };
        sendText(
          response,
          { status: 204, headers, text: undefined, pieces: undefined },
          false,
          this.#exchanges.draining,
        );
      } catch (error) {
        this.#sendDefect(response, error, 'preflight', false);
      }
    });
  }

  #handleUnknown(response: HttpResponse, request: HttpRequest): void {
    const method = request.getMethod().slice(0, 20).toUpperCase();
    try {
      const rejection = this.#opened
        ? notFound(`The path ${request.getUrl().slice(0, 200)} does not exist for ${method}.`)
        : STARTING;
      if (isAmbiguous(request)) this.#refuseAmbiguous(response);
      else sendText(response, encodeRejection(rejection), method === 'HEAD', this.#exchanges.draining);
    } catch (error) {
      this.#sendDefect(response, error, 'unknown path', method === 'HEAD');
    }
  }

  #routeStreamed(endpoint: StreamedEndpoint<Services>): void {
    const context = {
      services: this.#services,
      authenticator: this.#authenticator,
      exchanges: this.#exchanges,
      logger: this.#logger,
      revisions: this.#options.revisions,
    };
    this.#route(endpoint.method, endpoint.path, (response, request) => {
      try {
        if (this.#opened) serveStreamed(endpoint, response, request, context);
        else sendText(response, encodeRejection(STARTING), false, this.#exchanges.draining);
      } catch (error) {
        this.#sendDefect(response, error, endpoint.operationId, false);
      }
    });
  }

  #routeHandled(endpoint: Endpoint<Services>): void {
    this.#route(endpoint.method, endpoint.path, (response, request) =>
      this.#serveHandled(endpoint, response, request, false),
    );
    if (endpoint.method !== 'get') return;
    this.#route('head', endpoint.path, (response, request) => this.#serveHandled(endpoint, response, request, true));
  }

  #serveHandled(endpoint: Endpoint<Services>, response: HttpResponse, request: HttpRequest, headOnly: boolean): void {
    const exchange = this.#exchanges.begin(response, headOnly);
    try {
      if (endpoint.permission === 'frontend')
        exchange.headers = crossOriginHeaders(request.getHeader('origin'), this.#options.frontendOrigins);
      const isOpen = this.#opened || (this.#operational && endpoint.permission === 'none');
      const raw = isOpen ? copyRequest(request, response, parameterNames(endpoint.path).length) : STARTING;
      const { revisions } = this.#options;
      const asked = revisions && !(raw instanceof Rejection) ? raw.headers.get(MIN_REVISION_HEADER) : undefined;
      const waiting = revisions && awaitRevision(revisions, asked);
      if (raw === AMBIGUOUS_LENGTH) this.#exchanges.refuseAndClose(exchange, raw);
      // A body that may follow is read and dropped by uWS; the connection stays usable.
      else if (raw instanceof Rejection) this.#exchanges.finish(exchange, encodeRejection(raw));
      else if (waiting === undefined) this.#admit(exchange, endpoint, raw);
      else if (waiting instanceof Rejection) this.#exchanges.finish(exchange, encodeRejection(waiting));
      else this.#admitLater(exchange, endpoint, raw, waiting);
    } catch (error) {
      this.#exchanges.fail(exchange, error, endpoint.operationId);
    }
  }

  #admit(exchange: Exchange, endpoint: Endpoint<Services>, raw: RawRequest): void {
    const caller = admit(endpoint, raw, this.#authenticator);
    if (caller instanceof Rejection) this.#exchanges.finish(exchange, encodeRejection(caller));
    else if (endpoint.body === undefined) this.#handle(exchange, endpoint, raw, caller, EMPTY);
    else this.#collect(exchange, endpoint, raw, (bytes) => this.#handle(exchange, endpoint, raw, caller, bytes));
  }

  /** The body is taken meanwhile; who calls is asked afterwards, because the token may come with the revision. */
  #admitLater(
    exchange: Exchange,
    endpoint: Endpoint<Services>,
    raw: RawRequest,
    waiting: Promise<Rejection | undefined>,
  ): void {
    const goOn = (bytes: Uint8Array) => {
      waiting
        .then((rejection) => {
          const caller = rejection ?? admit(endpoint, raw, this.#authenticator);
          if (caller instanceof Rejection) this.#exchanges.finish(exchange, encodeRejection(caller));
          else if (!exchange.over) this.#handle(exchange, endpoint, raw, caller, bytes);
        })
        .catch((error: unknown) => this.#exchanges.fail(exchange, error, endpoint.operationId));
    };
    if (endpoint.body === undefined) goOn(EMPTY);
    else this.#collect(exchange, endpoint, raw, goOn);
  }

  #collect(
    exchange: Exchange,
    endpoint: Endpoint<Services>,
    raw: RawRequest,
    complete: (bytes: Uint8Array) => void,
  ): void {
    const { bodyLimitBytes, importBodyLimitBytes } = this.#options;
    const limitBytes = endpoint.bodyLimit === 'import' ? importBodyLimitBytes : bodyLimitBytes;
    const message = `The body is larger than the ${limitBytes} bytes this path accepts.`;
    // Not closed: whoever is still sending would meet a reset connection instead of this answer. uWS drops what still comes.
    const tooLarge = () => {
      this.#exchanges.finish(exchange, encodeRejection(new Rejection('PayloadTooLargeError', message)));
    };
    const lengthText = raw.headers.get('content-length');
    const lengthBytes = lengthText === undefined ? undefined : Number(lengthText);
    if (lengthBytes !== undefined && lengthBytes > limitBytes) {
      tooLarge();
      return;
    }
    const collector = new BodyCollector(limitBytes, lengthBytes);
    exchange.response.onData((chunk, isLast) => {
      try {
        if (exchange.over) return;
        if (!collector.add(chunk)) tooLarge();
        else if (isLast) complete(collector.take());
      } catch (error) {
        this.#exchanges.fail(exchange, error, endpoint.operationId);
      }
    });
  }

  #handle(exchange: Exchange, endpoint: Endpoint<Services>, raw: RawRequest, caller: Caller, bytes: Uint8Array): void {
    exchange.received = true;
    const answer = dispatch(endpoint, raw, caller, bytes, this.#services, this.#logger);
    if (answer instanceof Promise) void answer.then((encoded) => this.#exchanges.finish(exchange, encoded));
    else this.#exchanges.finish(exchange, answer);
  }

  #refuseAmbiguous(response: HttpResponse): void {
    this.#exchanges.refuseAndClose(this.#exchanges.begin(response, false), AMBIGUOUS_LENGTH);
  }

  /** For callbacks that have failed before they answered. */
  #sendDefect(response: HttpResponse, error: unknown, operationId: string, headOnly: boolean): void {
    const answer = encodeDefect(error, operationId, this.#logger);
    try {
      sendText(response, answer, headOnly, this.#exchanges.draining);
    } catch {
      // It was answered, or aborted, before it failed.
    }
  }
}

const EMPTY = new Uint8Array(0);

/** The listen option exists in every uWS that `uwebsockets` ships, but not in its types. */
function listenOn(
  app: TemplatedApp,
  host: string,
  port: number,
  sharePort: boolean,
  listening: (socket: us_listen_socket | false) => void,
): void {
  const { LIBUS_LISTEN_EXCLUSIVE_PORT } = uWS as unknown as { LIBUS_LISTEN_EXCLUSIVE_PORT: number };
  const listen = app.listen as unknown as (
    host: string,
    port: number,
    options: number,
    listening: (socket: us_listen_socket | false) => void,
  ) => void;
  listen.call(app, host, port, sharePort ? 0 : LIBUS_LISTEN_EXCLUSIVE_PORT, listening);
}
