import Type from 'typebox';
import { invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { HashedSecret } from '../../../model/primitives.ts';
import { PasswordHash, type User } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import { NewPasswordLink, putPasswordLink, removePasswordLinks } from '../../people/passwords/link-commands.ts';
import type { PasswordLink } from '../../people/passwords/password-link.ts';
import { endTokensOf } from '../../people/personal-tokens/commands.ts';
import { auditedUser, findUser, UserId } from '../../people/users/commands.ts';
import { endSessionsOf } from '../../people/users/end-sessions.ts';

/** Sets a new password of a user. Ends their sessions and personal tokens, because somebody else may have created them. */
export const setPassword = command({
  name: 'set-password',
  input: Type.Object({ userId: UserId, passwordHash: PasswordHash }),
  decide(context, { userId, passwordHash }) {
    const user = findUser(context.draft, userId);
    if (user instanceof Rejection) return user;
    replacePassword(context, user, passwordHash);
    endTokensOf(context, user.id);
    return undefined;
  },
});

/**
 * Sets a new password of the caller, if their password has not changed since it was compared. Ends their other sessions. Their tokens stay: the
 * caller can list them and delete unknown ones.
 */
export const changeOwnPassword = command({
  name: 'change-own-password',
  input: Type.Object({ userId: UserId, oldHash: PasswordHash, passwordHash: PasswordHash }),
  decide(context, { userId, oldHash, passwordHash }) {
    const user = findUser(context.draft, userId);
    if (user instanceof Rejection) return user;
    const isOwn = context.caller.kind === 'system' || context.caller.user === String(userId);
    if (!isOwn) return notFound(`There is no user with the id ${userId}.`);
    if (user.passwordHash !== oldHash) return invalid('The password was changed meanwhile.', '/oldPassword');
    return replacePassword(context, user, passwordHash);
  },
});

/** Creates a link with which a user sets a password. Their current password stays valid until the link is used. */
export const createPasswordLink = command({
  name: 'create-password-link',
  input: Type.Object({ userId: UserId, link: NewPasswordLink }),
  decide(context, { userId, link }) {
    const user = findUser(context.draft, userId);
    if (user instanceof Rejection) return user;
    putPasswordLink(context, userId, link);
    return undefined;
  },
});

/** Sets a password with a link, once. Ends the user's sessions and personal tokens, because somebody else may have had the old password. */
export const usePasswordLink = command({
  name: 'use-password-link',
  inMaintenance: 'refused',
  input: Type.Object({ secret: HashedSecret, passwordHash: PasswordHash }),
  decide(context, { secret, passwordHash }) {
    const link = findPasswordLink(context.draft, secret, context.now);
    const user = link && context.draft.get('users', String(link.userId));
    if (!user) return LINK_GONE;
    replacePassword(context, user, passwordHash);
    endTokensOf(context, user.id);
    return undefined;
  },
});

/** The answer to a link that is unknown, used or expired. It does not show which of these is the reason. */
export const LINK_GONE = new Rejection(
  'AuthenticationRequired',
  'This link is not valid: it was used, has expired, or was replaced. Ask an admin for another one.',
);

/** The link with this hash, if it is still valid. */
export function findPasswordLink(reader: StateReader, secret: string, now: string): PasswordLink | undefined {
  const link = reader.get('passwordLinks', secret);
  return link && link.expiresAt > now ? link : undefined;
}

function replacePassword({ draft, caller, emit }: CommandContext, user: User, passwordHash: string): undefined {
  draft.put('users', { ...user, passwordHash, loginAttempts: 0 });
  removePasswordLinks(draft, user.id);
  const own = caller.user === String(user.id) && caller.proof?.collection === 'sessions' ? caller.proof.key : undefined;
  endSessionsOf(draft, user.id, own);
  emit({ type: 'user-updated', data: { ...auditedUser(user), passwordChanged: true }, preData: auditedUser(user) });
  return undefined;
}
