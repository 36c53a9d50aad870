import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { Rejection } from '../base/rejection.ts';
import type { Admission, AdmittedRequest } from './admission.ts';
import { BodyCollector } from './body-collector.ts';
import { crossOriginHeaders } from './cross-origin.ts';
import { dispatch } from './dispatch.ts';
import { encodeRejection } from './encoding.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { awaitRevision, MIN_REVISION_HEADER } from './min-revision.ts';
import { AMBIGUOUS_LENGTH, copyRequest, type RawRequest } from './request.ts';
import { type Serving, STARTING } from './serving.ts';

const EMPTY = new Uint8Array(0);

/** Serves a route with a handler: its head is copied, its body gathered, and the exchange answered by the deadline whatever happens. */
export function serveHandled<Services>(
  endpoint: Endpoint<Services>,
  admission: Admission,
  response: HttpResponse,
  request: HttpRequest,
  headOnly: boolean,
  isOpen: boolean,
  serving: Serving<Services>,
): void {
  const { exchanges, revisions } = serving;
  const exchange = exchanges.begin(response, headOnly);
  try {
    if (endpoint.access.permission === 'FRONTEND')
      exchange.headers = crossOriginHeaders(request.getHeader('origin'), serving.frontendOrigins);
    const raw = isOpen ? copyRequest(request, response, admission.parameterCount) : STARTING;
    const asked = raw instanceof Rejection ? undefined : raw.headers.get(MIN_REVISION_HEADER);
    const waiting = revisions && awaitRevision(revisions, asked);
    if (raw === AMBIGUOUS_LENGTH) exchanges.refuseAndClose(exchange, raw);
    // A body that may follow is read and dropped by uWS; the connection stays usable.
    else if (raw instanceof Rejection) exchanges.finish(exchange, encodeRejection(raw));
    else if (waiting === undefined) admitNow(exchange, endpoint, admission, raw, serving);
    else if (waiting instanceof Rejection) exchanges.finish(exchange, encodeRejection(waiting));
    else admitLater(exchange, endpoint, admission, raw, waiting, serving);
  } catch (error) {
    exchanges.fail(exchange, error, endpoint.operationId);
  }
}

function admit<S>(admission: Admission, raw: RawRequest, { authenticator }: Serving<S>): AdmittedRequest | Rejection {
  const caller = admission.authenticate(raw, authenticator);
  return caller instanceof Rejection ? caller : admission.admit(caller, raw, authenticator);
}

function admitNow<S>(
  exchange: Exchange,
  endpoint: Endpoint<S>,
  admission: Admission,
  raw: RawRequest,
  serving: Serving<S>,
): void {
  const admitted = admit(admission, raw, serving);
  if (admitted instanceof Rejection) serving.exchanges.finish(exchange, encodeRejection(admitted));
  else if (endpoint.body === undefined) handle(exchange, endpoint, admitted, EMPTY, serving);
  else collect(exchange, endpoint, raw, serving, (bytes) => handle(exchange, endpoint, admitted, bytes, serving));
}

/** The body is taken meanwhile; who calls is asked afterwards, because the token may come with the revision. */
function admitLater<S>(
  exchange: Exchange,
  endpoint: Endpoint<S>,
  admission: Admission,
  raw: RawRequest,
  waiting: Promise<Rejection | undefined>,
  serving: Serving<S>,
): void {
  const { exchanges } = serving;
  const goOn = (bytes: Uint8Array) => {
    waiting
      .then((rejection) => {
        const admitted = rejection ?? admit(admission, raw, serving);
        if (admitted instanceof Rejection) exchanges.finish(exchange, encodeRejection(admitted));
        else if (!exchange.over) handle(exchange, endpoint, admitted, bytes, serving);
      })
      .catch((error: unknown) => exchanges.fail(exchange, error, endpoint.operationId));
  };
  if (endpoint.body === undefined) goOn(EMPTY);
  else collect(exchange, endpoint, raw, serving, goOn);
}

function collect<S>(
  exchange: Exchange,
  endpoint: Endpoint<S>,
  raw: RawRequest,
  { exchanges, bodyLimitBytes, importBodyLimitBytes }: Serving<S>,
  complete: (bytes: Uint8Array) => void,
): void {
  const limitBytes = endpoint.bodyLimit === 'import' ? importBodyLimitBytes : bodyLimitBytes;
  const message = `The body is larger than the ${limitBytes} bytes this path accepts.`;
  // Not closed: whoever is still sending would meet a reset connection instead of this answer. uWS drops what still comes.
  const tooLarge = () => {
    exchanges.finish(exchange, encodeRejection(new Rejection('PayloadTooLargeError', message)));
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
      exchanges.fail(exchange, error, endpoint.operationId);
    }
  });
}

function handle<S>(
  exchange: Exchange,
  endpoint: Endpoint<S>,
  admitted: AdmittedRequest,
  bytes: Uint8Array,
  { exchanges, services, logger }: Serving<S>,
): void {
  exchange.received = true;
  const answer = dispatch(endpoint, admitted, bytes, services, logger);
  if (answer instanceof Promise) void answer.then((encoded) => exchanges.finish(exchange, encoded));
  else exchanges.finish(exchange, answer);
}
