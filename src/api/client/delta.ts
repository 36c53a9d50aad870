import { Rejection } from '../../base/rejection.ts';
import type { RequestHead } from '../../http/endpoint.ts';
import type { Caller } from '../../model/caller.ts';
import { tagIn } from '../../views/client/delta-answers.ts';
import { parseClientQuery, tagProblem } from '../../views/client/query.ts';
import type { ScopeView } from '../../views/client/scope-view.ts';
import { prepared } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { acceptsGzip } from './request-headers.ts';
import { ClientDelta, ClientListQuery } from './schemas.ts';

const getDelta = prepared({
  operationId: 'getDelta',
  method: 'get',
  path: '/api/client/delta',
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'What has changed among the flags of the token’s environment and projects since the caller asked last',
  description:
    'The answer’s `ETag` says what the caller has then; sent back in `If-None-Match`, with or without quotes, it is answered with what changed since, or 304. ' +
    'Without it, or when it is of another history or too long ago, the answer is everything, as one `hydration` event.',
  query: ClientListQuery,
  responses: {
    200: { description: 'The events', schema: ClientDelta, headers: { ETag: 'What the caller has with these events' } },
    304: { description: 'Nothing that the caller can see has changed' },
  },
  errors: [400],
  serve(head, caller, services) {
    const view = viewOf(head, caller, services);
    if (view instanceof Rejection) return view;
    const known = tagIn(head.header('if-none-match'));
    const changes = view.delta.since(known);
    if (changes) {
      // With a body it is what has changed.
      if (changes.body) services.propagation.given(caller.scope, known, view.position.revision, head);
      return changes;
    }
    const gzip = acceptsGzip(head.header('accept-encoding'));
    const receipt = known === '' ? undefined : services.propagation.receipt(caller.scope, known, head);
    const finish = () => {
      // What could not be said before the list was built, as after a start, can be said then.
      const told = view.delta.since(known);
      // Changes bring to where the list stands now; it may stand further than what was built.
      const { revision } = told ? view.position : view.shown.position;
      const answer = told ?? view.delta.whole(known, gzip);
      if (answer.body) receipt?.(revision);
      return answer;
    };
    const pending = view.refresh();
    return pending ? pending.then(finish) : finish();
  },
});

/** Delta is of version 2 whatever the caller says it knows: nobody older asks for it. */
function viewOf(head: RequestHead, { scope }: Caller, { clientViews, state }: Services): ScopeView | Rejection {
  const queryText = head.query();
  if (queryText === '') return clientViews.view(scope, 2);
  const query = parseClientQuery(queryText);
  if (query instanceof Rejection) return query;
  return tagProblem(query, state) ?? clientViews.filteredView(scope, query, 2);
}

export const deltaEndpoints = [getDelta];
