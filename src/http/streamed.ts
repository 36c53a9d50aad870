import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { Rejection } from '../base/rejection.ts';
import { validate } from '../base/validation.ts';
import type { Authenticator } from './authentication.ts';
import { BodyStream } from './body-stream.ts';
import { encodeDefect, encodeRejection } from './encoding.ts';
import type { StreamAnswer, StreamedEndpoint, StreamedRequest } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { awaitRevision, MIN_REVISION_HEADER } from './min-revision.ts';
import { parseQuery } from './query.ts';
import { AMBIGUOUS_LENGTH, copyRequest, type RawRequest } from './request.ts';
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
  try {
    const raw = isOpen ? copyRequest(request, response, 0) : STARTING;
    if (raw === AMBIGUOUS_LENGTH) exchanges.refuseAndClose(exchange, raw);
    else if (raw instanceof Rejection) exchanges.finish(exchange, encodeRejection(raw));
    else admitAndConverse(endpoint, raw, exchange, context);
  } catch (error) {
    exchanges.fail(exchange, error, endpoint.operationId);
  }
}

/** Who calls is asked after a wait for a revision, because the token may come with it. */
function admitAndConverse<Services>(
  endpoint: StreamedEndpoint<Services>,
  raw: RawRequest,
  exchange: Exchange,
  context: Serving<Services>,
): void {
  const { exchanges, authenticator, revisions } = context;
  const waiting = revisions && awaitRevision(revisions, raw.headers.get(MIN_REVISION_HEADER));
  const admit = () => admitStreamed(endpoint, raw, authenticator);
  const admitted =
    waiting instanceof Promise ? waiting.then((rejection) => rejection ?? admit()) : (waiting ?? admit());
  if (admitted instanceof Rejection) exchanges.finish(exchange, encodeRejection(admitted));
  else converse(endpoint, raw, admitted, exchange, context);
}

function converse<Services>(
  endpoint: StreamedEndpoint<Services>,
  raw: RawRequest,
  admitted: Admitted | Promise<Admitted | Rejection>,
  exchange: Exchange,
  context: Serving<Services>,
): void {
  const { response } = exchange;
  const body = new BodyStream(response);
  const gone = new AbortController();
  exchange.onEnd(() => {
    body.abort();
    gone.abort();
  });
  response.onData((chunk, isLast) => {
    if (exchange.over) return;
    try {
      exchange.received ||= isLast;
      body.push(chunk, isLast);
    } catch (error) {
      context.exchanges.fail(exchange, error, endpoint.operationId);
    }
  });
  const rest = { body, signal: gone.signal, header: (name: string) => raw.headers.get(name) };
  void answer(endpoint, admitted, rest, body, exchange, context);
}

async function answer<Services>(
  endpoint: StreamedEndpoint<Services>,
  admission: Admitted | Promise<Admitted | Rejection>,
  rest: Omit<StreamedRequest, keyof Admitted>,
  body: BodyStream,
  exchange: Exchange,
  { exchanges, services, logger }: Serving<Services>,
): Promise<void> {
  // Of a body that nobody reads any more the rest would stay in the socket, and no other request could follow it.
  const closes = () => exchanges.draining || body.paused;
  try {
    const admitted = admission instanceof Promise ? await admission : admission;
    const outcome: StreamAnswer | Rejection =
      admitted instanceof Rejection ? admitted : await endpoint.handle({ ...admitted, ...rest }, services);
    if (outcome instanceof Rejection) exchanges.finish(exchange, encodeRejection(outcome), closes());
    else if (exchange.claim()) {
      await sendChunks(exchange, outcome, closes, (error) => encodeDefect(error, endpoint.operationId, logger));
    }
  } catch (error) {
    exchanges.fail(exchange, error, endpoint.operationId);
  }
}

type Admitted = Pick<StreamedRequest, 'caller' | 'query' | 'contentType'>;

function admitStreamed<S>(
  endpoint: StreamedEndpoint<S>,
  raw: RawRequest,
  authenticator: Authenticator,
): Admitted | Rejection {
  const caller = authenticator.authenticate(raw, endpoint.access);
  if (caller instanceof Rejection) return caller;
  const contentType = (raw.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!endpoint.contentTypes.includes(contentType)) {
    const message = `The content-type "${contentType.slice(0, 100) || '(none)'}" is not accepted here. Please use ${endpoint.contentTypes.join(' or ')}.`;
    return new Rejection('ContentTypeerror', message);
  }
  if ((raw.headers.get('content-encoding') ?? 'identity') !== 'identity')
    return new Rejection('ContentTypeerror', 'Bodies with a content-encoding are not accepted.');
  const query = parseQuery(raw.query, endpoint.query);
  if (query instanceof Rejection) return query;
  const problem = endpoint.query && validate(endpoint.query, query, 'query');
  return problem ?? { caller, query, contentType };
}
