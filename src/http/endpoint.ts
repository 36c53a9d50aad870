import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import type { Asker } from '../base/asking/asker.ts';
import type { PreparedAnswer } from '../base/prepared-answer.ts';
import type { Channel } from '../base/queues/channel.ts';
import type { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import type { Caller } from '../model/caller.ts';
import type { Access, HeadAccess, RootAccess } from './access.ts';
import type { Answer } from './answer.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A protocol whose clients need a media type and error bodies of their own. Its handlers state the media type in their answers. */
export interface Protocol {
  readonly mediaType: string;
  /** The beginning of the paths whose errors have the form of the protocol, also if no route has the path. */
  readonly below: string;
  readonly errorSchema: TSchema;
  errorBody(rejection: Rejection): unknown;
  /** The body of the answer with status 405 to a method that no route of the path has. */
  wrongMethodBody(method: string): unknown;
}

export interface ResponseSpec {
  readonly description: string;
  /** Schema of the body. Undefined: the answer has no body. */
  readonly schema?: TSchema;
  /** Content-type of a body that is not JSON. */
  readonly contentType?: string;
  /** Header name → description. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response to a request that created an entity: 201, the entity and its location. */
export function createdResponses(
  description: string,
  schema: TSchema,
  location = `Path at which ${description.replace('The', 'the')} can be read`,
) {
  return { 201: { description, schema, headers: { location } } };
}

/** The description of a route for users and for OpenAPI. */
export interface RouteStatement {
  readonly operationId: string;
  readonly method: Method;
  /** Path of the route, with parameters as `:name`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly access: Access;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** A request may have no body and no content-type. It counts as an empty object. */
  readonly bodyOptional?: boolean;
  /**
   * The kind of entity that the route shows or changes. Its path parameters identify the entity. The answer has the ETag of the entity. A route that
   * changes it accepts `If-Match`.
   */
  readonly edits?: string;
  /** The answer also shows what the ETag of the entity does not cover, so it is never 304. */
  readonly showsMore?: true;
  /** Success answers, by status, and errors that have another body than those of other routes. */
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Error statuses of this route, in addition to the statuses of every route (401, 403, 413, 415, 500, 503 as they apply). */
  readonly errors: readonly number[];
}

export interface HandlerRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  /** The raw query text, without "?": for routes whose parameters have names that no schema can know. */
  readonly queryText: string;
  readonly body: Body;
  readonly caller: Caller;
  /** Text form of the caller's address. */
  readonly remoteAddress: string;
  /** Whether the caller uses TLS. */
  readonly isTls: boolean;
  /** Who waits for the answer. Work in slices gets it, and ends with it. */
  readonly asker: Asker;
  header(name: string): string | undefined;
}

/**
 * What the answers of a route depend on, apart from the request: the state, and what its callers have in common. The handler of such a route gets it
 * instead of the caller, so that its answers can be sent to every caller with an equal basis (docs/decisions/shared-answers.md).
 */
export interface Basis {
  /** The moment of the state. */
  readonly moment: string;
  /** Equal for callers who get equal answers to equal requests at the same moment. */
  readonly key: string;
  /** The answer to this request is created for its caller alone. */
  readonly isOwn?: boolean;
}

/** A route with its handler. Static types, validation, error answers and OpenAPI all derive from this definition. */
export interface Endpoint<Services> extends RouteStatement {
  readonly kind: 'handled';
  /** A larger body is answered with 413. */
  readonly bodyLimit: 'standard' | 'import';
  /** The body is an HTML form: `application/x-www-form-urlencoded`, each field at most once. */
  readonly form?: boolean;
  /** Returns a body that does not conform to its schema as it is checked again. It is not called for bodies that conform. */
  readonly mend?: (schema: TSchema, body: unknown) => Steps<unknown>;
  /** Bodies may also have the media type of the protocol, and error bodies are those of the protocol. */
  readonly protocol?: Protocol;
  /** Answers contain secrets that give access. They are never compressed, because the length would depend on the secret (docs/decisions/compression.md). */
  readonly hasSecrets?: boolean;
  /** What the answers depend on, if they are shared. */
  readonly basis?: (request: HandlerRequest<never, never, never>, services: Services) => Basis;
  /** Additional fields of this route's error bodies, for clients of another protocol. `params` is empty if the path was not parsed. */
  errorFields?(rejection: Rejection, params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  handle(
    request: HandlerRequest<never, never, never>,
    services: Services,
  ): Answer | Rejection | Promise<Answer | Rejection>;
}

/**
 * A route for polls, whose answer was prepared before the request arrived. `serve` gets the request's head, not a parsed request, and allocates as
 * little as possible. It returns a promise only if the answer is not prepared yet, for example after the start.
 */
export interface PreparedEndpoint<Services> extends RouteStatement {
  readonly kind: 'prepared';
  /** Further paths of the same route. The OpenAPI document names only `path`. */
  readonly alsoAt?: readonly string[];
  serve(
    head: RequestHead,
    caller: Caller,
    services: Services,
  ): PreparedAnswer | Rejection | Promise<PreparedAnswer | Rejection>;
  /** Answers browsers that open a path without a route, outside of the paths of the API. At most one endpoint has it. */
  readonly serveUnknown?: PreparedEndpoint<Services>['serve'];
}

/** An answer that is created while it is sent. */
export interface StreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface StreamedRequest {
  readonly caller: Caller;
  readonly query: Readonly<Record<string, unknown>>;
  /** The media type of the body, in lower case, without parameters. One of the endpoint's `contentTypes`. */
  readonly contentType: string;
  /** Read at the handler's pace: while bytes are unread, the caller cannot send more. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborted when the caller disconnects, and when the answer is complete. */
  readonly signal: AbortSignal;
  /** Who waits for the answer. */
  readonly asker: Asker;
  header(name: string): string | undefined;
}

/** A route whose body and answer may be too long to buffer. */
export interface StreamedEndpoint<Services> extends RouteStatement {
  readonly kind: 'streamed';
  /** Accepted content-types. Empty: the route accepts no body. */
  readonly contentTypes: readonly string[];
  handle(request: StreamedRequest, services: Services): StreamAnswer | Rejection | Promise<StreamAnswer | Rejection>;
}

/** Records which revisions the reader of one stream has received. */
export interface Receipts {
  /** Everything up to this revision was written to the socket. */
  recordReceipt(revision: string): void;
  /** The stream has ended. */
  recordEnd(): void;
}

/**
 * A route that sends every change to the caller, as events, until the caller leaves, the caller's token ends, or the service stops. All callers of
 * one channel get the same bytes.
 */
export interface SubscribedEndpoint<Services> extends RouteStatement {
  readonly kind: 'subscribed';
  /**
   * The channel of the caller. Callers that get the same bytes have the same channel object. `Channel.closed` is called when its last caller has
   * left.
   */
  channel(request: SubscribedRequest, services: Services): Channel | Rejection;
  /**
   * Determines the caller of a request whose address contains the right to this stream. Undefined: the request is authenticated as on every route.
   */
  identify?(request: Pick<RequestHead, 'header' | 'query'>, services: Services): Caller | Rejection | undefined;
  /** Only with `identify`: whether a caller that it found may still get changes. Called often, for every stream. */
  isCurrent?(caller: Caller, services: Services): boolean;
  /** The revision that the reader states to have; "" if it states none. Without this function, it is `Last-Event-ID`. */
  received?(request: Pick<RequestHead, 'header' | 'query'>): string;
  /**
   * What the reader gets instead of this rejection: the events of a stream that ends at once, or null for a 204. Undefined: the rejection. For readers
   * that never connect again after an error status. `request` is undefined if it was not read.
   */
  refused?(rejection: Rejection, request: Pick<RequestHead, 'header' | 'query'> | undefined): string | null | undefined;
  /** Called once for each stream. Returns the object to which its receipts are reported; undefined if they are not recorded. */
  receipts?(caller: Caller, request: Pick<RequestHead, 'header' | 'query'>, services: Services): Receipts | undefined;
  /**
   * Called once. The route must call `changed` whenever one channel, or without an argument any channel, may have changed. The call is cheap: all
   * changes of one turn of the event loop are sent together.
   */
  follow(services: Services, changed: (channel?: Channel) => void): void;
}

interface SubscribedRequest {
  readonly caller: Caller;
  readonly query: Readonly<Record<string, unknown>>;
  /** The raw query text, without "?". */
  readonly queryText: string;
  /** Text form of the caller's address. */
  readonly remoteAddress: string;
  /** Value of the header, "" when absent. `name` in lower case. */
  header(name: string): string;
}

export type AnyEndpoint<Services> =
  | Endpoint<Services>
  | PreparedEndpoint<Services>
  | StreamedEndpoint<Services>
  | SubscribedEndpoint<Services>;

/** The head of a request. Valid only during the call that gets it. */
export interface RequestHead {
  /** Value of the header, "" when absent. `name` in lower case. */
  header(name: string): string;
  /** The raw query text, without "?". */
  query(): string;
  /** The path parameter with this index, as it was sent, percent-encoded. "" when the route has no such parameter. */
  parameter(index: number): string;
  /** Who waits for the answer, for a route that has to work for it: created by the first call. `holder`: the caller. */
  asker(holder: string): Asker;
}

/** Names of a schema's properties. */
type NamesIn<T> = T extends TObject ? keyof T['properties'] & string : never;

type StaticOr<T, Fallback> = T extends TSchema ? Static<T> : Fallback;

/** `GET /api/admin/tags/:type`: the method and the path, with parameters as `:name`. */
type RouteText = `${Uppercase<Method>} ${string}`;

type ParamNames<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamNames<`/${More}`>
    : Rest
  : never;

type ParamsOf<Names extends string, Schemas> = {
  readonly [Name in Names]: Name extends keyof Schemas ? StaticOr<Schemas[Name], string> : string;
};

/** The definition of a route without its method, path, tag and operation id. */
type RouteSpec<Services, Kind extends string, Names extends string, Params, Q, B, Shared> = Omit<
  RouteStatement,
  'operationId' | 'method' | 'path' | 'tag' | 'access' | 'params' | 'query' | 'body' | 'edits' | 'responses' | 'errors'
> & {
  readonly edits?: Kind;
  readonly access: Access<Names, NamesIn<Q>, NamesIn<B>>;
  /** Schemas of path parameters; a parameter without a schema may be any text. */
  readonly params?: Params;
  readonly query?: Q;
  readonly body?: B;
  /** As in `RouteStatement`. A route without them answers 200, without a body. */
  readonly responses?: RouteStatement['responses'];
  /** The route never answers 404, even if the entity does not exist. */
  readonly neverMissing?: true;
  /** Additional error statuses. 404 (path with parameters), 400 (validated request) and the statuses of every route are added automatically. */
  readonly errors?: readonly number[];
  readonly bodyLimit?: 'standard' | 'import';
  readonly form?: boolean;
  readonly mend?: Endpoint<Services>['mend'];
  readonly protocol?: Protocol;
  readonly hasSecrets?: boolean;
  readonly errorFields?: Endpoint<Services>['errorFields'];
  /** What the answers depend on, apart from the request. With it, equal answers are shared, and the handler does not get the caller. */
  readonly basis?: (request: RequestOf<Names, Params, Q, B>, services: Services) => Shared;
  handle(
    request: Shared extends Basis
      ? Pick<RequestOf<Names, Params, Q, B>, 'params' | 'query' | 'asker'> & { readonly basis: Shared }
      : RequestOf<Names, Params, Q, B>,
    services: Services,
  ): Answer | Rejection | Promise<Answer | Rejection>;
};

type RequestOf<Names extends string, Params, Q, B> = HandlerRequest<
  ParamsOf<Names, Params>,
  StaticOr<Q, Record<never, never>>,
  StaticOr<B, undefined>
>;

type Head = Pick<RouteStatement, 'operationId' | 'method' | 'path'>;
type SpecOf<E extends RouteStatement, A> = Omit<E, keyof Head | 'kind' | 'access'> & { readonly access: A };
type StreamedSpec<Services> = SpecOf<StreamedEndpoint<Services>, HeadAccess | RootAccess>;
type SubscribedSpec<Services> = SpecOf<SubscribedEndpoint<Services>, HeadAccess>;
type PreparedSpec<Services> = SpecOf<PreparedEndpoint<Services>, HeadAccess>;

/**
 * Functions that define endpoints for this type of services, and entities of these kinds; see `features/endpoint.ts`. `complete` adds to each route
 * with a handler what all routes have in common.
 */
export function endpointsOf<Services, Kind extends string = string>(
  complete: (endpoint: Endpoint<Services>) => Endpoint<Services> = (endpoint) => endpoint,
) {
  return {
    /**
     * Defines routes with a tag: `routesOf('Tags')('GET /api/admin/tags/:type', 'getTagsByType', { … })`. `mend` applies to every route that does not
     * state its own.
     */
    routesOf(tag: string, { mend }: Pick<Endpoint<Services>, 'mend'> = {}) {
      return <
        const Route extends RouteText,
        Params extends { readonly [Name in ParamNames<Route>]?: TSchema } = Record<never, never>,
        Q extends TObject | undefined = undefined,
        B extends TSchema | undefined = undefined,
        Shared extends Basis | undefined = undefined,
      >(
        route: Route,
        operationId: string,
        spec: RouteSpec<Services, Kind, ParamNames<Route>, Params, Q, B, Shared>,
      ) => complete(definedRoute<Services>(tag, route, operationId, { ...(mend && { mend }), ...spec } as never));
    },
    streamed(route: RouteText, operationId: string, spec: StreamedSpec<Services>): StreamedEndpoint<Services> {
      return { ...spec, ...headOf(route, operationId), kind: 'streamed' };
    },
    subscribed(route: RouteText, operationId: string, spec: SubscribedSpec<Services>): SubscribedEndpoint<Services> {
      return { ...spec, ...headOf(route, operationId), kind: 'subscribed' };
    },
    prepared(route: RouteText, operationId: string, spec: PreparedSpec<Services>): PreparedEndpoint<Services> {
      return { ...spec, ...headOf(route, operationId), kind: 'prepared' };
    },
  };
}

function headOf(route: RouteText, operationId: string): Head {
  const [method, path] = route.split(' ') as [string, string];
  return { operationId, method: method.toLowerCase() as Method, path };
}

function definedRoute<Services>(
  tag: string,
  route: RouteText,
  operationId: string,
  {
    params = {},
    errors = [],
    neverMissing,
    basis,
    handle,
    ...spec
  }: RouteSpec<Services, string, string, TProperties, TObject, TSchema, undefined>,
): Endpoint<Services> {
  const head = headOf(route, operationId);
  const names = parameterNames(head.path);
  const schemas = Object.fromEntries(names.map((name) => [name, params[name] ?? Type.String()]));
  const validationStatuses = names.length > 0 || spec.query || spec.body ? [400] : [];
  const missingStatuses = names.length > 0 && !neverMissing ? [404] : [];
  return {
    kind: 'handled',
    bodyLimit: 'standard',
    tag,
    ...head,
    ...(names.length > 0 && { params: Type.Object(schemas) }),
    responses: { 200: { description: 'Done' } },
    ...spec,
    ...withBasis<Services>({ basis, handle } as never),
    errors: [...validationStatuses, ...missingStatuses, ...errors],
  };
}

/** The handler gets the basis, and nothing else of the caller. */
function withBasis<S>({ basis, handle }: Pick<Endpoint<S>, 'basis' | 'handle'>): Pick<Endpoint<S>, 'basis' | 'handle'> {
  if (basis === undefined) return { handle };
  return {
    basis,
    handle: (request, services) => {
      const { params, query, asker } = request;
      return handle({ params, query, asker, basis: basis(request, services) } as never, services);
    },
  };
}

/** All paths of a route. */
export function pathsOf(endpoint: AnyEndpoint<never>): readonly string[] {
  return endpoint.kind === 'prepared' ? [endpoint.path, ...(endpoint.alsoAt ?? [])] : [endpoint.path];
}

/** Names of a route's parameters, in order. */
export function parameterNames(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment.startsWith(':'));
  return segments.map((segment) => segment.slice(1));
}
