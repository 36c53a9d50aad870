import type { TSchema } from 'typebox';
import { SERVICE } from '../base/asking/asker.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { TrustedProxies } from '../base/network/trusted-proxies.ts';
import { Semaphore } from '../base/queues/semaphore.ts';
import { notFound, Rejection } from '../base/rejection.ts';
import { NO_HEADERS } from '../base/response-head.ts';
import { compileSchemas } from '../base/validation.ts';
import { inSlicesWhile, Slicer } from '../base/yield-control.ts';
import type { Caller } from '../model/caller.ts';
import { AccessLog } from './access-log.ts';
import type { Authenticator } from './authentication.ts';
import { DECOMPRESSED_BYTES_MAX } from './body/decompression.ts';
import { BROWSER_HEADERS } from './browser-headers.ts';
import { PRIVATE_HEADERS } from './caching.ts';
import { crossOriginHeaders, type Origins, preflightHeaders } from './cross-origin.ts';
import { type AnyEndpoint, pathsOf } from './endpoint.ts';
import { Exchanges } from './exchanges.ts';
import type { ChosenFront } from './front/choose.ts';
import type { Front, FrontKind, HttpRequest, HttpResponse, RouteMethod, Serve, TlsFiles } from './front/front.ts';
import { handledRoute, serveHandled } from './handled.ts';
import { InnerCalls } from './inner-calls.ts';
import { ADDRESS_REFUSED, type IpFilter, withIpFilter } from './ip-filter.ts';
import type { WriteObserver } from './observed-writes.ts';
import { servePrepared } from './prepared.ts';
import { type PropagationSource, PropagationWaits } from './propagation-wait.ts';
import { ProtocolPaths } from './protocol-paths.ts';
import { CurrentHead, headerProblem } from './request.ts';
import { PollStats, RequestStats } from './request-stats.ts';
import type { RequestWaits } from './request-waits.ts';
import { ReaderWatch } from './sending/reader-watch.ts';
import { serveStreamed, streamedRoute } from './sending/streamed.ts';
import { answerAtOnce, refuseAtOnce, type Serving, STARTING, sendDefect } from './serving.ts';
import { SharedAnswers } from './shared-answers.ts';
import { serveSubscribed } from './streams/subscribed.ts';
import type { Subscriber } from './streams/subscriber.ts';
import { type SubscriberOptions, Subscribers } from './streams/subscribers.ts';
import { UnknownPaths } from './unknown-paths.ts';

export interface ServerOptions {
  /** The HTTP server that accepts the connections. */
  readonly front: ChosenFront;
  /** The address to listen on. "": every IPv4 and IPv6 address. */
  readonly host: string;
  /** The port to listen on. 0: any free port. */
  readonly port: number;
  /** Lets several processes listen on the port (SO_REUSEPORT); otherwise a second one is refused. */
  readonly sharePort: boolean;
  /** Prefix of every route; "" or "/something". */
  readonly basePath: string;
  readonly frontendOrigins: Origins;
  /** How long browsers may cache the answer to a preflight; a day if missing. */
  readonly crossOriginMaxAgeSeconds?: number;
  readonly proxies: TrustedProxies;
  /** Settings for HTTPS, in addition to plain HTTP. Undefined: no HTTPS. */
  readonly tls?: TlsOptions | undefined;
  /** Whether each request is logged. */
  readonly logRequests: boolean;
  readonly bodyLimitBytes: number;
  readonly importBodyLimitBytes: number;
  /** After this time, a request whose body is not complete is answered with 408, and a request without an answer with 503. */
  readonly handlerDeadlineMs: number;
  /** The clock for checking readers; by default the clock of the machine. */
  readonly clock?: Clock | undefined;
  /** How long `close` waits for requests in progress. */
  readonly drainMs: number;
  /** Limits of routes that stream changes. */
  readonly subscribers?: SubscriberOptions | undefined;
  /** Learns of writes of the admin API. */
  readonly writes?: WriteObserver | undefined;
  /** The allowed addresses, and the name of the header with the token. */
  readonly ipFilter?: IpFilter | undefined;
  /** Decides which requests wait. Undefined: none; the header with a revision is ignored. */
  readonly waits?: RequestWaits | undefined;
  /** Reports which part of the SDKs has received a revision. Undefined: writes cannot wait for SDKs. */
  readonly propagation?: PropagationSource | undefined;
}

interface TlsOptions extends TlsFiles {
  /** As in `ServerOptions`. */
  readonly host: string;
  readonly port: number;
}

/** One port on which requests arrive. */
interface Port<Services> {
  readonly front: Front;
  readonly serving: Serving<Services>;
}

/** Headers of answers to requests that match no route. */
const UNKNOWN_HEADERS = { ...PRIVATE_HEADERS, ...BROWSER_HEADERS };

/**
 * The HTTP server. This file and `prepared.ts`, `handled.ts`, `streamed.ts`, which each serve one kind of route, are the main users of requests and
 * responses. They must follow the rules of `HttpResponse`, otherwise the fast front ends the process.
 */
export class HttpServer<Services> {
  /** Plain HTTP first; then HTTPS, if it is configured. Both have the same routes and differ only in how `isTls` of a request is determined. */
  readonly #ports: readonly Port<Services>[];
  /** Number and durations of the requests. */
  readonly stats = new RequestStats();
  readonly #serving: Omit<Serving<Services>, 'proxies'>;
  readonly #options: ServerOptions;
  readonly #readers: ReaderWatch;
  readonly #sharedAnswers = new SharedAnswers();
  /** Schemas of the routes for SDKs. */
  readonly #sdkSchemas: readonly TSchema[];
  readonly #accessLog: AccessLog | undefined;
  readonly #endpoints: readonly AnyEndpoint<Services>[];
  #innerCalls: InnerCalls<Services> | undefined;
  readonly #protocolPaths: ProtocolPaths;
  readonly #unknownPaths: UnknownPaths<Services>;
  readonly #unknownStats = new PollStats();
  #tlsPort: number | undefined;
  #isOpen = false;
  #isOperational = false;

  constructor(
    endpoints: readonly AnyEndpoint<Services>[],
    services: Services,
    authenticator: Authenticator,
    logger: Logger,
    options: ServerOptions,
  ) {
    this.#options = options;
    this.#endpoints = endpoints;
    this.#accessLog = options.logRequests ? new AccessLog(logger) : undefined;
    const { handlerDeadlineMs, frontendOrigins, bodyLimitBytes, importBodyLimitBytes, proxies } = options;
    const exchanges = new Exchanges(logger, handlerDeadlineMs);
    this.#readers = new ReaderWatch(exchanges, options.clock ?? systemClock);
    const decompressions = new Semaphore(Math.max(DECOMPRESSED_BYTES_MAX, bodyLimitBytes, importBodyLimitBytes));
    const limits = { bodyLimitBytes, importBodyLimitBytes, decompressions };
    const subscribers = new Subscribers(
      logger,
      (subscriber) => isStillAllowed(subscriber, authenticator, services),
      options.subscribers,
    );
    this.#serving = {
      services,
      subscribers,
      authenticator,
      exchanges,
      logger,
      frontendOrigins,
      waits: options.waits,
      propagation: options.propagation && new PropagationWaits(options.propagation, handlerDeadlineMs),
      sharedAnswers: this.#sharedAnswers,
      writes: options.writes,
      ...limits,
    };
    const { front, tls } = options;
    this.#ports = [
      { front: front.create(undefined), serving: { ...this.#serving, proxies } },
      ...(tls ? [{ front: front.create(tls), serving: { ...this.#serving, proxies: proxies.withTls() } }] : []),
    ];
    this.#sdkSchemas = endpoints
      .filter(isForSdks)
      .flatMap(({ query, body }) => [query, body].filter((one) => one !== undefined));
    this.#protocolPaths = new ProtocolPaths(endpoints, options.basePath);
    this.#unknownPaths = new UnknownPaths(endpoints, options.basePath);
    for (const endpoint of endpoints) {
      this.#routeEndpoint(endpoint);
      if (endpoint.kind === 'subscribed') endpoint.follow(services, (channel) => subscribers.changed(channel));
    }
    const frontend = endpoints.filter((endpoint) => endpoint.access.permission === 'FRONTEND');
    for (const path of new Set(frontend.map((endpoint) => endpoint.path))) this.#routePreflight(path, frontend);
    for (const { front, serving } of this.#ports) {
      front.route(
        'any',
        '/*',
        this.#withAccessLog(
          '(none)',
          this.#withIpFilter(serving, (response, request) => this.#handleUnknown(serving, response, request)),
        ),
      );
    }
  }

  /** Whether `close` was called. `/ready` reports it, so that load balancers send requests to other instances. */
  get draining(): boolean {
    return this.#serving.exchanges.draining;
  }

  /** Calls operations of this server without a connection. Created at its first use, because few services need it. */
  get innerCalls(): InnerCalls<Services> {
    const { services, authenticator, logger, writes } = this.#serving;
    this.#innerCalls ??= new InnerCalls(this.#endpoints, services, authenticator, logger, writes);
    return this.#innerCalls;
  }

  /** The HTTP server that accepts the connections. */
  get front(): FrontKind {
    return this.#options.front.kind;
  }

  /** Number of open streams. */
  get streams(): number {
    return this.#serving.subscribers.count;
  }

  /** Number of streams that SDKs with the caller's token can still open. */
  roomForStreams(caller: Caller): number {
    return this.#serving.subscribers.roomForSdks(caller);
  }

  /** The port of HTTPS; undefined if HTTPS is not served. */
  get tlsPort(): number | undefined {
    return this.#tlsPort;
  }

  /** Listens on the ports, and resolves with the port of plain HTTP. Until `open`, every request is answered with 503. @throws ListenError */
  async listen(): Promise<number> {
    const [plain, secure] = this.#ports as [Port<Services>, Port<Services>?];
    const { host, port: wantedPort, sharePort, tls } = this.#options;
    const port = await plain.front.listen(host, wantedPort, sharePort);
    void this.#readers.run();
    if (secure && tls) this.#tlsPort = await secure.front.listen(tls.host, tls.port, sharePort);
    return port;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Serves all requests from now on. Many SDKs may connect at the same time, so the schemas of their routes are compiled in advance, in slices. */
  open(): void {
    // Work of the service: the schemas are compiled for all requests.
    if (!this.#isOpen) void inSlicesWhile(compileSchemas(this.#sdkSchemas), () => !this.draining, Slicer.of(SERVICE));
    this.#isOpen = true;
  }

  /** Serves routes without a credential from now on: during a long start, `/health` answers and `/ready` reports the reason. */
  openOperational(): void {
    this.#isOperational = true;
  }

  /** Accepts no new connections, waits for the requests in progress (with a time limit), then closes every connection. */
  async close(): Promise<void> {
    this.#serving.exchanges.draining = true;
    this.#serving.subscribers.close();
    for (const { front } of this.#ports) front.stopListening();
    const deadlineMs = performance.now() + this.#options.drainMs;
    while (this.#serving.exchanges.count > 0 && performance.now() < deadlineMs)
      await new Promise((resolve) => setTimeout(resolve, 10));
    this.#readers.close();
    await Promise.all(this.#ports.map(({ front }) => front.close(deadlineMs)));
  }

  /** Registers a route. The path with a slash at its end is the same route, as in Unleash, and so is the base path without one. */
  #route(method: RouteMethod, path: string, serve: (serving: Serving<Services>) => Serve): void {
    for (const { front, serving } of this.#ports) {
      const served = this.#withIpFilter(serving, serve(serving));
      const full = this.#options.basePath + (path === '/' ? '' : path);
      for (const pattern of full === '' ? ['/'] : [full, `${full}/`])
        front.route(method, pattern, this.#withAccessLog(path, served));
    }
  }

  #withIpFilter({ proxies }: Serving<Services>, serve: Serve): Serve {
    const { ipFilter } = this.#options;
    return ipFilter
      ? withIpFilter(ipFilter, proxies, serve, (response, request) =>
          this.#refuse(response, request, ADDRESS_REFUSED, false),
        )
      : serve;
  }

  #withAccessLog(route: string, serve: Serve): Serve {
    const log = this.#accessLog;
    if (log === undefined) return serve;
    return (response, request) => {
      log.follow(response, request, route);
      serve(response, request);
    };
  }

  /** Registers the route of an endpoint. A `GET` route also answers `HEAD`, unless it streams changes. */
  #routeEndpoint(endpoint: AnyEndpoint<Services>): void {
    const serverOf = this.#serverOf(endpoint);
    const isHeadable = endpoint.method === 'get' && endpoint.kind !== 'subscribed';
    const methods = isHeadable ? (['get', 'head'] as const) : [endpoint.method];
    for (const method of methods) {
      const headOnly = method === 'head';
      for (const path of pathsOf(endpoint as AnyEndpoint<never>)) {
        this.#route(method, path, (serving) => {
          const serve = serverOf(serving);
          return (response, request) => serve(response, request, headOnly);
        });
      }
    }
  }

  /** Returns a function that creates the handler of an endpoint for one front. All fronts share the statistics. */
  #serverOf(endpoint: AnyEndpoint<Services>): (serving: Serving<Services>) => ServeMethod {
    if (endpoint.kind === 'prepared') {
      const stats = this.stats.poll(endpoint.method, endpoint.path);
      return (serving) => (response, request, headOnly) =>
        servePrepared(endpoint, response, request, headOnly, this.#isOpen, stats, serving);
    }
    if (endpoint.kind === 'streamed') {
      const route = streamedRoute(endpoint);
      return (serving) => (response, request) => serveStreamed(route, response, request, this.#isOpen, serving);
    }
    if (endpoint.kind === 'subscribed')
      return (serving) => (response, request) => serveSubscribed(endpoint, response, request, this.#isOpen, serving);
    const route = handledRoute(endpoint, this.stats.route(endpoint.method, endpoint.path));
    const opensEarly = endpoint.access.permission === 'NONE';
    return (serving) => (response, request, headOnly) => {
      const isOpen = this.#isOpen || (opensEarly && this.#isOperational);
      serveHandled(route, response, request, headOnly, isOpen, serving);
    };
  }

  /** Registers the answer to preflights: browsers send one before they send a token to another origin. */
  #routePreflight(path: string, endpoints: readonly AnyEndpoint<Services>[]): void {
    const methods = endpoints.filter((endpoint) => endpoint.path === path).map((endpoint) => endpoint.method);
    const maxAgeSeconds = this.#options.crossOriginMaxAgeSeconds ?? 86_400;
    this.#route('options', path, (serving) => (response, request) => {
      try {
        const head = new CurrentHead().of(request);
        const problem = headerProblem(request);
        const headers = {
          ...crossOriginHeaders(head, serving.frontendOrigins.current),
          ...preflightHeaders(methods, head.header('access-control-request-headers'), maxAgeSeconds),
        };
        const answer = { status: 204, headers, text: undefined, pieces: undefined };
        if (problem) this.#refuse(response, request, problem, false);
        else answerAtOnce(this.#serving, response, request, answer, NO_HEADERS);
      } catch (error) {
        sendDefect(serving, response, request, error, 'preflight', false);
      }
    });
  }

  #handleUnknown(serving: Serving<Services>, response: HttpResponse, request: HttpRequest): void {
    const method = request.getMethod().slice(0, 20).toUpperCase();
    try {
      const unknown = this.#isOpen
        ? notFound(`The path ${request.getUrl().slice(0, 200)} does not exist for ${method}.`)
        : STARTING;
      const problem = headerProblem(request);
      const page = problem ? undefined : this.#unknownPaths.pageFor(request);
      const answer = problem ? undefined : this.#protocolPaths.answerTo(request.getUrl(), method, unknown);
      if (page) servePrepared(page, response, request, method === 'HEAD', this.#isOpen, this.#unknownStats, serving);
      else if (answer) answerAtOnce(this.#serving, response, request, answer, UNKNOWN_HEADERS, method === 'HEAD');
      else this.#refuse(response, request, problem ?? unknown, method === 'HEAD');
    } catch (error) {
      sendDefect(this.#serving, response, request, error, 'unknown path', method === 'HEAD');
    }
  }

  /** Answers a request that has no exchange yet. */
  #refuse(response: HttpResponse, request: HttpRequest, rejection: Rejection, headOnly: boolean): void {
    refuseAtOnce(this.#serving, response, request, rejection, UNKNOWN_HEADERS, headOnly);
  }
}

/** Whether the subscriber's token still exists with the same kind and scope. */
function isStillAllowed(
  { caller, request, route }: Subscriber,
  authenticator: Authenticator,
  services: unknown,
): boolean {
  const { access, isCurrent } = route;
  if (isCurrent) return isCurrent(caller, services as never);
  const now = authenticator.authenticate(request, access);
  return !(now instanceof Rejection) && now.kind === caller.kind && now.scope === caller.scope;
}

function isForSdks({ access: { permission } }: AnyEndpoint<never>): boolean {
  return permission === 'CLIENT' || permission === 'FRONTEND';
}

type ServeMethod = (response: HttpResponse, request: HttpRequest, headOnly: boolean) => void;
