import Type from 'typebox';
import { notFound, Rejection } from '../../base/rejection.ts';
import { done } from '../../http/answer.ts';
import { SdkContext } from '../../model/context.ts';
import { routesOf, subscribed } from '../endpoint.ts';
import { contextOfQuery } from './query-context.ts';
import { ContextQuery } from './schemas.ts';

const route = routesOf('Frontend');

const streamAnswers = subscribed({
  operationId: 'streamFrontendFeatures',
  method: 'get',
  path: '/api/frontend/streaming',
  tag: 'Frontend',
  access: { permission: 'FRONTEND' },
  summary: 'The flags that are on for the context in the query, and every change of these answers as it happens',
  description:
    'Server-sent events: `unleash-connected` with all answers, `{connection, toggles}`, then `unleash-updated` with those that changed, ' +
    '`{toggles, removed}`: flags that are on and are new or another, and names of flags that are off now. Nothing is told of changes that make no ' +
    'difference to the caller. Who comes back with `Last-Event-ID` and the same context is told what was missed. The stream ends when the token does.',
  query: ContextQuery,
  responses: { 200: { description: 'Events', contentType: 'text/event-stream' } },
  errors: [400, 429],
  channel({ caller, queryText, remoteAddress, header }, { frontendStreams }) {
    const context = contextOfQuery(queryText);
    if (context instanceof Rejection) return context;
    return frontendStreams.open(caller, { context, remoteAddress, lastEventId: header('last-event-id') });
  },
  receipts: ({ scope }, request, { propagation }) =>
    propagation.browserJoined(scope, new URLSearchParams(request.query()).get('appName') ?? ''),
  follow: ({ frontendStreams }, changed) => frontendStreams.onChanged(changed),
});

const setStreamContext = route('POST /api/frontend/streaming/context', {
  operationId: 'setFrontendStreamContext',
  access: { permission: 'FRONTEND' },
  summary: 'Gives an open stream another context',
  description:
    'The stream is told all answers to it next. `connection` is what the stream said in its first event. 404 when there is no such stream of the token ' +
    'in this process, as after a restart: then open a new one.',
  body: Type.Object(
    {
      connection: Type.String({ maxLength: 100, description: 'Which stream it is for' }),
      context: SdkContext,
    },
    { $id: 'frontendStreamContext' },
  ),
  responses: { 200: { description: 'Taken' } },
  errors: [404],
  handle({ body, caller, remoteAddress }, { frontendStreams }) {
    const isTaken = frontendStreams.give(caller, body.connection, body.context, remoteAddress);
    if (isTaken instanceof Rejection) return isTaken;
    return isTaken ? done() : notFound('There is no open stream of that name here.');
  },
});

export const frontendStreamingEndpoints = [streamAnswers, setStreamContext];
