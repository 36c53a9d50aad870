import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Failure } from '../data/failure.ts';
import { inTurn } from '../data/in-turn.ts';
import { queryClient } from '../data/query-client.ts';
import { previewUndo, type ReviewPlace } from '../data/save.ts';
import { useEnvironments } from '../data/settings.ts';
import type { HistoryEntry } from '../domain/model.ts';
import { undo as words } from '../words/en/undo.ts';
import { requestable } from './undo-request.ts';

/** Other failures, such as too many previews at a time, say nothing about the undo. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404, 409]);

/** Why the undo would be refused, or where its change request belongs if it has to be reviewed. */
type Refusal = Failure | { readonly review: ReviewPlace };

async function refusalOf(revision: number, environment: string, signal: AbortSignal): Promise<Refusal | null> {
  const answer = await inTurn(() => previewUndo(revision, environment, signal));
  if (!answer.ok) return REFUSALS.has(answer.failure.status) ? answer.failure : null;
  const review = answer.value.changes.find((change) => change.review !== null)?.review;
  return review ? { review } : null;
}

interface UndoPreview {
  /** Why the undo is impossible. */
  readonly refusal: Failure | null;
  /** Where the undo can only be requested. */
  readonly review: ReviewPlace | null;
}

const keyOf = (revision: number) => ['history', 'undo', revision];

/** Before the undo is saved: what is tried after it would be the undo of what is undone already. */
export const endUndoPreview = (revision: number) => void queryClient.cancelQueries({ queryKey: keyOf(revision) });

const POSSIBLE: UndoPreview = { refusal: null, review: null };

function previewOf(found: Refusal, entry: HistoryEntry | undefined): UndoPreview {
  if (found instanceof Failure) return { refusal: found, review: null };
  const { review } = found;
  if (!entry || requestable(entry.changes, review).length > 0) return { refusal: null, review };
  const message = words.needsReview(review);
  return { refusal: new Failure({ status: 403, code: 'NoAccessError', message }), review: null };
}

/**
 * Whether the server would refuse the undo of the commit, or demand a review. If that is not known, the undo counts as possible. Tried again after each
 * commit, while `isOpen`: until the undo is saved.
 */
export function useUndoPreview(revision: number, entry: HistoryEntry | undefined, isOpen: boolean): UndoPreview {
  const { data: environments } = useEnvironments();
  const environment = environments?.[0]?.name;
  const { data } = useQuery({
    queryKey: keyOf(revision),
    queryFn: ({ signal }) => refusalOf(revision, environment ?? '', signal),
    enabled: environment !== undefined && isOpen,
    staleTime: 0,
  });
  return useMemo(() => (data ? previewOf(data, entry) : POSSIBLE), [data, entry]);
}
