import type { Draft } from '../../../state/draft.ts';

/** Ends every session of the user except `except`. */
export function endSessionsOf(draft: Draft, userId: number, except?: string): void {
  for (const { secret } of [...draft.lookup('sessionsByUser', String(userId))])
    if (secret !== except) draft.remove('sessions', secret);
}
