import { Rejection } from '../../base/rejection.ts';
import type { RequestHead } from '../../http/endpoint.ts';
import type { Caller } from '../../model/caller.ts';
import { tagIn } from '../../views/client/delta-answers.ts';
import type { ScopeView } from '../../views/client/scope-view.ts';
import { prepared } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { keptHead } from '../usage/propagation/propagation.ts';
import { answerFiltered, filteredViewOf } from './filtered-poll.ts';
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
    const queryText = head.query();
    // Delta is of version 2 whatever the caller says it knows: nobody older asks for it.
    if (queryText !== '') {
      const filtered = filteredViewOf(queryText, 2, caller, services);
      return filtered instanceof Rejection ? filtered : filteredDelta(filtered, head, caller, services);
    }
    const view = services.clientViews.view(caller.scope, 2);
    const known = tagIn(head.header('if-none-match'));
    const changes = view.delta.since(known);
    if (changes) {
      // With a body it is what has changed.
      if (changes.body) services.propagation.given(caller.scope, known, view.position.revision, head);
      return changes;
    }
    const gzip = acceptsGzip(head.header('accept-encoding'));
    const kept = known === '' ? undefined : keptHead(head);
    const finish = () => {
      // What could not be said before the list was built, as after a start, can be said then.
      const told = view.delta.since(known);
      // Changes bring to where the list stands now; it may stand further than what was built.
      const { revision } = told ? view.position : view.shown.position;
      const answer = told ?? view.delta.whole(known, gzip);
      if (answer.body && kept) services.propagation.given(caller.scope, known, revision, kept);
      return answer;
    };
    const pending = view.refresh();
    return pending ? pending.then(finish) : finish();
  },
});

function filteredDelta(view: ScopeView, head: RequestHead, caller: Caller, services: Services) {
  const known = tagIn(head.header('if-none-match'));
  const gzip = acceptsGzip(head.header('accept-encoding'));
  const changes = view.delta.since(known);
  const pending = changes ? undefined : view.refresh();
  const answer = () => changes ?? view.delta.since(known) ?? view.delta.whole(known, gzip);
  return answerFiltered({ known, pending, answer }, head, caller, services);
}

export const deltaEndpoints = [getDelta];
