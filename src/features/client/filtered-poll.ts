import type { PreparedAnswer } from '../../base/prepared-answer.ts';
import { Rejection } from '../../base/rejection.ts';
import type { RequestHead } from '../../http/endpoint.ts';
import type { Caller } from '../../model/caller.ts';
import type { ClientFormat } from '../../views/client/fragment.ts';
import { parseClientQuery, tagProblem } from '../../views/client/query.ts';
import type { ScopeView } from '../../views/client/scope-view.ts';
import { copyOfReceiptHeaders } from '../propagation/propagation.ts';
import type { Services } from '../services.ts';

/** The token's list with the filters of the query applied, or a rejection of the query. */
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
  /** The ETag that the caller sends; "" if it sends none. */
  readonly known: string;
  /** Settles when the list is current; undefined if the list is already current. */
  readonly pending: Promise<void> | undefined;
  /** The answer from the current list. */
  answer(): PreparedAnswer;
}

/**
 * Answers a poll with a filter, and records a receipt: which SDK has which revision. After any answer, even a 304, the caller has all flags that its
 * filter selects: changes outside the filter are never sent to it. So the receipt has the current revision of the whole list that the token can read.
 * Otherwise the caller would seem to lag behind changes that its filter excludes (docs/decisions/propagation.md).
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
    propagation.recordFilteredReceipt(scope, revision, head);
    return answer();
  }
  const receiptHeaders = copyOfReceiptHeaders(head);
  return pending.then(() => {
    // If the state was replaced during the wait, the revision does not belong to the history of the new state.
    if (state.generation === generation) propagation.recordFilteredReceipt(scope, revision, receiptHeaders);
    return answer();
  });
}
