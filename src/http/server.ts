import uWS, { type HttpRequest, type HttpResponse, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import type { Logger } from '../base/logger.ts';
import { invalid, notFound, Rejection } from '../base/rejection.ts';
import type { Caller } from '../model/caller.ts';
import type { Authenticator } from './authentication.ts';
import { BodyCollector } from './body-collector.ts';
import { crossOriginHeaders, preflightHeaders } from './cross-origin.ts';
import {
  admit,
  dispatch,
  type EncodedAnswer,
  encodeDefect,
  encodeRejection,
  parameterNames,
  type RawRequest,
} from './dispatch.ts';
import type { AnyEndpoint, Endpoint, Method, PreparedAnswer, PreparedEndpoint, RequestHead } from './endpoint.ts';
import { type Exchange, endExchange } from './exchange.ts';
import { addressText } from './remote-address.ts';
import { sendBytes, sendPieces, statusLine } from './send.ts';

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
  /** A request that is not answered by then is told 503. */
  readonly handlerDeadlineMs: number;
  /** How long `close` waits for requests under way. */
  readonly drainMs: number;
}

/** The HTTP server: the only part of Burgee, with `send.ts`, that touches uWS requests and responses. */
export class HttpServer<Services> {
  readonly #app: TemplatedApp = uWS.App();
  readonly #services: Services;
  readonly #authenticator: Authenticator;
  readonly #logger: Logger;
  readonly #options: ServerOptions;
  readonly #underWay = new Set<Exchange>();
  readonly #head = new CurrentHead();
  #listenSocket: us_listen_socket | undefined;
  #draining = false;

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
    for (const endpoint of endpoints) {
      if (endpoint.kind === 'prepared') this.#routePrepared(endpoint);
      else this.#routeHandled(endpoint);
    }
    const frontend = endpoints.filter((endpoint) => endpoint.permission === 'frontend');
    for (const path of new Set(frontend.map((endpoint) => endpoint.path))) this.#routePreflight(path, frontend);
    this.#app.any('/*', (response, request) => {
      const path = request.getUrl().slice(0, 200);
      this.#sendNow(
        response,
        encodeRejection(notFound(`The path ${path} does not exist for ${request.getMethod().toUpperCase()}.`)),
      );
    });
  }

  /** True once `close` was called: `/ready` says so, so that load balancers look elsewhere. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Resolves with the port. */
  listen(): Promise<number> {
    const { host, port, sharePort } = this.#options;
    return new Promise((resolve, reject) => {
      listenOn(this.#app, host, port, sharePort, (socket) => {
        if (!socket) return reject(new Error(`cannot listen on ${host}:${port}: the port is in use or not permitted`));
        this.#listenSocket = socket;
        resolve(uWS.us_socket_local_port(socket));
      });
    });
  }

  /** Takes no new connections, waits for the requests under way (bounded), then closes every connection. */
  async close(): Promise<void> {
    this.#draining = true;
    if (this.#listenSocket) uWS.us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = undefined;
    const deadlineMs = performance.now() + this.#options.drainMs;
    while (this.#underWay.size > 0 && performance.now() < deadlineMs)
      await new Promise((resolve) => setTimeout(resolve, 10));
    this.#app.close();
  }

  #route(method: Method, path: string, handler: (response: HttpResponse, request: HttpRequest) => void): void {
    const register = method === 'delete' ? this.#app.del : this.#app[method];
    register.call(this.#app, this.#options.basePath + path, handler);
  }

  #routePrepared(endpoint: PreparedEndpoint<Services>): void {
    this.#route(endpoint.method, endpoint.path, (response, request) => {
      // No exception may leave a callback of uWS: it would end the process.
      try {
        const caller = this.#authenticator.authenticate(request.getHeader('authorization'), endpoint.permission);
        const answer =
          caller instanceof Rejection ? caller : endpoint.serve(this.#head.of(request), caller, this.#services);
        if (answer instanceof Promise) this.#sendLater(response, answer, endpoint.operationId);
        else if (answer instanceof Rejection) this.#sendNow(response, encodeRejection(answer));
        else this.#sendPrepared(response, answer);
      } catch (error) {
        this.#sendNow(response, encodeDefect(error, endpoint.operationId, this.#logger));
      }
    });
  }

  /** Browsers ask before they send a token across origins. */
  #routePreflight(path: string, endpoints: readonly AnyEndpoint<Services>[]): void {
    const methods = endpoints.filter((endpoint) => endpoint.path === path).map((endpoint) => endpoint.method);
    this.#app.options(this.#options.basePath + path, (response, request) => {
      const origin = request.getHeader('origin');
      const wanted = request.getHeader('access-control-request-headers');
      const headers = {
        ...crossOriginHeaders(origin, this.#options.frontendOrigins),
        ...preflightHeaders(methods, wanted),
      };
      this.#sendNow(response, { status: 204, headers, text: undefined, pieces: undefined });
    });
  }

  #sendLater(response: HttpResponse, later: Promise<PreparedAnswer | Rejection>, operationId: string): void {
    const exchange = this.#begin(response);
    later.then(
      (answer) => {
        if (answer instanceof Rejection) return this.#finish(exchange, encodeRejection(answer));
        if (exchange.over) return;
        response.cork(() => this.#sendPrepared(response, answer));
        endExchange(exchange);
      },
      (error: unknown) => this.#finish(exchange, encodeDefect(error, operationId, this.#logger)),
    );
  }

  #routeHandled(endpoint: Endpoint<Services>): void {
    const parameterCount = parameterNames(endpoint.path).length;
    this.#route(endpoint.method, endpoint.path, (response, request) => {
      const exchange = this.#begin(response);
      if (endpoint.permission === 'frontend')
        exchange.headers = crossOriginHeaders(request.getHeader('origin'), this.#options.frontendOrigins);
      try {
        const raw = copyRequest(request, response, parameterCount);
        const admitted = raw instanceof Rejection ? raw : admit(endpoint, raw, this.#authenticator);
        if (raw instanceof Rejection) this.#finish(exchange, encodeRejection(raw), true);
        else if (admitted instanceof Rejection) this.#finish(exchange, encodeRejection(admitted));
        else if (endpoint.body === undefined) void this.#handle(exchange, endpoint, raw, admitted, EMPTY);
        else this.#collect(exchange, endpoint, raw, admitted);
      } catch (error) {
        this.#finish(exchange, encodeDefect(error, endpoint.operationId, this.#logger));
      }
    });
  }

  #collect(exchange: Exchange, endpoint: Endpoint<Services>, raw: RawRequest, caller: Caller): void {
    const { bodyLimitBytes, importBodyLimitBytes } = this.#options;
    const limitBytes = endpoint.bodyLimit === 'import' ? importBodyLimitBytes : bodyLimitBytes;
    const tooLarge = () => {
      const message = `The body is larger than the ${limitBytes} bytes this path accepts.`;
      this.#finish(exchange, encodeRejection(new Rejection('PayloadTooLargeError', message)), true);
    };
    if (Number(raw.headers.get('content-length') ?? 0) > limitBytes) {
      tooLarge();
      return;
    }
    const collector = new BodyCollector(limitBytes);
    exchange.response.onData((chunk, isLast) => {
      if (exchange.over) return;
      if (!collector.add(chunk)) tooLarge();
      else if (isLast) void this.#handle(exchange, endpoint, raw, caller, collector.take());
    });
  }

  async #handle(
    exchange: Exchange,
    endpoint: Endpoint<Services>,
    raw: RawRequest,
    caller: Caller,
    bytes: Uint8Array,
  ): Promise<void> {
    const answer = await dispatch(endpoint, raw, caller, bytes, this.#services, this.#logger);
    this.#finish(exchange, answer);
  }

  /** From here until `finish` the exchange counts as under way; it is answered by the deadline whatever the handler does. */
  #begin(response: HttpResponse): Exchange {
    const exchange: Exchange = { response, headers: undefined, over: false, onOver: undefined };
    const timer = setTimeout(() => {
      const message =
        'The request was not finished in time. A write may still take effect; read it back before you repeat it.';
      this.#finish(exchange, encodeRejection(new Rejection('ServiceUnavailableError', message, [], 5)), true);
    }, this.#options.handlerDeadlineMs);
    exchange.onOver = () => {
      clearTimeout(timer);
      this.#underWay.delete(exchange);
    };
    this.#underWay.add(exchange);
    response.onAborted(() => endExchange(exchange));
    return exchange;
  }

  #finish(exchange: Exchange, encoded: EncodedAnswer, closeConnection = this.#draining): void {
    if (exchange.over) return;
    const { headers } = exchange;
    const answer = headers ? { ...encoded, headers: { ...encoded.headers, ...headers } } : encoded;
    if (answer.pieces) {
      const pieces = answer.pieces;
      sendPieces(exchange, answer, pieces, closeConnection).catch((error: unknown) => {
        // The status is sent already: all that is left is to cut the connection, so that nobody takes half an answer for a whole one.
        this.#logger.error({ err: error }, 'streaming an answer failed');
        if (!exchange.over) exchange.response.close();
        endExchange(exchange);
      });
      return;
    }
    exchange.response.cork(() => this.#sendNow(exchange.response, answer, closeConnection));
    endExchange(exchange);
  }

  #sendNow(response: HttpResponse, answer: EncodedAnswer, closeConnection = this.#draining): void {
    response.cork(() => {
      response.writeStatus(statusLine(answer.status));
      for (const name in answer.headers) response.writeHeader(name, answer.headers[name] ?? '');
      response.end(answer.text ?? '', closeConnection);
    });
  }

  #sendPrepared(response: HttpResponse, answer: PreparedAnswer): void {
    response.writeStatus(answer.status);
    const { headers, body } = answer;
    for (let index = 0; index < headers.length; index += 2)
      response.writeHeader(headers[index] ?? '', headers[index + 1] ?? '');
    if (this.#draining) response.end(body ?? '', true);
    // Without arguments: given an explicit undefined, the older uWS takes the response for unanswered and ends the process.
    else if (body === undefined) response.endWithoutBody();
    else sendBytes(response, body);
  }
}

const EMPTY = new Uint8Array(0);

/** Shows the request that is being served. One object for all of them: it is valid during one synchronous call. */
class CurrentHead implements RequestHead {
  #request: HttpRequest | undefined;

  of(request: HttpRequest): this {
    this.#request = request;
    return this;
  }

  header(name: string): string {
    return this.#request?.getHeader(name) ?? '';
  }

  query(): string {
    return this.#request?.getQuery() ?? '';
  }
}

/** Copies what handlers need: uWS's request is gone after the callback. Refuses heads that two parties could read differently. */
function copyRequest(request: HttpRequest, response: HttpResponse, parameterCount: number): RawRequest | Rejection {
  const headers = new Map<string, string>();
  let ambiguous: string | undefined;
  request.forEach((name, value) => {
    if (headers.has(name) && (name === 'content-length' || name === 'authorization' || name === 'content-type'))
      ambiguous = name;
    headers.set(name, value);
  });
  if (ambiguous) return invalid(`The request has more than one ${ambiguous} header.`);
  const params: string[] = [];
  for (let index = 0; index < parameterCount; index++) params.push(request.getParameter(index) ?? '');
  return {
    params,
    query: request.getQuery() ?? '',
    headers,
    remoteAddress: addressText(response.getRemoteAddressAsText()),
  };
}

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
