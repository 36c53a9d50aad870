import { useState } from 'react';
import type { Written } from '../../data/client.ts';
import type { Failure } from '../../data/failure.ts';
import { queryClient } from '../../data/query-client.ts';
import { undo } from '../../data/save.ts';
import { toast } from '../../kit/notices/toast.ts';
import { parts as words } from '../../words/en/parts.ts';

interface Outcome<T> {
  /** What the notice says after a success; without it there is none. */
  readonly text?: string;
  /** Offers to take back the commit. */
  readonly canUndo?: boolean;
  /** What is read again. The stream of changes says it, too, but may come later. */
  readonly refresh?: readonly (readonly unknown[])[];
  readonly onDone?: (value: T) => void;
}

async function takeBack(revision: number): Promise<void> {
  const answer = await undo([revision]);
  await queryClient.invalidateQueries();
  toast(
    answer.ok ? { tone: 'good', text: words.undone } : { tone: 'bad', text: words.notUndone(answer.failure.message) },
  );
}

/** Runs one write: what was refused is shown where it was asked for, what was done is in a notice. */
export function useWrite() {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const run = async <T>(
    call: () => Promise<Written<T>>,
    { text, canUndo = false, refresh = [], onDone }: Outcome<T> = {},
  ): Promise<boolean> => {
    setPending(true);
    setFailure(null);
    const answer = await call();
    setPending(false);
    if (!answer.ok) {
      setFailure(answer.failure);
      return false;
    }
    const { revision, value } = answer;
    await Promise.all(refresh.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    if (text) {
      const action =
        canUndo && revision !== null ? { label: words.undo, onSelect: () => void takeBack(revision) } : undefined;
      toast({ tone: 'good', text, ...(action && { action }) });
    }
    onDone?.(value);
    return true;
  };
  return { run, isPending, failure, clear: () => setFailure(null) };
}

/** A write from a control that has no space for an error: the notice has it. */
export function useQuickWrite() {
  const { run, isPending } = useWrite();
  return {
    isPending,
    run: async <T>(call: () => Promise<Written<T>>, outcome: Outcome<T> = {}) => {
      await run(async () => {
        const answer = await call();
        if (!answer.ok) toast({ tone: 'bad', text: answer.failure.message });
        return answer;
      }, outcome);
    },
  };
}
