import { useState } from 'react';
import type { Written } from '../data/client.ts';
import type { Failure } from '../data/failure.ts';
import { queryClient } from '../data/query-client.ts';
import { showReceipt } from '../data/receipts.ts';
import { toast } from '../kit/notices/toast.ts';

export interface Writing {
  readonly isPending: boolean;
  readonly failure: Failure | null;
  /** Sends, shows the receipt (what SDKs do not see has a notice), and returns the value, or undefined if the server refused. */
  readonly run: <T>(
    call: () => Promise<Written<T>>,
    receipt: string,
    canUndo?: boolean,
  ) => Promise<{ readonly value: T } | undefined>;
  readonly clear: () => void;
}

/** One write of a form: what runs, and what was refused. Only commits of flags and segments can be undone. */
export function useWrite(): Writing {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  return {
    isPending,
    failure,
    clear: () => setFailure(null),
    run: async (call, receipt, canUndo = false) => {
      setPending(true);
      const answer = await call();
      setPending(false);
      setFailure(answer.ok ? null : answer.failure);
      if (!answer.ok) return undefined;
      // The stream of changes names neither drafts of change requests nor what is personal.
      void queryClient.invalidateQueries({
        predicate: ({ queryKey: [type] }) => type === 'change-request' || type === 'own',
      });
      if (receipt !== '') {
        if (canUndo && answer.revision !== null) showReceipt(receipt, [answer.revision]);
        else toast({ tone: 'good', text: receipt });
      }
      return { value: answer.value };
    },
  };
}
