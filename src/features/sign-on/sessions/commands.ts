import Type, { type Static } from 'typebox';
import { notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import type { Caller } from '../../../model/caller.ts';
import { DateTime, HashedSecret } from '../../../model/primitives.ts';
import { type Session, USER_AGENT_LENGTH_MAX } from '../../../model/session.ts';
import type { User } from '../../../model/user.ts';
import { endSessionsOf } from '../../people/users/end-sessions.ts';
import { pruneExpired } from '../../shared/prune-expired.ts';
import { isPasswordSignOnDisabled } from '../settings-commands.ts';

/** The generated fields of a new session. */
export const NewSession = Type.Object({
  secret: HashedSecret,
  expiresAt: DateTime,
  userAgent: Type.String({ maxLength: USER_AGENT_LENGTH_MAX }),
});
export type NewSession = Static<typeof NewSession>;

/**
 * Adds a session of the user to the draft, as part of any command. At the limit of sessions per user the oldest one ends, so that forgotten browsers
 * do not lock the user out.
 */
export function createSession(context: CommandContext, userId: number, input: NewSession): Session | Rejection {
  const { draft, now, limits } = context;
  const user = draft.get('users', String(userId));
  if (user?.accountType !== 'User') return USER_CHANGED;
  if (user.deactivatedAt !== undefined) return DEACTIVATED;
  pruneExpired(draft, 'sessions', now);
  const { secret, expiresAt, userAgent } = input;
  const session: Session = { secret, userId, createdAt: now, expiresAt, userAgent };
  const own = [...draft.lookup('sessionsByUser', String(userId))].sort(byAge);
  for (const oldest of own.slice(0, Math.max(0, own.length + 1 - limits.sessionsOfUser)))
    draft.remove('sessions', oldest.secret);
  draft.put('sessions', session);
  draft.put('users', { ...user, seenAt: now, loginAttempts: 0 });
  return session;
}

/** The answer to users that the identity provider has switched off by SCIM. */
const DEACTIVATED = new Rejection(
  'NoAccessError',
  'This account is switched off at your identity provider. Ask an admin of the identity provider for access.',
);

const USER_CHANGED = new Rejection(
  'AuthenticationRequired',
  'The user was deleted, or their password was changed meanwhile. Sign on again.',
);

function byAge(left: Session, right: Session): number {
  return left.createdAt < right.createdAt ? -1 : left.createdAt > right.createdAt ? 1 : 0;
}

export const PASSWORDS_OFF = new Rejection(
  'NoAccessError',
  'Signing on with a password is switched off for this instance.',
);

/** Signs a user on with a password, if sign-on with passwords is on and the password has not changed since it was compared. */
export const openSession = command({
  name: 'open-session',
  input: Type.Object({
    userId: Type.Integer({ minimum: 1 }),
    /** The hash with which the password was compared. If the user has another one now, the password was changed meanwhile. */
    passwordHash: Type.String({ minLength: 1, maxLength: 1_000 }),
    session: NewSession,
  }),
  decide(context, { userId, passwordHash, session }): Readonly<User> | Rejection {
    if (isPasswordSignOnDisabled(context.draft)) return PASSWORDS_OFF;
    if (context.draft.get('users', String(userId))?.passwordHash !== passwordHash) return USER_CHANGED;
    const created = createSession(context, userId, session);
    if (created instanceof Rejection) return created;
    return context.draft.get('users', String(userId)) ?? USER_CHANGED;
  },
});

/** A token is for tools. Somebody who found one must not sign its owner off. */
const NOT_BY_TOKEN = new Rejection(
  'NoAccessError',
  'A personal token cannot end sessions. Sign on in a browser, and end them there.',
);

const isByToken = ({ proof }: Caller): boolean => proof?.collection === 'personalTokens';

/** Ends one of the caller's own sessions. */
export const endSession = command({
  name: 'end-session',
  input: Type.Object({ secret: HashedSecret }),
  inMaintenance: 'accepted',
  decide({ draft, caller }, { secret }) {
    if (isByToken(caller)) return NOT_BY_TOKEN;
    const session = draft.get('sessions', secret);
    const isOwn = caller.kind === 'system' || caller.user === String(session?.userId);
    if (!session || !isOwn) return notFound('You have no such session.');
    draft.remove('sessions', secret);
    return undefined;
  },
});

/** Ends all sessions of the caller except the one of this request. */
export const endOtherSessions = command({
  name: 'end-other-sessions',
  input: Type.Object({}),
  inMaintenance: 'accepted',
  decide({ draft, caller }) {
    if (isByToken(caller)) return NOT_BY_TOKEN;
    const own = caller.proof?.collection === 'sessions' ? caller.proof.key : undefined;
    if (caller.user !== null) endSessionsOf(draft, Number(caller.user), own);
    return undefined;
  },
});
