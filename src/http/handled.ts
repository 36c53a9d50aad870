import { getOrMake } from '../base/get-or-make.ts';
import { Rejection } from '../base/rejection.ts';
import { type HeaderRecord, withHeadCache } from '../base/response-head.ts';
import { holderOf } from '../model/caller.ts';
import { type Access, credentialOf } from './access.ts';
import { Admission, type AdmittedRequest } from './admission.ts';
import { BodyCollector } from './body/body-collector.ts';
import { countedBytes, decompressedWhole } from './body/decompression.ts';
import { FORM_BYTES_MAX } from './body/form.ts';
import { PausedBody } from './body/paused-body.ts';
import { bodyTooLarge } from './body/stated-body.ts';
import { dropBody } from './body/unread-body.ts';
import { BROWSER_HEADERS, TLS_HEADERS } from './browser-headers.ts';
import { cachingHeaders, compressibleHeaders } from './caching.ts';
import { crossOriginHeaders } from './cross-origin.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import type { HttpRequest, HttpResponse } from './front/front.ts';
import { isAdminWrite, observeWrite } from './observed-writes.ts';
import { parseAndHandle } from './parse-and-handle.ts';
import { WAIT_HEADER, waitOf } from './propagation-wait.ts';
import { type CopiedRequest, CurrentHead, copyRequest } from './request.ts';
import type { RouteStats } from './request-stats.ts';
import { beginWait } from './request-waits.ts';
import { type EncodedAnswer, encodeRejection } from './sending/encoded-answer.ts';
import { type Serving, STARTING } from './serving.ts';

const EMPTY = new Uint8Array(0);

const currentHead = new CurrentHead();

/** Bodies up to this size may be parsed without a copy, because they are parsed in the same turn of the event loop (`parsed-body.ts`). */
const BORROWED_BYTES_MAX = 64 * 1024;

/** A route with a handler, and the values that are computed once for it. */
interface HandledRoute<Services> {
  readonly endpoint: Endpoint<Services>;
  readonly admission: Admission;
  /** Headers of every answer. */
  readonly headers: HeaderRecord;
  /** Headers of every answer if TLS is used. */
  readonly tlsHeaders: HeaderRecord;
  /** Whether pages of other origins may read the answers. */
  readonly isCrossOrigin: boolean;
  /** Called for every answer. */
  readonly observe: NonNullable<Exchange['observe']>;
}

export function handledRoute<Services>(endpoint: Endpoint<Services>, stats: RouteStats): HandledRoute<Services> {
  const { access } = endpoint;
  return {
    endpoint,
    admission: new Admission(endpoint),
    ...headersOf(access),
    isCrossOrigin: access.permission === 'FRONTEND',
    observe: (status, ms, nowMs) => stats.note(status, ms, nowMs),
  };
}

type AnswerHeaders = Pick<HandledRoute<unknown>, 'headers' | 'tlsHeaders'>;

/** The headers of answers that browsers show, and of other answers, by their caching headers. A few records serve all routes. */
const forBrowsers = new Map<HeaderRecord, AnswerHeaders>();
const forOthers = new Map<HeaderRecord, AnswerHeaders>();

function headersOf(access: Access): AnswerHeaders {
  const credential = credentialOf(access);
  const isForBrowsers = credential === 'admin' || credential === 'none';
  return getOrMake(isForBrowsers ? forBrowsers : forOthers, cachingHeaders(access), () => {
    const headers = withHeadCache({ ...compressibleHeaders(access), ...(isForBrowsers ? BROWSER_HEADERS : {}) });
    return { headers, tlsHeaders: isForBrowsers ? withHeadCache({ ...headers, ...TLS_HEADERS }) : headers };
  });
}

/**
 * Serves a route with a handler: copies the head, determines and admits the caller, then collects the body. If this takes too long, the deadline
 * answers the exchange. The body of a caller that is not admitted is not read.
 */
export function serveHandled<Services>(
  route: HandledRoute<Services>,
  response: HttpResponse,
  request: HttpRequest,
  headOnly: boolean,
  isOpen: boolean,
  serving: Serving<Services>,
): void {
  const { exchanges } = serving;
  const { endpoint, admission } = route;
  const exchange = exchanges.begin(response, headOnly);
  exchange.observe = route.observe;
  exchange.protocol = endpoint.protocol;
  try {
    exchange.headers = route.isCrossOrigin
      ? crossOriginHeaders(currentHead.of(request), serving.frontendOrigins.current)
      : route.headers;
    const raw = isOpen ? copyRequest(request, response, admission.parameterCount, serving.proxies) : STARTING;
    if (raw instanceof Rejection) {
      exchange.expectBody((name) => request.getHeader(name));
      exchanges.refuse(exchange, raw);
    } else {
      exchange.expectBody((name) => raw.headers.get(name));
      if (!endpoint.hasSecrets) exchange.acceptEncoding = raw.header('accept-encoding');
      // Handlers may read the address after the caller has disconnected.
      raw.keepAddress();
      if (!route.isCrossOrigin && raw.isTls) exchange.headers = route.tlsHeaders;
      serveCopied(exchange, route, raw, serving);
    }
  } catch (error) {
    exchanges.fail(exchange, error, endpoint.operationId);
  }
}

function serveCopied<S>(exchange: Exchange, route: HandledRoute<S>, raw: CopiedRequest, serving: Serving<S>): void {
  const { exchanges, waits, authenticator } = serving;
  const credentials = route.admission.credentialsOf(raw);
  const caller = route.admission.authenticate(credentials, authenticator);
  const waiting = beginWait(waits?.await(caller, credentials), raw) ?? authenticator.preparePermissions(caller);
  if (waiting instanceof Promise) admitLater(exchange, route, raw, waiting, serving);
  else if (waiting) exchanges.finish(exchange, encodeRejection(waiting, {}, route.endpoint.protocol));
  else {
    const admitted = route.admission.admit(caller, exchange, raw, authenticator);
    if (admitted instanceof Rejection) exchanges.finish(exchange, refused(route.endpoint, admitted));
    else receive(exchange, route, raw, admitted, undefined, serving);
  }
}

/** The answer to a request that is refused before its parameters are known. */
function refused<S>(endpoint: Endpoint<S>, rejection: Rejection): EncodedAnswer {
  return encodeRejection(rejection, endpoint.errorFields?.(rejection, {}), endpoint.protocol);
}

/**
 * Admits the request after the wait. Meanwhile the body is paused. Then the caller is determined again: a newer revision may add or remove its token.
 */
function admitLater<S>(
  exchange: Exchange,
  route: HandledRoute<S>,
  raw: CopiedRequest,
  waiting: Promise<Rejection | undefined>,
  serving: Serving<S>,
): void {
  const { exchanges, authenticator } = serving;
  const { admission, endpoint } = route;
  // Every body that is read later is paused now: data that arrives without a listener is lost, including the end of the body.
  const paused = endpoint.body || exchange.unread === 'long' ? new PausedBody(exchange) : undefined;
  const authenticate = () => admission.authenticate(admission.credentialsOf(raw), authenticator);
  waiting
    .then(async (rejection) => {
      await authenticator.preparePermissions(rejection ?? authenticate());
      if (exchange.over) return;
      const caller = rejection ?? authenticate();
      const admitted = admission.admit(caller, exchange, raw, authenticator);
      if (admitted instanceof Rejection) {
        // Before the answer: afterwards the socket can no longer be resumed.
        paused?.drop();
        exchanges.finish(exchange, refused(endpoint, admitted));
      } else receive(exchange, route, raw, admitted, paused, serving);
    })
    .catch((error: unknown) => exchanges.fail(exchange, error, endpoint.operationId));
}

/** Collects the body, if the route has one, and handles the request. */
function receive<S>(
  exchange: Exchange,
  { endpoint }: HandledRoute<S>,
  raw: CopiedRequest,
  admitted: AdmittedRequest,
  paused: PausedBody | undefined,
  serving: Serving<S>,
): void {
  const { exchanges } = serving;
  if (endpoint.body === undefined) {
    serveBodyless(exchange, endpoint, admitted, paused, serving);
    return;
  }
  const limitBytes = bodyLimitOf(endpoint, serving);
  const tooLarge = () => {
    exchanges.finish(exchange, encodeRejection(bodyTooLarge(limitBytes), {}, endpoint.protocol), true);
  };
  const lengthText = raw.headers.get('content-length');
  const lengthBytes = lengthText === undefined ? undefined : Number(lengthText);
  if (lengthBytes !== undefined && lengthBytes > limitBytes) {
    paused?.drop();
    tooLarge();
    return;
  }
  const { bodyCoding } = admitted;
  // A write that may have to wait for SDKs can be parsed later, and so is a compressed body: it must be copied.
  const borrowedBytesMax = bodyCoding !== undefined || isAdminWrite(endpoint) ? -1 : BORROWED_BYTES_MAX;
  let collector: BodyCollector | undefined;
  const take = (chunk: Uint8Array, isLast: boolean) => {
    try {
      // Parsed before the server reuses the memory of the chunk: no copy is needed.
      const isWhole = isLast && collector === undefined && chunk.byteLength <= Math.min(limitBytes, borrowedBytesMax);
      if (isWhole) {
        handle(exchange, endpoint, admitted, chunk, serving);
        return;
      }
      collector ??= new BodyCollector(limitBytes, lengthBytes);
      if (!collector.add(chunk)) tooLarge();
      else if (isLast && bodyCoding === undefined) handle(exchange, endpoint, admitted, collector.take(), serving);
      else if (isLast) void decompress(exchange, endpoint, admitted, collector.take(), limitBytes, serving);
    } catch (error) {
      exchanges.fail(exchange, error, endpoint.operationId);
    }
  };
  if (paused) paused.release(take);
  else exchange.onBody(take);
}

/**
 * Decompresses the body, and handles the request. It waits while other decompressed bodies use the memory for them, and ends with the exchange: when
 * the caller leaves, or at the deadline.
 */
async function decompress<S>(
  exchange: Exchange,
  endpoint: Endpoint<S>,
  admitted: AdmittedRequest,
  compressed: Uint8Array,
  limitBytes: number,
  serving: Serving<S>,
): Promise<void> {
  const { exchanges, decompressions } = serving;
  const { bodyCoding } = admitted;
  const give = await decompressions.take(countedBytes(limitBytes), holderOf(admitted.caller));
  try {
    if (exchange.over) return give();
    exchange.onEnd(give);
    const isEmpty = bodyCoding === undefined || compressed.length === 0;
    const bytes = isEmpty
      ? compressed
      : await decompressedWhole(compressed, bodyCoding, limitBytes, () => exchange.over);
    if (exchange.over || bytes === undefined) return;
    if (bytes instanceof Rejection) {
      const fields = endpoint.errorFields?.(bytes, admitted.params);
      exchanges.finish(exchange, encodeRejection(bytes, fields, endpoint.protocol));
    } else handle(exchange, endpoint, admitted, bytes, serving, give);
  } catch (error) {
    exchanges.fail(exchange, error, endpoint.operationId);
  }
}

/** Handles a request whose route expects no body. If it has a long body, the body is read and dropped first. */
function serveBodyless<S>(
  exchange: Exchange,
  endpoint: Endpoint<S>,
  admitted: AdmittedRequest,
  paused: PausedBody | undefined,
  serving: Serving<S>,
): void {
  const { exchanges } = serving;
  if (exchange.unread !== 'long') {
    paused?.drop();
    handle(exchange, endpoint, admitted, EMPTY, serving);
    return;
  }
  dropBody(exchange, paused)
    .then((refusal) => {
      if (refusal) exchanges.finish(exchange, refused(endpoint, refusal));
      else handle(exchange, endpoint, admitted, EMPTY, serving);
    })
    .catch((error: unknown) => exchanges.fail(exchange, error, endpoint.operationId));
}

function bodyLimitOf({ form, bodyLimit }: Endpoint<never>, serving: Serving<unknown>): number {
  if (form) return Math.min(FORM_BYTES_MAX, serving.bodyLimitBytes);
  return bodyLimit === 'import' ? serving.importBodyLimitBytes : serving.bodyLimitBytes;
}

function handle<S>(
  exchange: Exchange,
  endpoint: Endpoint<S>,
  admitted: AdmittedRequest,
  bytes: Uint8Array,
  { exchanges, services, logger, propagation, writes, sharedAnswers }: Serving<S>,
  onParsed?: () => void,
): void {
  exchange.received = true;
  exchange.holder = holderOf(admitted.caller);
  // Only writes of the admin API may wait until SDKs have their change. Other routes change no flags, and some accept callers without credentials, who
  // could use up the quota of waiting writes.
  const wait = propagation && isAdminWrite(endpoint) ? waitOf(admitted.header(WAIT_HEADER)) : undefined;
  if (wait instanceof Rejection) {
    exchanges.finish(exchange, encodeRejection(wait));
    return;
  }
  const note = observeWrite(writes, endpoint, admitted);
  const handleRequest = () =>
    endpoint.basis
      ? sharedAnswers.answer(endpoint, endpoint.basis, admitted, services, logger)
      : noted(parseAndHandle(endpoint, admitted, bytes, services, logger, onParsed), note);
  if (wait && propagation) {
    void propagation
      .answer(wait, exchange, handleRequest, () => exchanges.draining)
      .then((refusal) => exchanges.finish(exchange, refusal instanceof Rejection ? encodeRejection(refusal) : refusal))
      .catch((error: unknown) => exchanges.fail(exchange, error, endpoint.operationId));
    return;
  }
  const answer = handleRequest();
  if (answer instanceof Promise) void answer.then((encoded) => exchanges.finish(exchange, encoded));
  else exchanges.finish(exchange, answer);
}

/** The answer, which is noted when it exists. */
function noted(
  answer: EncodedAnswer | Promise<EncodedAnswer>,
  note: ((answer: EncodedAnswer) => void) | undefined,
): EncodedAnswer | Promise<EncodedAnswer> {
  if (note === undefined) return answer;
  if (answer instanceof Promise) {
    return answer.then((encoded) => {
      note(encoded);
      return encoded;
    });
  }
  note(answer);
  return answer;
}
