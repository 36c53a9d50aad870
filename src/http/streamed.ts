import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { Rejection } from '../base/rejection.ts';
import { validate } from '../base/validation.ts';
import type { Caller } from '../model/caller.ts';
import { type HeadAccess, requirementsOf } from './access.ts';
import type { Authenticator } from './authentication.ts';
import { BodyStream } from './body-stream.ts';
import { cachingHeaders } from './caching.ts';
import { encodeDefect, encodeRejection } from './encoding.ts';
import type { StreamedEndpoint, StreamedRequest } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { HeldBody } from './held-body.ts';
import { parseQuery } from './query.ts';
import { type CopiedRequest, copyRequest } from './request.ts';
import { begun } from './request-waits.ts';
import { sendChunks } from './send.ts';
import { type Serving, STARTING } from './serving.ts';

/** Serves a route whose body is read, and whose answer is sent, bit by bit: neither is ever held whole. */
export function serveStreamed<Services>(
  endpoint: StreamedEndpoint<Services>,
  response: HttpResponse,
  request: HttpRequest,
  isOpen: boolean,
  context: Serving<Services>,
): void {
  const { exchanges } = context;
  const exchange = exchanges.begin(response, false);
  exchange.headers = cachingHeaders(endpoint.access);
  try {
    const raw = isOpen ? copyRequest(request, response, 0, context.proxies) : STARTING;
    if (raw instanceof Rejection) exchanges.refuse(exchange, raw);
    else admitAndConverse(endpoint, raw, exchange, context);
  } catch (error) {
    exchanges.fail(exchange, error, endpoint.operationId);
  }
}

/** Whoever has no valid credential is turned away before a byte of the body is taken. */
function admitAndConverse<Services>(
  endpoint: StreamedEndpoint<Services>,
  raw: CopiedRequest,
  exchange: Exchange,
  context: Serving<Services>,
): void {
  const { exchanges, authenticator, waits } = context;
  const caller = callerOf(endpoint, raw, authenticator);
  const waiting = begun(waits?.await(caller, raw), raw);
  if (waiting instanceof Promise) {
    converseLater(endpoint, raw, waiting, exchange, context);
    return;
  }
  const admitted = waiting ?? admitStreamed(endpoint, raw, caller);
  if (admitted instanceof Rejection) exchanges.finish(exchange, encodeRejection(admitted));
  else converse(endpoint, raw, admitted, undefined, exchange, context);
}

/** The caller is kept from sending meanwhile. Who calls is asked again afterwards: the token may come, or go, with the revision. */
function converseLater<Services>(
  endpoint: StreamedEndpoint<Services>,
  raw: CopiedRequest,
  waiting: Promise<Rejection | undefined>,
  exchange: Exchange,
  context: Serving<Services>,
): void {
  const { exchanges, authenticator } = context;
  const held = new HeldBody(exchange);
  waiting
    .then((rejection) => {
      if (exchange.over) return;
      const admitted = rejection ?? admitStreamed(endpoint, raw, callerOf(endpoint, raw, authenticator));
      if (admitted instanceof Rejection) {
        held.drop();
        exchanges.finish(exchange, encodeRejection(admitted));
      } else converse(endpoint, raw, admitted, held, exchange, context);
    })
    .catch((error: unknown) => exchanges.fail(exchange, error, endpoint.operationId));
}

function converse<Services>(
  endpoint: StreamedEndpoint<Services>,
  raw: CopiedRequest,
  admitted: Admitted,
  held: HeldBody | undefined,
  exchange: Exchange,
  context: Serving<Services>,
): void {
  const { response } = exchange;
  const body = new BodyStream(exchange);
  const gone = new AbortController();
  exchange.onEnd(() => {
    body.abort();
    gone.abort();
  });
  const take = (chunk: ArrayBuffer, isLast: boolean) => {
    if (exchange.over) return;
    try {
      exchange.received ||= isLast;
      body.push(chunk, isLast);
    } catch (error) {
      context.exchanges.fail(exchange, error, endpoint.operationId);
    }
  };
  if (held) held.release(take);
  else response.onData(take);
  const rest = { body, signal: gone.signal, header: (name: string) => raw.headers.get(name) };
  void answer(endpoint, admitted, rest, body, exchange, context);
}

async function answer<Services>(
  endpoint: StreamedEndpoint<Services>,
  admitted: Admitted,
  rest: Omit<StreamedRequest, keyof Admitted>,
  body: BodyStream,
  exchange: Exchange,
  { exchanges, services, logger }: Serving<Services>,
): Promise<void> {
  // Of a body that nobody reads any more the rest would stay in the socket, and no other request could follow it.
  const closes = () => exchanges.draining || body.paused;
  try {
    const outcome = await endpoint.handle({ ...admitted, ...rest }, services);
    if (outcome instanceof Rejection) exchanges.finish(exchange, encodeRejection(outcome), closes());
    else if (exchange.claim()) {
      await sendChunks(exchange, outcome, closes, (error) => encodeDefect(error, endpoint.operationId, logger));
    }
  } catch (error) {
    exchanges.fail(exchange, error, endpoint.operationId);
  }
}

function callerOf<S>(
  endpoint: StreamedEndpoint<S>,
  raw: CopiedRequest,
  authenticator: Authenticator,
): Caller | Rejection {
  const caller = authenticator.authenticate(raw, endpoint.access);
  if (caller instanceof Rejection || KINDS.has(endpoint.access.permission)) return caller;
  const mandate = { required: requirementsOf(endpoint.access), project: null, environment: null };
  return authenticator.authorize(caller, mandate) ?? caller;
}

/** What a caller is, rather than may: that was asked already. */
const KINDS: ReadonlySet<unknown> = new Set<HeadAccess['permission']>(['NONE', 'CLIENT', 'FRONTEND', 'READ']);

type Admitted = Pick<StreamedRequest, 'caller' | 'query' | 'contentType'>;

function admitStreamed<S>(
  endpoint: StreamedEndpoint<S>,
  raw: CopiedRequest,
  caller: Caller | Rejection,
): Admitted | Rejection {
  if (caller instanceof Rejection) return caller;
  const contentType = (raw.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (endpoint.contentTypes.length > 0 && !endpoint.contentTypes.includes(contentType)) {
    const message = `The content-type "${contentType.slice(0, 100) || '(none)'}" is not accepted here. Please use ${endpoint.contentTypes.join(' or ')}.`;
    return new Rejection('ContentTypeerror', message);
  }
  if ((raw.headers.get('content-encoding') ?? 'identity') !== 'identity')
    return new Rejection('ContentTypeerror', 'Bodies with a content-encoding are not accepted.');
  const query = parseQuery(raw.query(), endpoint.query);
  if (query instanceof Rejection) return query;
  const problem = endpoint.query && validate(endpoint.query, query, 'query');
  return problem ?? { caller, query, contentType };
}
