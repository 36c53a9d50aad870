import type { PreparedAnswer } from '../../base/prepared-answer.ts';
import { Rejection } from '../../base/rejection.ts';
import type { RequestHead } from '../../http/endpoint.ts';
import type { Caller } from '../../model/caller.ts';
import type { ClientFormat } from '../../views/client/fragment.ts';
import { parseClientQuery, tagProblem } from '../../views/client/query.ts';
import type { ScopeView } from '../../views/client/scope-view.ts';
import type { Services } from '../services.ts';
import { keptHead } from '../usage/propagation/propagation.ts';

/** What the filters of a query leave of the token's list, or why they are none. */
export function filteredViewOf(
  queryText: string,
  format: ClientFormat,
  { scope }: Caller,
  { clientViews, state }: Services,
): ScopeView | Rejection {
  const query = parseClientQuery(queryText);
  if (query instanceof Rejection) return query;
  return tagProblem(query, state) ?? clientViews.filteredView(scope, query, format);
}

interface FilteredPoll {
  /** What the caller says it has, "" for nothing. */
  readonly known: string;
  /** Until the list is in step; undefined when it is. */
  readonly pending: Promise<void> | undefined;
  /** Of the list in step. */
  answer(): PreparedAnswer;
}

/**
 * Answers a poll with a filter. Whatever it is told, a 304 too, its caller then has all that it asks for: what changed beside the filter is nothing that it is ever
 * given. So the receipt is of the revision of all that its token sees, as it stands now; without it the caller would lag behind a change that is
 * none of its own (docs/decisions/propagation.md).
 */
export function answerFiltered(
  { known, pending, answer }: FilteredPoll,
  head: RequestHead,
  { scope }: Caller,
  { state, clientViews, propagation }: Services,
): PreparedAnswer | Promise<PreparedAnswer> {
  if (known === '') return pending ? pending.then(answer) : answer();
  const { generation } = state;
  const { revision } = clientViews.view(scope, 2).position;
  if (!pending) {
    propagation.reached(scope, revision, head);
    return answer();
  }
  const kept = keptHead(head);
  return pending.then(() => {
    // Another state took the place of that one: the number is none of its history.
    if (state.generation === generation) propagation.reached(scope, revision, kept);
    return answer();
  });
}
