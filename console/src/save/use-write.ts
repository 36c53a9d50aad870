import { useCallback, useState } from 'react';
import type { Written } from '../data/client.ts';
import { Failure } from '../data/failure.ts';
import { queryClient } from '../data/query-client.ts';
import { showReceipt } from '../data/receipts.ts';
import { undo } from '../data/save.ts';
import { toast } from '../kit/notices/toast.ts';
import { parts as words } from '../words/en/parts.ts';

/** What follows a success. */
export interface Saved {
  /** What the notice says after a success; without it there is none. */
  readonly text?: string;
  /** Offers to take back the commit. */
  readonly canUndo?: boolean;
  /** SDKs see the change: the receipt with its delivery takes the place of the notice, and offers to take back the commit. */
  readonly isDelivered?: boolean;
  /** What is read again. The stream of changes says it, too, but may come later. */
  readonly refresh?: readonly (readonly unknown[])[];
}

interface Outcome<T> extends Saved {
  readonly onDone?: (value: T) => void;
}

async function takeBack(revision: number): Promise<void> {
  const answer = await undo([revision]);
  await queryClient.invalidateQueries();
  toast(
    answer.ok ? { tone: 'good', text: words.undone } : { tone: 'bad', text: words.notUndone(answer.failure.message) },
  );
}

function notice(text: string, revision: number | null, { canUndo = false, isDelivered = false }: Saved): void {
  if (isDelivered && revision !== null) {
    showReceipt(text, [revision]);
    return;
  }
  const action =
    canUndo && revision !== null ? { label: words.undo, onSelect: () => void takeBack(revision) } : undefined;
  toast({ tone: 'good', text, ...(action && { action }) });
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

async function refreshed(queryKeys: readonly (readonly unknown[])[]): Promise<void> {
  const reads = Promise.all(queryKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  await Promise.race([reads, new Promise((resolve) => setTimeout(resolve, REFRESH_WAIT_MS))]);
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
      const answer = await outcomeOf(call);
      if (!answer.ok) {
        setFailure(answer.failure);
        return false;
      }
      const { refresh = [], text, onDone } = outcome;
      if (refresh.length > 0) await refreshed(refresh);
      if (text) notice(text, answer.revision, outcome);
      onDone?.(answer.value);
      return true;
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
