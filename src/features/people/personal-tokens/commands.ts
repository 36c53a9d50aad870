import Type, { type Static } from 'typebox';
import { conflict, invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { PersonalToken } from '../../../model/personal-token.ts';
import { TokenUse } from '../../../model/token-use.ts';
import type { User } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { findUser, UserId } from '../users/commands.ts';

const NewToken = Type.Object(writtenFields(PersonalToken, 'userId', 'description', 'expiresAt', 'secret'));
type NewToken = Static<typeof NewToken>;

/** Creates a token with which the caller's tools can act in the caller's name. */
export const createPersonalToken = command({
  name: 'create-personal-token',
  input: NewToken,
  decide(context, input) {
    const user = findOwnUser(context, input.userId);
    if (user instanceof Rejection) return user;
    return outlivingProblem(context, input) ?? makeToken(context, input);
  },
});

/**
 * A personal token creates no token that expires after itself. Otherwise somebody who has a token for a short time could stay for ever, and the owner
 * would have to find the other tokens.
 */
function outlivingProblem({ draft, caller }: CommandContext, { expiresAt }: NewToken): Rejection | undefined {
  if (caller.proof?.collection !== 'personalTokens') return undefined;
  const used = draft.get('personalTokens', caller.proof.key);
  if (used && expiresAt <= used.expiresAt) return undefined;
  return invalid(
    `A token that is created with another token must not expire after it${used ? ` (${used.expiresAt})` : ''}. Sign on in a browser to create this one.`,
    '/expiresAt',
  );
}

/** Creates a token for a service account, which can authenticate only with tokens. */
export const createServiceAccountToken = command({
  name: 'create-service-account-token',
  input: NewToken,
  decide(context, input) {
    const account = findServiceAccount(context.draft, input.userId);
    return account instanceof Rejection ? account : makeToken(context, input);
  },
});

const TokenReference = Type.Object(writtenFields(PersonalToken, 'userId', 'id'));

export const deletePersonalToken = command({
  name: 'delete-personal-token',
  input: TokenReference,
  decide(context, { userId, id }) {
    const user = findOwnUser(context, userId);
    return user instanceof Rejection ? user : removeToken(context, user, id);
  },
});

export const deleteServiceAccountToken = command({
  name: 'delete-service-account-token',
  input: TokenReference,
  decide(context, { userId, id }) {
    const account = findServiceAccount(context.draft, userId);
    return account instanceof Rejection ? account : removeToken(context, account, id);
  },
});

export function findServiceAccount(reader: StateReader, id: number): User | Rejection {
  const account = findUser(reader, id, 'Service Account');
  return account instanceof Rejection ? notFound(`There is no service account with the id ${id}.`) : account;
}

/** Returns the tokens of a user, in the order of creation. */
export function tokensOf(reader: StateReader, userId: number): PersonalToken[] {
  return [...reader.lookup('personalTokensByUser', String(userId))].sort((left, right) => left.id - right.id);
}

/** Returns the user with this id if the caller is this user or the service itself; otherwise a rejection. */
function findOwnUser({ draft, caller }: CommandContext, userId: number): User | Rejection {
  const user = draft.get('users', String(userId));
  const isOwn = caller.kind === 'system' || caller.user === String(userId);
  return user && isOwn ? user : notFound(`There is no user with the id ${userId}.`);
}

function makeToken({ draft, now, emit }: CommandContext, input: NewToken): PersonalToken | Rejection {
  const { userId, secret, expiresAt } = input;
  if (expiresAt <= now) return invalid('The token must expire in the future.', '/expiresAt');
  const description = input.description.trim();
  if (draft.get('personalTokens', secret)) return conflict('A token with this secret already exists.');
  if (tokensOf(draft, userId).some((other) => other.description === description))
    return conflict(`A token with the description ${description} already exists.`);
  const id = draft.next('personalTokens');
  const token: PersonalToken = { secret, id, userId, description, expiresAt, createdAt: now, seenAt: null };
  draft.put('personalTokens', token);
  emit({ type: 'pat-created', data: auditedToken(token) });
  return token;
}

function removeToken({ draft, emit }: CommandContext, user: User, id: number): Rejection | undefined {
  const token = tokensOf(draft, user.id).find((candidate) => candidate.id === id);
  if (!token) return notFound(`There is no token with the id ${id}.`);
  draft.remove('personalTokens', token.secret);
  emit({ type: 'pat-deleted', data: auditedToken(token) });
  return undefined;
}

/** Deletes every token of the user except the one with which the request was sent. */
export function endTokensOf({ draft, caller, emit }: CommandContext, userId: number): void {
  for (const token of tokensOf(draft, userId)) {
    if (caller.proof?.collection === 'personalTokens' && caller.proof.key === token.secret) continue;
    draft.remove('personalTokens', token.secret);
    emit({ type: 'pat-deleted', data: auditedToken(token) });
  }
}

/** Returns a token as the audit log shows it: without the hash of the secret. */
function auditedToken({ secret: _secret, seenAt: _seenAt, ...rest }: PersonalToken) {
  return rest;
}

const WrongPasswords = Type.Object(
  { userId: UserId, count: Type.Integer({ minimum: 1 }) },
  { description: 'Number of wrong passwords of a user since the number was last stored' },
);

/**
 * Stores when personal tokens were last used, and adds to the numbers of wrong passwords. Skips deleted tokens and deleted users. Records no audit
 * events.
 */
export const markUsersSeen = command({
  name: 'mark-users-seen',
  input: Type.Object({ uses: Type.Array(TokenUse), wrong: Type.Array(WrongPasswords) }),
  decide({ draft }, { uses, wrong }) {
    for (const { secret, seenAt } of uses) {
      const token = draft.get('personalTokens', secret);
      if (!token || (token.seenAt !== null && token.seenAt >= seenAt)) continue;
      draft.put('personalTokens', { ...token, seenAt });
      const user = draft.get('users', String(token.userId));
      if (user && (user.seenAt === null || user.seenAt < seenAt)) draft.put('users', { ...user, seenAt });
    }
    for (const { userId, count } of wrong) {
      const user = draft.get('users', String(userId));
      if (user) draft.put('users', { ...user, loginAttempts: Math.min(user.loginAttempts + count, 2 ** 31 - 1) });
    }
  },
});
