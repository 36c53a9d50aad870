import Type from 'typebox';
import { notFound, Rejection } from '../../base/rejection.ts';
import { done } from '../../http/answer.ts';
import { SdkContext } from '../../model/context.ts';
import { routesOf, subscribed } from '../endpoint.ts';
import { contextOfQuery } from './caller-context.ts';
import { ContextQuery } from './schemas.ts';

const route = routesOf('Frontend');

const streamAnswers = subscribed('GET /api/frontend/streaming', 'streamFrontendFeatures', {
  tag: 'Frontend',
  access: { permission: 'FRONTEND' },
  summary: 'The flags that are on for the context in the query, then every change of these answers',
  description:
    'Server-sent events: `unleash-connected` with all answers, `{connection, toggles}`, then `unleash-updated` with the changed ones, ' +
    '`{toggles, removed}`: flags that are on and are new or different, and names of flags that are off now. Changes without effect on the ' +
    'client’s answers are not sent. A client that reconnects with `Last-Event-ID` and the same context gets the missed changes. ' +
    'The stream ends when the token is deleted or expires.',
  query: ContextQuery,
  responses: { 200: { description: 'Events', contentType: 'text/event-stream' } },
  errors: [400, 429],
  channel({ caller, queryText, remoteAddress, header }, { frontendStreams }) {
    const context = contextOfQuery(queryText);
    if (context instanceof Rejection) return context;
    return frontendStreams.open(caller, { context, remoteAddress, lastEventId: header('last-event-id') });
  },
  receipts: ({ scope }, request, { propagation }) =>
    propagation.openBrowserStream(scope, new URLSearchParams(request.query()).get('appName') ?? ''),
  follow: ({ frontendStreams }, changed) => frontendStreams.onChanged(changed),
});

const setStreamContext = route('POST /api/frontend/streaming/context', 'setFrontendStreamContext', {
  access: { permission: 'FRONTEND' },
  summary: 'Sets another context for an open stream',
  description:
    'The stream then sends all answers for this context. `connection` is the value in the first event of the stream. 404 if the token has no ' +
    'such stream in this process, for example after a restart. Open a new stream in this case.',
  body: Type.Object(
    {
      connection: Type.String({ maxLength: 100, description: 'Id of the stream' }),
      context: SdkContext,
    },
    { $id: 'frontendStreamContext' },
  ),
  responses: { 200: { description: 'Accepted' } },
  errors: [404],
  handle({ body, caller, remoteAddress }, { frontendStreams }) {
    const isAccepted = frontendStreams.replaceContext(caller, body.connection, body.context, remoteAddress);
    if (isAccepted instanceof Rejection) return isAccepted;
    return isAccepted ? done() : notFound('This process has no open stream with this id. Open a new stream.');
  },
});

export const frontendStreamingEndpoints = [streamAnswers, setStreamContext];
