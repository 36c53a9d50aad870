import Type from 'typebox';
import type { Rejection } from '../../base/rejection.ts';
import { UNAUTHENTICATED } from '../../http/authentication.ts';
import type { RequestHead } from '../../http/endpoint.ts';
import { subscribed } from '../endpoint.ts';
import { refetchEvent } from './push-streams.ts';

/** The path of the stream. Its address is in answers with all flags. */
export const PUSH_PATH = '/ofrep/v1/events';

/** The id of the event for a reader whose key is not valid: the reader that comes back with it is refused. */
const REFUSED = 'refused';

/** Delay before a reader whose key is not valid comes back. */
const REFUSED_RETRY_MS = 1_000;

/** Delay before a reader comes back for which no stream is free. */
const FULL_RETRY_MS = 60_000;

type Head = Pick<RequestHead, 'header' | 'query'>;

const streamPush = subscribed(`GET ${PUSH_PATH}`, 'ofrepStreamEvents', {
  tag: 'OpenFeature',
  access: { permission: 'FRONTEND', byAddress: true },
  summary: 'An event whenever flags of the token have changed (OpenFeature Remote Evaluation Protocol)',
  description:
    'Server-sent events `{type: "refetchEvaluation", etag, lastModified}`: the provider then requests all flags again. Answers with all flags contain the ' +
    'address of the stream in `eventStreams`; a browser opens it without headers. A reader that reconnects with `Last-Event-ID` gets an event only if it ' +
    'missed a change. The key in the address is valid for one to two days; event ids renew it. For a key that is not valid, the stream has one event and ' +
    'ends, and the next request is answered 204. If too many streams are open, the stream has one event and ends, and the reader comes back after a minute.',
  query: Type.Object({
    key: Type.Optional(Type.String({ description: 'The key of this address. Without it, the request needs a token' })),
    from: Type.Optional(Type.String({ description: 'The position of the flags in the answer with this address' })),
  }),
  responses: {
    200: { description: 'Events', contentType: 'text/event-stream' },
    204: { description: 'The address is not valid any more. Request all flags to get a new one' },
  },
  errors: [],
  identify(request, { pushStreams: { keys } }) {
    const { key } = addressOf(request);
    if (key === '') return undefined;
    return keys.callerOf(keyIn(lastEventId(request))) ?? keys.callerOf(key) ?? UNAUTHENTICATED;
  },
  isCurrent: (caller, { tokens }) => tokens.isCurrent(caller),
  received(request) {
    const known = lastEventId(request);
    if (keyIn(known) !== '') return known;
    const { key, from } = addressOf(request);
    return from === '' ? '' : `${from}:${key}`;
  },
  refused: instead,
  channel: ({ caller }, { pushStreams }) => pushStreams.channel(caller),
  receipts: ({ scope }, _request, { propagation }) => propagation.openBrowserStream(scope, ''),
  follow: ({ pushStreams }, changed) => pushStreams.follow(() => changed()),
});

/**
 * What a browser gets instead of an error, after which it would never connect again. If it is to come back, it gets a stream that ends at once. If its key
 * is not valid, it is notified once, to request the flags, and so to get a new address; then 204 ends its stream, and the provider opens the new address.
 */
function instead({ name }: Rejection, request: Head | undefined): string | null | undefined {
  if (name === 'ServiceUnavailableError') return ':\n\n';
  if (name === 'TooManyRequestsError') return `retry: ${FULL_RETRY_MS}\n${refetchEvent()}\n`;
  if (name !== 'AuthenticationRequired' || request === undefined || addressOf(request).key === '') return undefined;
  return lastEventId(request) === REFUSED ? null : `retry: ${REFUSED_RETRY_MS}\nid: ${REFUSED}\n${refetchEvent()}\n`;
}

function addressOf(request: Head): { readonly key: string; readonly from: string } {
  const parameters = new URLSearchParams(request.query());
  return { key: parameters.get('key') ?? '', from: parameters.get('from') ?? '' };
}

function lastEventId(request: Head): string {
  return request.header('last-event-id');
}

/** The key in an event id; "" if it contains none. */
function keyIn(eventId: string): string {
  const end = eventId.lastIndexOf(':');
  return end < 0 ? '' : eventId.slice(end + 1);
}

export const ofrepPushEndpoints = [streamPush] as const;
