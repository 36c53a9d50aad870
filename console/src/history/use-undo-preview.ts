import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Failure } from '../data/failure.ts';
import { previewUndo } from '../data/save.ts';
import { useEnvironments } from '../data/settings.ts';
import type { HistoryChange } from '../domain/model.ts';
import { inTurn } from '../past/past-data.ts';
import { undo as words } from '../words/en/undo.ts';

/** Other failures, such as too many previews at a time, say nothing about the undo. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404, 409]);

/** Why the undo would be refused. `review`: what the server says about a review that it needs, which names the environment and the project. */
type Refusal = Failure | { readonly review: string };

async function refusalOf(revision: number, environment: string): Promise<Refusal | null> {
  const answer = await inTurn(() => previewUndo(revision, environment));
  if (!answer.ok) return REFUSALS.has(answer.failure.status) ? answer.failure : null;
  const reviewed = answer.value.changes.find(({ needsChangeRequest }) => needsChangeRequest);
  return reviewed ? { review: reviewed.reason ?? '' } : null;
}

function failureOf(refusal: Refusal, changes: readonly HistoryChange[]): Failure {
  if (refusal instanceof Failure) return refusal;
  const idsOf = (wanted: HistoryChange['type']) =>
    new Set(changes.filter(({ type }) => type === wanted).map(({ id }) => id)).size;
  const message = words.needsReview(refusal.review, { flags: idsOf('feature'), segments: idsOf('segment') });
  return new Failure({ status: 403, code: 'NoAccessError', message });
}

/**
 * Why the server would refuse the undo of the commit with the changes; null if it would not, or if that is not known. Tried again after each commit,
 * until the undo is saved.
 */
export function useUndoPreview(revision: number, changes: readonly HistoryChange[], isSaving: boolean): Failure | null {
  const { data: environments } = useEnvironments();
  const environment = environments?.[0]?.name;
  const { data } = useQuery({
    queryKey: ['history', 'undo', revision],
    queryFn: () => refusalOf(revision, environment ?? ''),
    enabled: environment !== undefined && !isSaving,
    staleTime: 0,
  });
  return useMemo(() => (data ? failureOf(data, changes) : null), [data, changes]);
}
