import { OwnAsker } from '../base/asking/asker.ts';
import type { PreparedAnswer } from '../base/prepared-answer.ts';
import { Rejection } from '../base/rejection.ts';
import { BODY_NOT_ACCEPTED } from './body/stated-body.ts';
import { dropBody } from './body/unread-body.ts';
import { cachingHeaders } from './caching.ts';
import { type PreparedEndpoint, parameterNames } from './endpoint.ts';
import { ERRORS } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { HttpRequest, HttpResponse } from './front/front.ts';
import {
  type CopiedRequest,
  CurrentHead,
  copyRequest,
  HEADER_CHARS_MAX,
  QUERY_TOO_LONG,
  unusualBodyProblem,
} from './request.ts';
import type { PollStats } from './request-stats.ts';
import { beginWait } from './request-waits.ts';
import { encodeRejection } from './sending/encoded-answer.ts';
import { sendRest } from './sending/send.ts';
import { refuseAtOnce, type Serving, STARTING, sendDefect } from './serving.ts';

type Prepared = PreparedAnswer | Rejection;

const currentHead = new CurrentHead();

/** Serves a route whose answers are prepared. It needs no exchange, copy or timer, unless the reader is slow or the answer is not ready yet. */
export function servePrepared<Services>(
  endpoint: PreparedEndpoint<Services>,
  response: HttpResponse,
  request: HttpRequest,
  headOnly: boolean,
  isOpen: boolean,
  stats: PollStats,
  serving: Serving<Services>,
): void {
  try {
    const beginMs = stats.begin();
    const answer = isOpen ? prepare(endpoint, request, response, serving) : STARTING;
    if (answer === BODY_NOT_ACCEPTED) serveAfterBody(endpoint, response, request, headOnly, stats, serving);
    else if (answer instanceof Promise) {
      const exchange = serving.exchanges.begin(response, headOnly);
      const asker = currentHead.askerInUse;
      if (asker) exchange.onEnd(() => asker.end());
      // A body that may still arrive is not read.
      exchange.received = true;
      sendLater(exchange, answer, endpoint, stats, serving);
    } else if (answer instanceof Rejection) {
      stats.of(ERRORS[answer.name].status).count++;
      refuseAtOnce(serving, response, request, answer, cachingHeaders(endpoint.access), headOnly);
    } else {
      send(response, answer, headOnly, undefined, serving);
      stats.end(beginMs, answer);
    }
  } catch (error) {
    sendDefect(serving, response, request, error, endpoint.operationId, headOnly);
  }
}

function prepare<Services>(
  endpoint: PreparedEndpoint<Services>,
  request: HttpRequest,
  response: HttpResponse,
  serving: Serving<Services>,
): Prepared | Promise<Prepared> {
  const unusual = unusualBodyProblem(request);
  if (unusual) return unusual;
  const head = currentHead.of(request);
  if (head.query().length > HEADER_CHARS_MAX) return QUERY_TOO_LONG;
  const { authenticator, waits } = serving;
  const caller = authenticator.authenticate(head, endpoint.access);
  const waiting = waits?.await(caller, head);
  if (waiting === undefined)
    return caller instanceof Rejection ? caller : endpoint.serve(head, caller, serving.services);
  if (waiting instanceof Rejection) return waiting;
  const raw = copyRequest(request, response, parameterNames(endpoint.path).length, serving.proxies);
  if (raw instanceof Rejection) return raw;
  const wait = waiting(raw.remoteAddress);
  if (wait instanceof Rejection) return wait;
  currentHead.asker('');
  raw.pollAsker = currentHead.askerInUse;
  return wait.then((rejection) => rejection ?? serveCopied(endpoint, raw, serving));
}

/** Serves the request after a wait. The caller is determined again: a newer revision may have added or removed its token. */
function serveCopied<Services>(
  endpoint: PreparedEndpoint<Services>,
  raw: CopiedRequest,
  { authenticator, services }: Serving<Services>,
): Prepared | Promise<Prepared> {
  const caller = authenticator.authenticate(raw, endpoint.access);
  return caller instanceof Rejection ? caller : endpoint.serve(raw, caller, services);
}

/** Answers a poll with an unexpected body, after the body has ended. */
function serveAfterBody<Services>(
  endpoint: PreparedEndpoint<Services>,
  response: HttpResponse,
  request: HttpRequest,
  headOnly: boolean,
  stats: PollStats,
  serving: Serving<Services>,
): void {
  const raw = copyRequest(request, response, parameterNames(endpoint.path).length, serving.proxies);
  if (raw instanceof Rejection) {
    refuseAtOnce(serving, response, request, raw, cachingHeaders(endpoint.access), headOnly);
    return;
  }
  const exchange = serving.exchanges.begin(response, headOnly);
  exchange.expectBody((name) => request.getHeader(name));
  const asker = new OwnAsker();
  raw.pollAsker = asker;
  exchange.onEnd(() => asker.end());
  const answered = dropBody(exchange).then(async (refusal) => {
    const caller = serving.authenticator.authenticate(raw, endpoint.access);
    return refusal ?? (await beginWait(serving.waits?.await(caller, raw), raw)) ?? serveCopied(endpoint, raw, serving);
  });
  sendLater(exchange, answered, endpoint, stats, serving);
}

function sendLater<Services>(
  exchange: Exchange,
  later: Promise<Prepared>,
  { operationId, access }: PreparedEndpoint<Services>,
  stats: PollStats,
  serving: Serving<Services>,
): void {
  const { exchanges } = serving;
  const { response, headOnly } = exchange;
  const beginMs = performance.now();
  exchange.observe = (status, _ms, nowMs) => stats.note(status, nowMs - beginMs, nowMs);
  exchange.headers = cachingHeaders(access);
  later
    .then((answer) => {
      if (answer instanceof Rejection) return exchanges.finish(exchange, encodeRejection(answer));
      if (!exchange.claim()) return;
      response.cork(() => {
        if (send(response, answer, headOnly, exchange, serving)) exchange.end();
      });
      stats.endLate(beginMs, answer);
    })
    .catch((error: unknown) => exchanges.fail(exchange, error, operationId));
}

/** Returns true when everything was sent. Otherwise the rest is sent when the reader reads. */
function send<Services>(
  response: HttpResponse,
  { head, body }: PreparedAnswer,
  headOnly: boolean,
  exchange: Exchange | undefined,
  { exchanges }: Serving<Services>,
): boolean {
  response.writeHead(head);
  if (headOnly || body === undefined) {
    response.endHead(body?.lengthBytes, exchanges.draining);
    return true;
  }
  if (exchanges.draining) response.writeClose();
  const finished = response.sendBody(body, 0);
  if (!finished) sendRest(exchange ?? exchanges.track(response, headOnly), body);
  return finished;
}
