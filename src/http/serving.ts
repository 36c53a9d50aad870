import type { HttpResponse } from 'uWebSockets.js';
import type { Logger } from '../base/logger.ts';
import { type Rejection, unavailable } from '../base/rejection.ts';
import type { TrustedProxies } from '../base/trusted-proxies.ts';
import type { Authenticator } from './authentication.ts';
import { PRIVATE_HEADERS } from './caching.ts';
import type { Origins } from './cross-origin.ts';
import { encodeDefect } from './encoding.ts';
import type { Exchanges } from './exchanges.ts';
import type { PropagationWaits } from './propagation-wait.ts';
import type { RequestWaits } from './request-waits.ts';
import { sendWhole } from './send.ts';
import type { Subscribers } from './subscribers.ts';

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

/** What is needed to answer, whoever is served. */
type Answering = Pick<Serving<unknown>, 'exchanges' | 'logger'>;

export const STARTING = unavailable('The service is starting.', 1);

/** For requests whose end is not clear, before an exchange was begun. */
export function refuseUnclear({ exchanges }: Answering, response: HttpResponse, rejection: Rejection): void {
  const exchange = exchanges.begin(response, false);
  exchange.headers = PRIVATE_HEADERS;
  exchanges.refuseAndClose(exchange, rejection);
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
