import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { Rejection } from '../base/rejection.ts';
import type { Caller } from '../model/caller.ts';
import { BodyCollector } from './body-collector.ts';
import { crossOriginHeaders } from './cross-origin.ts';
import { admit, dispatch, encodeRejection, parameterNames, type RawRequest } from './dispatch.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { awaitRevision, MIN_REVISION_HEADER } from './min-revision.ts';
import { AMBIGUOUS_LENGTH, copyRequest } from './request.ts';
import { type Serving, STARTING } from './serving.ts';

const EMPTY = new Uint8Array(0);

/** Serves a route with a handler: its head is copied, its body gathered, and the exchange answered by the deadline whatever happens. */
export function serveHandled<Services>(
  endpoint: Endpoint<Services>,
  response: HttpResponse,
  request: HttpRequest,
  headOnly: boolean,
  isOpen: boolean,
  serving: Serving<Services>,
): void {
  const { exchanges, revisions } = serving;
  const exchange = exchanges.begin(response, headOnly);
  try {
    if (endpoint.permission === 'frontend')
      exchange.headers = crossOriginHeaders(request.getHeader('origin'), serving.frontendOrigins);
    const raw = isOpen ? copyRequest(request, response, parameterNames(endpoint.path).length) : STARTING;
    const asked = raw instanceof Rejection ? undefined : raw.headers.get(MIN_REVISION_HEADER);
    const waiting = revisions && awaitRevision(revisions, asked);
    if (raw === AMBIGUOUS_LENGTH) exchanges.refuseAndClose(exchange, raw);
    // A body that may follow is read and dropped by uWS; the connection stays usable.
    else if (raw instanceof Rejection) exchanges.finish(exchange, encodeRejection(raw));
    else if (waiting === undefined) admitNow(exchange, endpoint, raw, serving);
    else if (waiting instanceof Rejection) exchanges.finish(exchange, encodeRejection(waiting));
    else admitLater(exchange, endpoint, raw, waiting, serving);
  } catch (error) {
    exchanges.fail(exchange, error, endpoint.operationId);
  }
}

function admitNow<S>(exchange: Exchange, endpoint: Endpoint<S>, raw: RawRequest, serving: Serving<S>): void {
  const caller = admit(endpoint, raw, serving.authenticator);
  if (caller instanceof Rejection) serving.exchanges.finish(exchange, encodeRejection(caller));
  else if (endpoint.body === undefined) handle(exchange, endpoint, raw, caller, EMPTY, serving);
  else collect(exchange, endpoint, raw, serving, (bytes) => handle(exchange, endpoint, raw, caller, bytes, serving));
}

/** The body is taken meanwhile; who calls is asked afterwards, because the token may come with the revision. */
function admitLater<S>(
  exchange: Exchange,
  endpoint: Endpoint<S>,
  raw: RawRequest,
  waiting: Promise<Rejection | undefined>,
  serving: Serving<S>,
): void {
  const { exchanges, authenticator } = serving;
  const goOn = (bytes: Uint8Array) => {
    waiting
      .then((rejection) => {
        const caller = rejection ?? admit(endpoint, raw, authenticator);
        if (caller instanceof Rejection) exchanges.finish(exchange, encodeRejection(caller));
        else if (!exchange.over) handle(exchange, endpoint, raw, caller, bytes, serving);
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
  raw: RawRequest,
  caller: Caller,
  bytes: Uint8Array,
  { exchanges, services, logger }: Serving<S>,
): void {
  exchange.received = true;
  const answer = dispatch(endpoint, raw, caller, bytes, services, logger);
  if (answer instanceof Promise) void answer.then((encoded) => exchanges.finish(exchange, encoded));
  else exchanges.finish(exchange, answer);
}
