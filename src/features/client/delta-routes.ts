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

const getDelta = prepared('GET /api/client/delta', 'getDelta', {
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'What has changed among the flags of the token’s environment and projects since the caller asked last',
  description:
    'The `ETag` of the answer identifies the state that the caller has then. A caller that sends it back in `If-None-Match`, with or without quotes, ' +
    'gets the changes since that state, or 304. Without it, or when it is too old or of another history, the answer is everything, as one `hydration` event.',
  query: ClientListQuery,
  responses: {
    200: {
      description: 'The events',
      schema: ClientDelta,
      headers: { ETag: 'The state that the caller has with these events' },
    },
    304: { description: 'Nothing that the caller can see has changed' },
  },
  errors: [400],
  serve(head, caller, services) {
    const queryText = head.query();
    // The delta always has version 2 of the format, even if the caller announces another version: older SDKs do not request the delta.
    if (queryText !== '') {
      const filtered = filteredViewOf(queryText, 2, caller, services);
      return filtered instanceof Rejection ? filtered : filteredDelta(filtered, head, caller, services);
    }
    const view = services.clientViews.view(caller.scope, 2);
    const known = tagIn(head.header('if-none-match'));
    const changes = view.delta.since(known);
    if (changes) {
      // An answer with a body contains changes. A 304 contains none and needs no receipt.
      if (changes.body) services.propagation.supplied(caller.scope, known, view.position.revision, head);
      return changes;
    }
    const gzip = acceptsGzip(head.header('accept-encoding'));
    const kept = known === '' ? undefined : keptHead(head);
    const finish = () => {
      // The list is current now. The changes since `known` may have been unknown before, for example after a start.
      const presented = view.delta.since(known);
      // The changes bring the caller to the current position of the list, which may be newer than the position of the list that was built.
      const { revision } = presented ? view.position : view.shown.position;
      const answer = presented ?? view.delta.whole(known, gzip);
      if (answer.body && kept) services.propagation.supplied(caller.scope, known, revision, kept);
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
