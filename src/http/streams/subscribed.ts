import type { Channel } from '../../base/queues/channel.ts';
import { Rejection } from '../../base/rejection.ts';
import { NO_HEADERS } from '../../base/response-head.ts';
import type { Caller } from '../../model/caller.ts';
import { BODY_NOT_ACCEPTED } from '../body/stated-body.ts';
import { cachingHeaders } from '../caching.ts';
import { crossOriginHeaders } from '../cross-origin.ts';
import type { SubscribedEndpoint } from '../endpoint.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpRequest, HttpResponse } from '../front/front.ts';
import { checkedQuery } from '../query.ts';
import { type CopiedRequest, CurrentHead, copyRequest } from '../request.ts';
import { beginWait } from '../request-waits.ts';
import { encodeRejection } from '../sending/encoded-answer.ts';
import { type Serving, STARTING } from '../serving.ts';
import { STREAM_HEADERS } from './subscriber.ts';

const currentHead = new CurrentHead();

/**
 * Serves a route that streams changes: the caller must be known and within the quota of streams, otherwise it is refused with the reason. The server
 * delivers all waiting requests in one turn of the event loop: thousands, if many SDKs reconnect. So this function only copies the head of each
 * request, because the original is invalid afterwards. The rest is done in slices, before the deadlines of the exchanges.
 */
export function serveSubscribed<Services>(
  endpoint: SubscribedEndpoint<Services>,
  response: HttpResponse,
  request: HttpRequest,
  isOpen: boolean,
  serving: Serving<Services>,
): void {
  const { exchanges } = serving;
  const exchange = exchanges.begin(response, false);
  exchange.received = true;
  try {
    exchange.headers =
      endpoint.access.permission === 'FRONTEND'
        ? crossOriginHeaders(currentHead.of(request), serving.frontendOrigins.current)
        : cachingHeaders(endpoint.access);
    const raw = isOpen ? copyRequest(request, response, 0, serving.proxies) : STARTING;
    exchange.expectBody((name) => request.getHeader(name));
    if (raw === STARTING) refuse(exchange, endpoint, raw, undefined, serving);
    else if (raw instanceof Rejection) exchanges.refuse(exchange, raw);
    else if (exchange.unread === 'long') exchanges.refuse(exchange, BODY_NOT_ACCEPTED);
    else runSoon(exchange, endpoint, serving, () => identify(exchange, endpoint, raw, serving));
  } catch (error) {
    exchanges.fail(exchange, error, endpoint.operationId);
  }
}

/** Runs `work` in one of the next slices, unless the exchange has ended by then. */
function runSoon<Services>(
  exchange: Exchange,
  { operationId }: SubscribedEndpoint<Services>,
  { subscribers, exchanges }: Serving<Services>,
  work: () => void,
): void {
  subscribers.jobs.add(() => {
    if (exchange.over) return;
    try {
      work();
    } catch (error) {
      exchanges.fail(exchange, error, operationId);
    }
  });
}

/** Determines the caller, and waits if the request must wait. */
function identify<Services>(
  exchange: Exchange,
  endpoint: SubscribedEndpoint<Services>,
  raw: CopiedRequest,
  serving: Serving<Services>,
): void {
  const { exchanges, authenticator, services, waits } = serving;
  const authenticate = () => endpoint.identify?.(raw, services) ?? authenticator.authenticate(raw, endpoint.access);
  const caller = authenticate();
  const waiting = beginWait(waits?.await(caller, raw), raw);
  if (waiting instanceof Promise) {
    const subscribeThen = (rejection: Rejection | undefined) =>
      // Continues in a later slice, because many requests may have waited for the same revision.
      runSoon(exchange, endpoint, serving, () =>
        subscribe(exchange, endpoint, rejection ?? authenticate(), raw, serving),
      );
    waiting.then(subscribeThen).catch((error: unknown) => exchanges.fail(exchange, error, endpoint.operationId));
  } else subscribe(exchange, endpoint, waiting ?? caller, raw, serving);
}

function subscribe<Services>(
  exchange: Exchange,
  endpoint: SubscribedEndpoint<Services>,
  caller: Caller | Rejection,
  raw: CopiedRequest,
  serving: Serving<Services>,
): void {
  const { services, subscribers } = serving;
  const channel = caller instanceof Rejection ? caller : channelOf(endpoint, caller, raw, services);
  const refusal =
    caller instanceof Rejection || channel instanceof Rejection
      ? channel
      : subscribers.add(exchange, endpoint, caller, raw, channel, () => endpoint.receipts?.(caller, raw, services));
  if (refusal instanceof Rejection) refuse(exchange, endpoint, refusal, raw, serving);
}

/** Answers with the rejection, or with what the route has instead of it. */
function refuse<Services>(
  exchange: Exchange,
  endpoint: SubscribedEndpoint<Services>,
  rejection: Rejection,
  raw: CopiedRequest | undefined,
  { exchanges }: Serving<Services>,
): void {
  const events = endpoint.refused?.(rejection, raw);
  if (events === undefined) exchanges.finish(exchange, encodeRejection(rejection));
  else if (events === null) exchanges.finish(exchange, { status: 204, headers: NO_HEADERS, ...NOTHING });
  else exchanges.finish(exchange, { status: 200, headers: STREAM_HEADERS, ...NOTHING, text: events });
}

const NOTHING = { text: undefined, pieces: undefined };

function channelOf<Services>(
  endpoint: SubscribedEndpoint<Services>,
  caller: Caller,
  raw: CopiedRequest,
  services: Services,
): Channel | Rejection {
  const queryText = raw.query();
  const query = checkedQuery(queryText, endpoint.query);
  if (query instanceof Rejection) return query;
  const { remoteAddress, headers } = raw;
  const header = (name: string) => headers.get(name) ?? '';
  return endpoint.channel({ caller, query, queryText, remoteAddress, header }, services);
}
