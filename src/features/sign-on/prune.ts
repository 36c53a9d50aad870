import type { Draft } from '../../state/draft.ts';

/** How many that have expired are taken away when one is added: so they never gather, and no clock of any replica has to look after them. */
const PRUNED_MAX = 16;

/** Of how many it is looked. They stand in the order in which they were made, so the first ones expire first, unless lifetimes were changed. */
const LOOKED_AT_MAX = 64;

/** Takes away some of what has expired. Called by whoever adds one: what is added is then never more than what is taken away. */
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
