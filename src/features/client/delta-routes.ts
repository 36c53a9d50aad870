import { Rejection } from '../../base/rejection.ts';
import type { RequestHead } from '../../http/endpoint.ts';
import { acceptsGzip } from '../../http/sending/accept-encoding.ts';
import type { Caller } from '../../model/caller.ts';
import { bareEtag } from '../../views/client/delta-answers.ts';
import type { ScopeView } from '../../views/client/scope-view.ts';
import { prepared } from '../endpoint.ts';
import { copyOfReceiptHeaders } from '../propagation/propagation.ts';
import type { Services } from '../services.ts';
import { answerFiltered, filteredViewOf } from './filtered-poll.ts';
import { ClientDelta, ClientListQuery } from './schemas.ts';

const getDelta = prepared('GET /api/client/delta', 'getDelta', {
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'The changes of the flags of the token’s environment and projects since the state that the caller has',
  description:
    'The `ETag` of the answer identifies the state that the caller has after it has applied this answer. A caller that sends this ETag in ' +
    '`If-None-Match`, with or without quotes, gets the changes since that state, or 304. Without an ETag, or if the ETag is too old, or if ' +
    'the data of the server was replaced since, the answer is the whole list, as one `hydration` event.',
  query: ClientListQuery,
  responses: {
    200: {
      description: 'The events',
      schema: ClientDelta,
      headers: { ETag: 'The state that the caller has after it has applied these events' },
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
    const known = bareEtag(head.header('if-none-match'));
    const changes = view.delta.since(known);
    if (changes) {
      // A receipt records that an SDK has a revision. A 304 needs none, because its caller already had that revision.
      if (changes.body) services.propagation.recordReceipt(caller.scope, known, view.position.revision, head);
      return changes;
    }
    const gzip = acceptsGzip(head.header('accept-encoding'));
    // The request head is not available after the wait.
    const receiptHeaders = known === '' ? undefined : copyOfReceiptHeaders(head);
    const finish = () => {
      // Try again: before the refresh, the changes since `known` could perhaps not be computed, for example after a start.
      const changesNow = view.delta.since(known);
      // Changes lead to `view.position`, which may be newer than the list that was built (`view.shown.position`).
      const { revision } = changesNow ? view.position : view.shown.position;
      const answer = changesNow ?? view.delta.wholeList(known, gzip);
      if (answer.body && receiptHeaders) {
        services.propagation.recordReceipt(caller.scope, known, revision, receiptHeaders);
      }
      return answer;
    };
    const pending = view.refresh();
    return pending ? pending.then(finish) : finish();
  },
});

function filteredDelta(view: ScopeView, head: RequestHead, caller: Caller, services: Services) {
  const known = bareEtag(head.header('if-none-match'));
  const gzip = acceptsGzip(head.header('accept-encoding'));
  const changes = view.delta.since(known);
  const pending = changes ? undefined : view.refresh();
  const answer = () => changes ?? view.delta.since(known) ?? view.delta.wholeList(known, gzip);
  return answerFiltered({ known, pending, answer }, head, caller, services);
}

export const deltaEndpoints = [getDelta];
