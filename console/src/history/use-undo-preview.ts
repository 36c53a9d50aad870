import { useQuery } from '@tanstack/react-query';
import { Failure } from '../data/failure.ts';
import { previewUndo } from '../data/save.ts';
import { useEnvironments } from '../data/settings.ts';
import { inTurn } from '../past/past-data.ts';
import { undo as words } from '../words/en/undo.ts';

/** Other failures, such as too many previews at a time, say nothing about the undo. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404, 409]);

async function refusalOf(revision: number, environment: string): Promise<Failure | null> {
  const answer = await inTurn(() => previewUndo(revision, environment));
  if (!answer.ok) return REFUSALS.has(answer.failure.status) ? answer.failure : null;
  const needsReview = answer.value.changes.some(({ needsChangeRequest }) => needsChangeRequest);
  return needsReview ? new Failure({ status: 403, code: 'NoAccessError', message: words.needsReview }) : null;
}

/**
 * Why the server would refuse the undo of the commit; null if it would not, or if that is not known. Tried again after each commit, until the undo is
 * saved.
 */
export function useUndoPreview(revision: number, isSaving: boolean): Failure | null {
  const { data: environments } = useEnvironments();
  const environment = environments?.[0]?.name;
  const { data } = useQuery({
    queryKey: ['history', 'undo', revision],
    queryFn: () => refusalOf(revision, environment ?? ''),
    enabled: environment !== undefined && !isSaving,
    staleTime: 0,
  });
  return data ?? null;
}
