import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Logger } from '../base/logger.ts';
import { type Rejection, unavailable } from '../base/rejection.ts';
import type { HeaderRecord } from '../base/response-head.ts';
import type { TrustedProxies } from '../base/trusted-proxies.ts';
import type { Authenticator } from './authentication.ts';
import { PRIVATE_HEADERS } from './caching.ts';
import type { Origins } from './cross-origin.ts';
import type { Exchanges } from './exchanges.ts';
import { isUnclear } from './header-list.ts';
import type { PropagationWaits } from './propagation-wait.ts';
import { statedBodyOf } from './request.ts';
import type { RequestWaits } from './request-waits.ts';
import { type EncodedAnswer, encodeDefect, encodeRejection } from './sending/encoding.ts';
import { sendWhole } from './sending/send.ts';
import type { Subscribers } from './streams/subscribers.ts';

/** What requests are served with, whatever the kind of their route. */
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
  /** What requests may wait for; without it, no request waits. */
  readonly waits: RequestWaits | undefined;
  /** Where writes wait until SDKs have them; without it, the header that asks for it means nothing. */
  readonly propagation: PropagationWaits | undefined;
}

/** What is needed to answer any request. */
type Answering = Pick<Serving<unknown>, 'exchanges' | 'logger'>;

export const STARTING = unavailable('The service is starting.', 1);

/** Answers a request at once, and begins an exchange only where a long body may follow. */
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
    exchange.unread = 'long';
    exchanges.finish(exchange, answer);
  } else sendWhole(response, answer, headers, headOnly, exchanges.draining);
}

/** The same, of a refusal; where it is not clear where the request ends, its connection is closed. */
export function refuseAtOnce(
  answering: Answering,
  response: HttpResponse,
  request: HttpRequest,
  rejection: Rejection,
  headers: HeaderRecord,
  headOnly: boolean,
): void {
  if (isUnclear(rejection)) {
    const exchange = answering.exchanges.begin(response, headOnly);
    exchange.headers = headers;
    answering.exchanges.refuse(exchange, rejection);
  } else answerAtOnce(answering, response, request, encodeRejection(rejection), headers, headOnly);
}

/** For callbacks that have failed before they answered or began an exchange. */
export function sendDefect(
  { exchanges, logger }: Answering,
  response: HttpResponse,
  error: unknown,
  operationId: string,
  headOnly: boolean,
): void {
  const answer = encodeDefect(error, operationId, logger);
  try {
    sendWhole(response, answer, PRIVATE_HEADERS, headOnly, exchanges.draining);
  } catch {
    // It was answered, or aborted, before it failed.
  }
}
