import Type from 'typebox';
import { invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import type { User } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import { endTokensOf } from '../../people/personal-tokens/commands.ts';
import { auditedUser, findUser, PasswordHash, UserId } from '../../people/users/commands.ts';
import { endSessionsOf } from '../sessions/commands.ts';
import { HashedSecret, NewPasswordLink, putPasswordLink, removePasswordLinks } from './link-commands.ts';
import type { PasswordLink } from './password-link.ts';

/** Gives a user another password. Their sessions and personal tokens end: somebody else may have made them. */
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
 * Gives the caller another password, if theirs still is the one that was compared with. Their other sessions end. Their tokens stay: who knows the
 * password sees them listed, and deletes those that are not theirs.
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

/** Makes a link with which a user sets a password. It does nothing to the one they have until it is used. */
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

/** Sets a password by a link, which is used up with that. The user's sessions and personal tokens end: they did not have the password, or somebody else had. */
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

/** Of a link that is unknown, used up, or too old: which of them is nobody's business. */
export const LINK_GONE = new Rejection(
  'AuthenticationRequired',
  'This link opens nothing: it was used, is too old, or was replaced. Ask an admin for another one.',
);

/** The link with this hash, if it still opens something. */
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
