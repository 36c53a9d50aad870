import type { Logger } from '../../base/logger.ts';
import { Rejection, RejectionError } from '../../base/rejection.ts';
import { holderOf } from '../../model/caller.ts';
import { Admission, type AdmittedRequest, mediaTypeOf } from '../admission.ts';
import { BodyStream } from '../body/body-stream.ts';
import { decompressed } from '../body/decompression.ts';
import { PausedBody } from '../body/paused-body.ts';
import { cachingHeaders } from '../caching.ts';
import type { StreamedEndpoint, StreamedRequest } from '../endpoint.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpRequest, HttpResponse } from '../front/front.ts';
import { type CopiedRequest, copyRequest } from '../request.ts';
import { beginWait } from '../request-waits.ts';
import { type Serving, STARTING } from '../serving.ts';
import { type EncodedAnswer, encodeDefect, encodeRejection } from './encoded-answer.ts';
import { sendChunks } from './send.ts';

/** A route whose body is read in chunks, and the values that are computed once for it. */
interface StreamedRoute<Services> {
  readonly endpoint: StreamedEndpoint<Services>;
  readonly admission: Admission;
}

export function streamedRoute<Services>(endpoint: StreamedEndpoint<Services>): StreamedRoute<Services> {
  return { endpoint, admission: new Admission(endpoint) };
}

/** Serves a route whose body is read in chunks and whose answer is sent in chunks. Neither is in memory as a whole. */
export function serveStreamed<Services>(
  route: StreamedRoute<Services>,
  response: HttpResponse,
  request: HttpRequest,
  isOpen: boolean,
  serving: Serving<Services>,
): void {
  const { exchanges } = serving;
  const { endpoint } = route;
  const exchange = exchanges.begin(response, false);
  exchange.headers = cachingHeaders(endpoint.access);
  try {
    const raw = isOpen ? copyRequest(request, response, 0, serving.proxies) : STARTING;
    exchange.expectBody((name) => request.getHeader(name));
    if (raw instanceof Rejection) exchanges.refuse(exchange, raw);
    else admitAndServe(route, raw, exchange, serving);
  } catch (error) {
    exchanges.fail(exchange, error, endpoint.operationId);
  }
}

/** A caller without a valid credential is refused before a byte of the body is read. */
function admitAndServe<Services>(
  route: StreamedRoute<Services>,
  raw: CopiedRequest,
  exchange: Exchange,
  serving: Serving<Services>,
): void {
  const { exchanges, authenticator, waits } = serving;
  const caller = route.admission.authenticate(raw, authenticator);
  const waiting = beginWait(waits?.await(caller, raw), raw);
  if (waiting instanceof Promise) {
    serveLater(route, raw, waiting, exchange, serving);
    return;
  }
  const admitted = waiting ?? route.admission.admit(caller, exchange, raw, authenticator);
  if (admitted instanceof Rejection) exchanges.finish(exchange, encodeRejection(admitted));
  else serveAdmitted(route.endpoint, admitted, undefined, exchange, serving);
}

/**
 * Serves the request after the wait. Meanwhile the body is paused. Then the caller is determined again: a newer revision may add or remove its token.
 */
function serveLater<Services>(
  route: StreamedRoute<Services>,
  raw: CopiedRequest,
  waiting: Promise<Rejection | undefined>,
  exchange: Exchange,
  serving: Serving<Services>,
): void {
  const { exchanges, authenticator } = serving;
  const { endpoint, admission } = route;
  const paused = new PausedBody(exchange);
  waiting
    .then((rejection) => {
      if (exchange.over) return;
      const admitted =
        rejection ?? admission.admit(admission.authenticate(raw, authenticator), exchange, raw, authenticator);
      if (admitted instanceof Rejection) {
        paused.drop();
        exchanges.finish(exchange, encodeRejection(admitted));
      } else serveAdmitted(endpoint, admitted, paused, exchange, serving);
    })
    .catch((error: unknown) => exchanges.fail(exchange, error, endpoint.operationId));
}

function serveAdmitted<Services>(
  endpoint: StreamedEndpoint<Services>,
  admitted: AdmittedRequest,
  paused: PausedBody | undefined,
  exchange: Exchange,
  serving: Serving<Services>,
): void {
  const body = new BodyStream(exchange);
  const disconnected = new AbortController();
  exchange.onEnd(() => {
    body.abort();
    disconnected.abort();
  });
  const take = (chunk: Uint8Array, isLast: boolean) => {
    try {
      body.push(chunk, isLast);
    } catch (error) {
      serving.exchanges.fail(exchange, error, endpoint.operationId);
    }
  };
  if (paused) paused.release(take);
  else exchange.onBody(take);
  exchange.holder = holderOf(admitted.caller);
  const { caller, query, header, bodyCoding } = admitted;
  const contentType = mediaTypeOf(header('content-type') ?? '');
  // A body that is not compressed has no limit. A short compressed body could keep the service busy for long.
  const read = bodyCoding === undefined ? body : decompressed(body, bodyCoding, serving.importBodyLimitBytes);
  const request = { caller, query, header, contentType, body: read, signal: disconnected.signal, asker: exchange };
  void sendAnswer(endpoint, request, body, exchange, serving);
}

async function sendAnswer<Services>(
  endpoint: StreamedEndpoint<Services>,
  request: StreamedRequest,
  body: BodyStream,
  exchange: Exchange,
  { exchanges, services, logger }: Serving<Services>,
): Promise<void> {
  // The unread rest of a body would stay in the socket, so that no other request could follow on the connection.
  const closes = () => exchanges.draining || body.paused || exchange.unread === 'long';
  const failed = (error: unknown) => encodeFailure(error, endpoint.operationId, logger);
  try {
    const outcome = await endpoint.handle(request, services);
    if (outcome instanceof Rejection) exchanges.finish(exchange, encodeRejection(outcome), closes());
    else if (exchange.claim()) {
      await sendChunks(exchange, outcome, closes, failed);
    }
  } catch (error) {
    if (error instanceof RejectionError) exchanges.finish(exchange, failed(error), closes());
    else exchanges.fail(exchange, error, endpoint.operationId);
  }
}

/** The answer to a request whose body is refused, whose answer is ended, or whose handler failed. */
function encodeFailure(error: unknown, operationId: string, logger: Logger): EncodedAnswer {
  return error instanceof RejectionError ? encodeRejection(error.rejection) : encodeDefect(error, operationId, logger);
}
