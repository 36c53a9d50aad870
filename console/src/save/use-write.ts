import { useCallback, useState } from 'react';
import type { Written } from '../data/client.ts';
import { Failure } from '../data/failure.ts';
import { queryClient } from '../data/query-client.ts';
import { showReceipt } from '../data/receipts.ts';
import { type Undone, undo } from '../data/save.ts';
import { toast } from '../kit/notices/toast.ts';
import { undo as words } from '../words/en/undo.ts';
import { plain } from './Words.tsx';

/** What follows a success. */
export interface Saved {
  /** What the notice says after a success; without it there is none. */
  readonly text?: string;
  /** The notice offers to undo the commit. */
  readonly canUndo?: boolean;
  /** SDKs see the change: the receipt with its delivery takes the place of the notice, and offers to undo the commit. */
  readonly isDelivered?: boolean;
  /** What is read again. The stream of changes says it, too, but may come later. */
  readonly refresh?: readonly (readonly unknown[])[];
}

interface Outcome<T> extends Saved {
  readonly onDone?: (value: T) => void;
  /** Of an undo: what it did. */
  readonly undone?: (value: T) => Undone;
}

function notice(text: string, { revisions, left }: Undone, { canUndo = false, isDelivered = false }: Saved): void {
  const kept = left.map(words.left);
  if (isDelivered && revisions.length > 0) {
    showReceipt(text, revisions, kept);
    return;
  }
  const onSelect = () => void undoSaved(revisions, text);
  const action = canUndo && revisions.length > 0 ? { label: words.undo, onSelect } : undefined;
  toast({
    tone: kept.length > 0 ? 'neutral' : 'good',
    text: [text, ...kept].join(' '),
    ...(kept.length > 0 && { isKept: true }),
    ...(action && { action }),
  });
}

/** What follows an undo, wherever it was asked for. `isDelivered`: SDKs see it. */
export const afterUndo = (what: string, isDelivered: boolean): Outcome<Undone> => ({
  text: words.done(what),
  canUndo: true,
  isDelivered,
  refresh: [[]],
  undone: (value) => value,
});

/** Undoes what a notice is about, which has no space for a refusal. SDKs see nothing of it. */
async function undoSaved(revisions: readonly number[], what: string): Promise<void> {
  const answer = await carryOut(() => undo(revisions), afterUndo(what, false));
  if (answer.ok) return;
  const { failure } = answer;
  const why = [failure.message, ...(await conflictsIn(failure))].join(' ');
  toast({ tone: 'bad', text: failure.isPartly ? words.partly(why) : words.refused(why) });
}

/** What stands against an undo, in sentences. They are loaded when they are needed, and left out if they cannot be. */
async function conflictsIn(failure: Failure): Promise<string[]> {
  try {
    const { conflictsOf, conflictWords } = await import('../words/en/history.ts');
    return conflictsOf(failure).map((field) => plain(conflictWords(field)));
  } catch {
    return [];
  }
}

/** Before it writes, a call may read: a refused read is a refusal of the whole. */
async function outcomeOf<T>(call: () => Promise<Written<T>>): Promise<Written<T>> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Failure) return { ok: false, failure: error };
    throw error;
  }
}

/** A save that succeeded does not wait longer than this for what is read again: without a connection, reads wait for one. */
const REFRESH_WAIT_MS = 1_000;

/** Resolves when the page shows what was read. */
export async function refreshed(queryKeys: readonly (readonly unknown[])[]): Promise<void> {
  const reads = Promise.all(queryKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  await Promise.race([reads, new Promise((resolve) => setTimeout(resolve, REFRESH_WAIT_MS))]);
  // Components hear of it in a task of its own.
  await new Promise((resolve) => setTimeout(resolve));
}

/** Carries out a write, and shows what follows a success. */
async function carryOut<T>(call: () => Promise<Written<T>>, outcome: Outcome<T>): Promise<Written<T>> {
  const answer = await outcomeOf(call);
  if (!answer.ok) return answer;
  const { refresh = [], text, onDone, undone } = outcome;
  if (refresh.length > 0) await refreshed(refresh);
  const done = undone?.(answer.value);
  const revisions = [...(answer.earlier ?? []), ...(answer.revision === null ? [] : [answer.revision])];
  if (done?.revisions.length === 0) toast({ text: [words.already, ...done.left.map(words.left)].join(' ') });
  else if (text) notice(text, done ?? { revisions, left: [] }, outcome);
  onDone?.(answer.value);
  return answer;
}

/**
 * Runs one write: what was refused is shown where it was asked for, what was done is in a notice. It is pending until what follows the success is done:
 * a second press would write again.
 */
export function useWrite() {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const run = useCallback(async <T>(call: () => Promise<Written<T>>, outcome: Outcome<T> = {}): Promise<boolean> => {
    setPending(true);
    setFailure(null);
    try {
      const answer = await carryOut(call, outcome);
      if (!answer.ok) setFailure(answer.failure);
      return answer.ok;
    } finally {
      setPending(false);
    }
  }, []);
  return { run, isPending, failure };
}

export type Run = ReturnType<typeof useWrite>['run'];

/** A write from a control that has no space for an error: the notice has it. */
export function useQuickWrite() {
  const { run, isPending } = useWrite();
  const quickly = useCallback(
    <T>(call: () => Promise<Written<T>>, outcome: Outcome<T> = {}) =>
      run(async () => {
        const answer = await outcomeOf(call);
        if (!answer.ok) toast({ tone: 'bad', text: answer.failure.message });
        return answer;
      }, outcome),
    [run],
  );
  return { isPending, run: quickly };
}
