import type { Logger } from '../base/logger.ts';
import type { TrustedProxies } from '../base/network/trusted-proxies.ts';
import type { Semaphore } from '../base/queues/semaphore.ts';
import { type Rejection, unavailable } from '../base/rejection.ts';
import type { HeaderRecord } from '../base/response-head.ts';
import type { Authenticator } from './authentication.ts';
import { PRIVATE_HEADERS } from './caching.ts';
import type { Origins } from './cross-origin.ts';
import type { Exchanges } from './exchanges.ts';
import type { HttpRequest, HttpResponse } from './front/front.ts';
import { isEndUnclear } from './header-list.ts';
import type { WriteObserver } from './observed-writes.ts';
import type { PropagationWaits } from './propagation-wait.ts';
import { statedBodyOf } from './request.ts';
import type { RequestWaits } from './request-waits.ts';
import { type EncodedAnswer, encodeDefect, encodeRejection } from './sending/encoded-answer.ts';
import { sendWhole } from './sending/send.ts';
import type { SharedAnswers } from './shared-answers.ts';
import type { Subscribers } from './streams/subscribers.ts';

/** The objects that are needed to serve requests, for all kinds of routes. */
export interface Serving<Services> {
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly exchanges: Exchanges;
  readonly logger: Logger;
  readonly frontendOrigins: Origins;
  readonly subscribers: Subscribers;
  readonly proxies: TrustedProxies;
  readonly bodyLimitBytes: number;
  readonly importBodyLimitBytes: number;
  /** Bytes that all compressed bodies together may have after decompression, until they are parsed. */
  readonly decompressions: Semaphore;
  /** Decides which requests wait. Undefined: no request waits. */
  readonly waits: RequestWaits | undefined;
  /** Makes writes wait until SDKs have received them. Undefined: the header that requests such a wait is ignored. */
  readonly propagation: PropagationWaits | undefined;
  readonly sharedAnswers: SharedAnswers;
  /** Learns of writes of the admin API. Undefined: they are not noted. */
  readonly writes: WriteObserver | undefined;
}

/** The objects that are needed to answer any request. */
type Answering = Pick<Serving<unknown>, 'exchanges' | 'logger'>;

export const STARTING = unavailable('The service is starting.', 1);

/** Answers a request immediately. Begins an exchange only if a long body may follow. */
export function answerAtOnce(
  { exchanges }: Answering,
  response: HttpResponse,
  request: HttpRequest,
  answer: EncodedAnswer,
  headers: HeaderRecord,
  headOnly = false,
): void {
  if (statedBodyOf(request) === 'long') {
    const exchange = exchanges.begin(response, headOnly);
    exchange.headers = headers;
    exchange.expectBody((name) => request.getHeader(name));
    exchanges.finish(exchange, answer);
  } else sendWhole(response, answer, headers, headOnly, exchanges.draining);
}

/** Refuses a request immediately. If the end of the request is unclear, the connection is closed. */
export function refuseAtOnce(
  answering: Answering,
  response: HttpResponse,
  request: HttpRequest,
  rejection: Rejection,
  headers: HeaderRecord,
  headOnly: boolean,
): void {
  if (isEndUnclear(rejection)) {
    const exchange = answering.exchanges.begin(response, headOnly);
    exchange.headers = headers;
    answering.exchanges.refuse(exchange, rejection);
  } else answerAtOnce(answering, response, request, encodeRejection(rejection), headers, headOnly);
}

/** Answers 500 for a callback that failed before it answered or began an exchange. */
export function sendDefect(
  answering: Answering,
  response: HttpResponse,
  request: HttpRequest,
  error: unknown,
  operationId: string,
  headOnly: boolean,
): void {
  const answer = encodeDefect(error, operationId, answering.logger);
  try {
    // It is not known what of the request was read: nothing else is served on this connection.
    if (statedBodyOf(request) === 'long') answerAtOnce(answering, response, request, answer, PRIVATE_HEADERS, headOnly);
    else sendWhole(response, answer, PRIVATE_HEADERS, headOnly, true);
  } catch {
    // The response was already answered or aborted.
  }
}
