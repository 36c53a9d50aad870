import type { TSchema } from 'typebox';
import type { Logger } from '../base/logger.ts';
import { invalid, Rejection } from '../base/rejection.ts';
import { validate, validateLarge } from '../base/validation.ts';
import type { Caller } from '../model/caller.ts';
import type { Answer } from './answer.ts';
import type { Authenticator } from './authentication.ts';
import type { Endpoint, HandlerRequest } from './endpoint.ts';
import { ERRORS, errorBody } from './errors.ts';
import { parseJson, parseLargeJson } from './json.ts';
import { parseQuery } from './query.ts';

/** A request as bytes and text, copied from the server: valid for as long as anybody likes. */
export interface RawRequest {
  /** Path parameters as sent, percent-encoded, in the order of the route. */
  readonly params: readonly string[];
  readonly query: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly remoteAddress: string;
}

/** An answer as text, ready to be sent. */
export interface EncodedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | undefined;
  readonly pieces: Iterable<string> | undefined;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** What can be decided before a body is read: who calls, and whether the body is of a kind we take. */
export function admit<S>(endpoint: Endpoint<S>, request: RawRequest, authenticator: Authenticator): Caller | Rejection {
  const caller = authenticator.authenticate(request.headers.get('authorization') ?? '', endpoint.permission);
  if (caller instanceof Rejection || endpoint.body === undefined) return caller;
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(contentType)) {
    return new Rejection(
      'ContentTypeerror',
      `We do not accept the content-type "${contentType.slice(0, 100) || '(none)'}" for this request. Please use application/json.`,
    );
  }
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity')
    return new Rejection('ContentTypeerror', 'Bodies with a content-encoding are not accepted.');
  return caller;
}

/**
 * Parses, validates and handles an admitted request, without a detour over the event loop where the handler has none: a request that is
 * answered at once may be followed by another on its connection. Never throws: a defect becomes a 500 whose id stands in the log.
 */
export function dispatch<S>(
  endpoint: Endpoint<S>,
  request: RawRequest,
  caller: Caller,
  bytes: Uint8Array,
  services: S,
  logger: Logger,
): EncodedAnswer | Promise<EncodedAnswer> {
  const failed = (error: unknown) => encodeDefect(error, endpoint.operationId, logger);
  const handle = (parsed: AnyRequest, body: { readonly value: unknown } | Rejection | undefined) => {
    if (body instanceof Rejection) return encodeRejection(body);
    parsed.body = body?.value;
    const answer = endpoint.handle(parsed as never, services);
    return answer instanceof Promise ? answer.then(encode) : encode(answer);
  };
  try {
    const parsed = parseHead(endpoint, request, caller);
    if (parsed instanceof Rejection) return encodeRejection(parsed);
    const body = endpoint.body && parseBody(endpoint.body, endpoint.bodyLimit, bytes);
    const answer =
      body instanceof Promise ? body.then((parsedBody) => handle(parsed, parsedBody)) : handle(parsed, body);
    return answer instanceof Promise ? answer.catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}

function encode(answer: Answer | Rejection): EncodedAnswer {
  return answer instanceof Rejection ? encodeRejection(answer) : encodeAnswer(answer);
}

/** A 500, logged under the id that the caller is told. The caller learns nothing else. */
export function encodeDefect(error: unknown, operationId: string, logger: Logger): EncodedAnswer {
  const body = errorBody(
    new Rejection('InternalError', 'The service failed to answer this request. Its log has more under this id.'),
  );
  logger.error({ err: error, id: body.id, operationId }, 'request failed');
  return { status: 500, headers: JSON_TYPE, text: JSON.stringify(body), pieces: undefined };
}

export function encodeRejection(rejection: Rejection): EncodedAnswer {
  const headers: Record<string, string> = { ...JSON_TYPE };
  if (rejection.retryAfterS !== undefined) headers['retry-after'] = String(rejection.retryAfterS);
  return {
    status: ERRORS[rejection.name].status,
    headers,
    text: JSON.stringify(errorBody(rejection)),
    pieces: undefined,
  };
}

function encodeAnswer({ status, body, pieces, headers }: Answer): EncodedAnswer {
  if (pieces) return { status, headers: { ...JSON_TYPE, ...headers }, text: undefined, pieces };
  if (body === undefined) return { status, headers: headers ?? {}, text: undefined, pieces: undefined };
  return { status, headers: { ...JSON_TYPE, ...headers }, text: JSON.stringify(body), pieces: undefined };
}

type AnyRequest = {
  -readonly [K in keyof HandlerRequest<unknown, unknown, unknown>]: HandlerRequest<unknown, unknown, unknown>[K];
};

/** Everything of a handler's request but the body. */
function parseHead<S>(endpoint: Endpoint<S>, request: RawRequest, caller: Caller): AnyRequest | Rejection {
  const params = parseParams(endpoint, request.params);
  if (params instanceof Rejection) return params;
  const query = parseQuery(request.query, endpoint.query);
  if (query instanceof Rejection) return query;
  const queryProblem = endpoint.query && validate(endpoint.query, query, 'query');
  if (queryProblem) return queryProblem;
  const header = (name: string) => request.headers.get(name);
  const { query: queryText, remoteAddress } = request;
  return { params, query, queryText, body: undefined, caller, remoteAddress, header };
}

type ParsedBody = { readonly value: unknown } | Rejection;

function parseBody(
  schema: TSchema,
  limit: Endpoint<unknown>['bodyLimit'],
  bytes: Uint8Array,
): ParsedBody | Promise<ParsedBody> {
  if (limit === 'import') return parseLargeBody(schema, bytes);
  const parsed = parseJson(bytes);
  if (parsed instanceof Rejection) return parsed;
  return validate(schema, parsed.value, 'body') ?? parsed;
}

async function parseLargeBody(schema: TSchema, bytes: Uint8Array): Promise<ParsedBody> {
  const parsed = await parseLargeJson(bytes);
  if (parsed instanceof Rejection) return parsed;
  return (await validateLarge(schema, parsed.value, 'body')) ?? parsed;
}

/** Names of the route's parameters, in order. */
export function parameterNames(path: string): string[] {
  return path.split('/').flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : []));
}

function parseParams<S>(endpoint: Endpoint<S>, raw: readonly string[]): Record<string, unknown> | Rejection {
  const params: Record<string, unknown> = {};
  for (const [index, name] of parameterNames(endpoint.path).entries()) {
    let text: string;
    try {
      text = decodeURIComponent(raw[index] ?? '');
    } catch {
      return invalid(`The path parameter ${name} is not valid percent-encoding.`, `/${name}`);
    }
    const type = (endpoint.params?.properties[name] as { type?: string } | undefined)?.type;
    params[name] = type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  }
  return (endpoint.params && validate(endpoint.params, params, 'path')) ?? params;
}
