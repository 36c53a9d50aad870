import type { Asker } from '../base/asking/asker.ts';
import { invalid, Rejection } from '../base/rejection.ts';
import { validate } from '../base/validation.ts';
import { type Caller, type Grant, withGrant } from '../model/caller.ts';
import { credentialOf, requirementsOf, type Source } from './access.ts';
import type { Authenticator, Credentials } from './authentication.ts';
import { type BodyCoding, bodyCodingOf } from './body/decompression.ts';
import { FORM_TYPE } from './body/form.ts';
import { type HandlerRequest, type Protocol, parameterNames, type RouteStatement } from './endpoint.ts';
import { checkedQuery } from './query.ts';
import type { CopiedRequest } from './request.ts';
import type { WaitingHead } from './request-waits.ts';
import { statedBy } from './stated-by-request.ts';

type Params = Readonly<Record<string, unknown>>;
type Query = Readonly<Record<string, unknown>>;

/** The request that a handler gets. `body` is set after the body was read. Values that few handlers need are computed when a handler reads them. */
export class AdmittedRequest implements HandlerRequest<Params, Query, unknown> {
  readonly params: Params;
  readonly query: Query;
  body: unknown;
  /** How the body is compressed; undefined if it is not, or if the route has no body. */
  bodyCoding: BodyCoding | undefined;
  readonly caller: Caller;
  readonly asker: Asker;
  readonly #head: CopiedRequest;

  constructor(head: CopiedRequest, caller: Caller, asker: Asker, params: Params, query: Query) {
    this.params = params;
    this.query = query;
    this.body = undefined;
    this.bodyCoding = undefined;
    this.caller = caller;
    this.asker = asker;
    this.#head = head;
  }

  get queryText(): string {
    return this.#head.query();
  }

  get remoteAddress(): string {
    return this.#head.remoteAddress;
  }

  get isTls(): boolean {
    return this.#head.isTls;
  }

  /** The same request, with another asker for its work. */
  askedBy(asker: Asker): AdmittedRequest {
    return new AdmittedRequest(this.#head, this.caller, asker, this.params, this.query);
  }

  readonly header = (name: string): string | undefined => this.#head.headers.get(name);
}

/** How a route accepts its body. */
interface BodyForm {
  readonly form?: boolean;
  readonly protocol?: Protocol;
  readonly contentTypes?: readonly string[];
}

/**
 * Checks a request before any byte of its body is read: the caller, the path and the query, the caller's permission, and the content-type and the
 * content-encoding of the body. Created once for each route.
 */
export class Admission {
  readonly #endpoint: RouteStatement;
  /** Names of the path parameters, in order. */
  readonly #parameterNames: readonly string[];
  /** The grant of every request, if neither the path nor the query contains a project or an environment. */
  readonly #grant: Grant;
  readonly #project: Locator;
  readonly #environment: Locator;
  /** Accepted content-types. Empty: the route has no body. */
  readonly #bodyTypes: readonly string[];
  readonly #hasFixedGrant: boolean;
  /**
   * Whether the route is part of the admin API or of SCIM. Only their commands check the grant again (`lostPermissionProblem`): requests of SDKs change nothing.
   */
  readonly #isOfAdminSide: boolean;

  constructor(endpoint: RouteStatement & BodyForm) {
    this.#endpoint = endpoint;
    const { protocol, form } = endpoint;
    const types = endpoint.body
      ? [form ? FORM_TYPE : 'application/json', ...(protocol ? [protocol.mediaType] : [])]
      : [];
    this.#bodyTypes = endpoint.contentTypes ?? types;
    this.#parameterNames = parameterNames(endpoint.path);
    this.#project = locatorOf(endpoint.access.project);
    this.#environment = locatorOf(endpoint.access.environment);
    const { project, environment } = endpoint.access;
    this.#hasFixedGrant = project === undefined && environment === undefined;
    this.#grant = { required: requirementsOf(endpoint.access), project: null, environment: null };
    const credential = credentialOf(endpoint.access);
    this.#isOfAdminSide = credential === 'admin' || credential === 'scim';
  }

  /** Number of parameters of the path. */
  get parameterCount(): number {
    return this.#parameterNames.length;
  }

  /** The credentials of the request, from the header that the route uses. */
  credentialsOf(request: CopiedRequest): Credentials & WaitingHead {
    const { access } = this.#endpoint;
    const keyHeader = 'keyHeader' in access ? access.keyHeader : undefined;
    const key = keyHeader && request.authorization === '' ? request.headers.get(keyHeader) : undefined;
    if (key === undefined) return request;
    const { cookie, origin, site, host, method } = request;
    return {
      authorization: key,
      cookie,
      origin,
      site,
      host,
      method,
      header: (name) => request.header(name),
      isTls: request.isTls,
    };
  }

  /** Determines the caller, only from the credentials. */
  authenticate(credentials: Credentials, authenticator: Authenticator): Caller | Rejection {
    return authenticator.authenticate(credentials, this.#endpoint.access);
  }

  /** The parsed head of the request, if the caller is known and has the permission. */
  admit(
    caller: Caller | Rejection,
    asker: Asker,
    request: CopiedRequest,
    authenticator: Authenticator,
  ): AdmittedRequest | Rejection {
    if (caller instanceof Rejection) return caller;
    const params = this.#parseParams(request.params);
    if (params instanceof Rejection) return params;
    const query = checkedQuery(request.query(), this.#endpoint.query);
    if (query instanceof Rejection) return query;
    const grant = this.#hasFixedGrant ? this.#grant : this.#grantOf(params, query);
    const refusal = authenticator.authorize(caller, grant);
    if (refusal) return refusal;
    const bodyCoding = this.#bodyCodingOf(request);
    if (bodyCoding instanceof Rejection) return bodyCoding;
    const sender = this.#isOfAdminSide ? this.#senderOf(caller, grant, params, request) : caller;
    if (sender instanceof Rejection) return sender;
    const admitted = new AdmittedRequest(request, sender, asker, params, query);
    admitted.bodyCoding = bodyCoding;
    return admitted;
  }

  /** The caller, with what the request states about a change. */
  #senderOf(caller: Caller, grant: Grant, params: Params, request: CopiedRequest): Caller | Rejection {
    const stated = statedBy(this.#endpoint, params, (name) => request.headers.get(name));
    if (stated instanceof Rejection) return stated;
    return withGrant(caller, grant, { ...stated, address: request.remoteAddress });
  }

  #bodyCodingOf(request: CopiedRequest): BodyCoding | undefined | Rejection {
    if (this.#bodyTypes.length === 0) return undefined;
    if (this.#endpoint.bodyOptional && isWithoutBody(request)) return undefined;
    return typeProblemOf(request, this.#bodyTypes) ?? bodyCodingOf(request.headers.get('content-encoding') ?? '');
  }

  #grantOf(params: Params, query: Query): Grant {
    const { required } = this.#grant;
    return { required, project: this.#project(params, query), environment: this.#environment(params, query) };
  }

  #parseParams(raw: readonly string[]): Record<string, unknown> | Rejection {
    const schema = this.#endpoint.params;
    if (!schema && this.#parameterNames.length === 0) return {};
    const params: Record<string, unknown> = {};
    for (const [index, name] of this.#parameterNames.entries()) {
      let text: string;
      try {
        text = decodeURIComponent(raw[index] ?? '');
      } catch {
        return invalid(`The path parameter ${name} is not valid percent-encoding.`, `/${name}`);
      }
      const type = (schema?.properties[name] as { type?: string } | undefined)?.type;
      params[name] = type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    }
    return (schema && validate(schema, params, 'path')) ?? params;
  }
}

/** The grant that a request to the route with these path parameters needs. */
export function grantOf({ access }: RouteStatement, params: Params): Grant {
  const { project, environment } = access;
  return {
    required: requirementsOf(access),
    project: locatorOf(project)(params, {}),
    environment: locatorOf(environment)(params, {}),
  };
}

/** Reads the project or environment of a request. Null: the route has none. Undefined: neither the path nor the query contains it. */
type Locator = (params: Params, query: Query) => string | null | undefined;

function locatorOf(source: Source | undefined): Locator {
  if (source === undefined) return () => null;
  const dot = source.indexOf('.');
  const [part, name] = [source.slice(0, dot), source.slice(dot + 1)];
  if (part === 'path') return (params) => textOrNull(params[name]);
  if (part === 'query') return (_params, query) => textOrNull(query[name]);
  if (part === 'name') return () => name;
  return () => undefined;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The media type of a content-type header, without parameters, in lower case. */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function typeProblemOf({ headers }: CopiedRequest, acceptedTypes: readonly string[]): Rejection | undefined {
  const contentType = headers.get('content-type') ?? '';
  if (!acceptedTypes.includes(contentType) && !acceptedTypes.includes(mediaTypeOf(contentType))) {
    return new Rejection(
      'ContentTypeerror',
      `We do not accept the content-type "${contentType.slice(0, 100) || '(none)'}" for this request. Please use ${acceptedTypes.join(' or ')}.`,
    );
  }
  return undefined;
}

function isWithoutBody({ headers }: CopiedRequest): boolean {
  const length = headers.get('content-length') ?? '0';
  return length === '0' && !headers.has('content-type') && !headers.has('transfer-encoding');
}
