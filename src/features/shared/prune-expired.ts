import type { Draft } from '../../state/draft.ts';

/** How many expired entries are removed when one entry is added: expired entries do not accumulate, and no replica needs a timer for them. */
const PRUNED_MAX = 16;

/** How many entries are checked. They are in the order of creation, so the first ones expire first, unless lifetimes were changed. */
const LOOKED_AT_MAX = 64;

/** Removes some expired entries. Call this function when an entry is added. */
export function pruneExpired(draft: Draft, collection: 'sessions' | 'passwordLinks', now: string): void {
  const expired: string[] = [];
  let lookedAt = 0;
  for (const { secret, expiresAt } of draft.values(collection)) {
    if (expiresAt <= now) expired.push(secret);
    lookedAt++;
    if (expired.length >= PRUNED_MAX || lookedAt >= LOOKED_AT_MAX) break;
  }
  for (const secret of expired) draft.remove(collection, secret);
}
