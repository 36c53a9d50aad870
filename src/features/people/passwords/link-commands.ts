import Type, { type Static } from 'typebox';
import type { CommandContext } from '../../../engine/command.ts';
import { DateTime, HashedSecret } from '../../../model/primitives.ts';
import type { Draft } from '../../../state/draft.ts';
import { pruneExpired } from '../../shared/prune-expired.ts';

/** The generated fields of a link with which a user sets a password. */
export const NewPasswordLink = Type.Object({ secret: HashedSecret, expiresAt: DateTime });
export type NewPasswordLink = Static<typeof NewPasswordLink>;

/** Adds a link to the draft and removes the user's earlier ones. */
export function putPasswordLink(
  { draft, by, now }: CommandContext,
  userId: number,
  { secret, expiresAt }: NewPasswordLink,
): void {
  pruneExpired(draft, 'passwordLinks', now);
  removePasswordLinks(draft, userId);
  draft.put('passwordLinks', { secret, userId, createdBy: by.name, createdAt: now, expiresAt });
}

export function removePasswordLinks(draft: Draft, userId: number): void {
  for (const { secret } of [...draft.lookup('passwordLinksByUser', String(userId))])
    draft.remove('passwordLinks', secret);
}
