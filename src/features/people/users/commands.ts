import Type from 'typebox';
import { findRootRole } from '../../../access/roles.ts';
import { conflict, invalid, notFound, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, command, longCommand, removing } from '../../../engine/command.ts';
import { projectRolesKey } from '../../../model/project-roles.ts';
import { ROLE_ID } from '../../../model/role.ts';
import { type AccountType, comparable, Email, User } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { suppliedFields } from '../../shared/supplied-fields.ts';
import { membershipKey } from '../groups/group.ts';
import { PEOPLE_LIMITS } from '../limits.ts';
import { NewPasswordLink, putPasswordLink, removePasswordLinks } from '../passwords/link-commands.ts';
import { endSessionsOf } from './end-sessions.ts';

/** `RootRoleId`: commands check that the role exists and is a role for the whole instance. */
export const { id: UserId, rootRole: RootRoleId } = User.properties;

export const NewUserFields = writtenFields(User, 'name?', 'email?', 'username?', 'rootRole');

type NewUser = Pick<User, 'rootRole'> &
  Partial<
    Pick<
      User,
      'name' | 'email' | 'username' | 'passwordHash' | 'accountType' | 'isEmailUnproven' | 'scim' | 'deactivatedAt'
    >
  >;

export const createUser = command({
  name: 'create-user',
  input: Type.Object({
    ...NewUserFields,
    ...writtenFields(User, 'accountType?', 'passwordHash?'),
    /** The link with which the user sets a password. */
    invite: Type.Optional(NewPasswordLink),
  }),
  decide(context, { invite, ...input }) {
    const user = makeUser(context, input);
    if (invite && !(user instanceof Rejection)) putPasswordLink(context, user.id, invite);
    return user;
  },
});

/** Creates a user on the draft, for any command. Rejects an email or a username that another user has. */
export function makeUser({ draft, now, emit }: CommandContext, input: NewUser): User | Rejection {
  const email = input.email?.trim() || null;
  const username = input.username?.trim() || null;
  if (email === null && username === null) return invalid('You must specify username or email.');
  const problem = nameProblem(draft, email, username) ?? rootRoleProblem(draft, input.rootRole);
  if (problem) return problem;
  const user: User = {
    id: draft.next('users'),
    accountType: input.accountType ?? 'User',
    name: input.name?.trim() || null,
    email,
    username,
    rootRole: input.rootRole,
    passwordHash: input.passwordHash ?? null,
    createdAt: now,
    seenAt: null,
    loginAttempts: 0,
    ...(input.isEmailUnproven && { isEmailUnproven: true }),
    ...(input.scim && { scim: input.scim }),
    ...(input.deactivatedAt !== undefined && { deactivatedAt: input.deactivatedAt }),
  };
  draft.put('users', user);
  emit({ type: user.accountType === 'User' ? 'user-created' : 'service-account-created', data: auditedUser(user) });
  return user;
}

/** The email can be changed, but not removed. */
export const UserChanges = { ...writtenFields(User, 'name?', 'email?', 'rootRole?'), email: Type.Optional(Email) };

/** Changes only the specified properties of a person. Service accounts have their own commands. */
export const updateUser = command({
  name: 'update-user',
  input: Type.Object({ id: UserId, ...UserChanges }),
  decide(context, { id, ...rest }) {
    const before = findUser(context.draft, id);
    return before instanceof Rejection ? before : changeUser(context, before, suppliedFields(UserChanges, rest));
  },
});

/** Stores the changed user, unless a rule forbids the change. */
export function changeUser(
  { draft, emit }: CommandContext,
  before: User,
  changes: Partial<Pick<User, 'name' | 'email' | 'username' | 'rootRole'>>,
): User | Rejection {
  const after: User = { ...before, ...changes };
  const { email, username } = after;
  const problem =
    nameProblem(
      draft,
      email === before.email ? null : email,
      username === before.username ? null : username,
      after.id,
    ) ??
    (after.rootRole === before.rootRole ? undefined : rootRoleProblem(draft, after.rootRole)) ??
    (after.rootRole === ROLE_ID.admin ? undefined : lastAdminProblem(draft, before));
  if (problem) return problem;
  draft.put('users', after);
  const type = after.accountType === 'User' ? 'user-updated' : 'service-account-updated';
  emit({ type, data: auditedUser(after), preData: auditedUser(before) });
  return after;
}

/** Deletes a person with their sessions, tokens, password links, roles and memberships. */
export const deleteUser = longCommand({
  name: 'delete-user',
  input: Type.Object({ id: UserId }),
  *decide(context, { id }) {
    const user = findUser(context.draft, id);
    if (user instanceof Rejection) return user;
    return yield* removeUser(context, user);
  },
});

/** Deletes all of these people, or none. People who were already deleted are skipped. */
export const deleteUsers = longCommand({
  name: 'delete-users',
  input: Type.Object({ ids: Type.Array(UserId, { maxItems: PEOPLE_LIMITS.usersInRequest.max }) }),
  *decide(context, { ids }) {
    for (const id of new Set(ids)) {
      const user = findUser(context.draft, id);
      if (user instanceof Rejection) continue;
      const problem = yield* removeUser(context, user);
      if (problem) return problem;
    }
    return undefined;
  },
});

/** Deletes a user from the draft. Entities that the user created stay, with the name of the user. */
export function* removeUser(context: CommandContext, user: User): Steps<Rejection | undefined> {
  const { draft, emit } = context;
  const problem = lastAdminProblem(draft, user);
  if (problem) return problem;
  const key = String(user.id);
  endSessionsOf(draft, user.id);
  for (const { secret } of [...draft.lookup('personalTokensByUser', key)]) draft.remove('personalTokens', secret);
  removePasswordLinks(draft, user.id);
  yield;
  for (const { groupId } of [...draft.lookup('membershipsByUser', key)]) {
    draft.remove('groupMembers', membershipKey(groupId, user.id));
    yield;
  }
  for (const { project } of [...draft.lookup('projectsByUser', key)]) {
    draft.remove('projectRoles', projectRolesKey(project, 'user', user.id));
    yield;
  }
  yield* removing(context, 'user', user);
  draft.remove('users', key);
  const type = user.accountType === 'User' ? 'user-deleted' : 'service-account-deleted';
  emit({ type, preData: auditedUser(user) });
  return undefined;
}

/** Returns the user with this id and account type, or a rejection if no such user exists. */
export function findUser(reader: StateReader, id: number, accountType: AccountType = 'User'): User | Rejection {
  const user = reader.get('users', String(id));
  return user?.accountType === accountType ? user : notFound(`There is no user with the id ${id}.`);
}

/** Returns the user with the email. Upper and lower case are equal. */
export function userByEmail(reader: StateReader, email: string): User | undefined {
  for (const user of reader.lookup('usersByEmail', comparable(email))) return user;
  return undefined;
}

export function userByUsername(reader: StateReader, username: string): User | undefined {
  for (const user of reader.lookup('usersByUsername', comparable(username))) return user;
  return undefined;
}

/**
 * Returns the user that a caller names: by id, or by a text that is an email, a username or an id, in this order. Tools of Unleash send the text that
 * they show, so a username of digits means its owner.
 */
export function findNamedUser(reader: StateReader, named: number | string): User | Rejection {
  if (typeof named === 'number') return findUser(reader, named);
  const user = userByEmail(reader, named) ?? userByUsername(reader, named);
  if (user?.accountType === 'User') return user;
  const text = named.trim();
  if (/^[1-9]\d{0,14}$/.test(text)) return findUser(reader, Number(text));
  return notFound(`There is no user with the email or the username ${named}.`);
}

/** Returns a user as events show the user, without data that gives access to the account. */
export function auditedUser({ id, name, username, email, rootRole }: User) {
  return { id, name, username, email, rootRole };
}

/** Returns a rejection if another user than `ownId` has the email or the username, as email or as username. */
export function nameProblem(
  reader: StateReader,
  email: string | null,
  username: string | null,
  ownId?: number,
): Rejection | undefined {
  for (const text of [email, username]) {
    if (text === null) continue;
    // Users sign on with their email or their username. If the email of one user were the username of another, one could block the other's sign-on.
    const others = [userByEmail(reader, text), userByUsername(reader, text)];
    if (others.some((user) => user && user.id !== ownId)) return conflict('User already exists.');
  }
  return undefined;
}

/** Returns a rejection if no role for the whole instance has the id. */
export function rootRoleProblem(reader: StateReader, id: number): Rejection | undefined {
  return findRootRole(reader, id) ? undefined : invalid(`There is no root role with the id ${id}.`, '/rootRole');
}

/** Returns a rejection if the user is the last admin who can sign on, who cannot be deleted or lose the role: at least one person must be able to assign roles. */
export function lastAdminProblem(reader: StateReader, user: User): Rejection | undefined {
  if (user.rootRole !== ROLE_ID.admin || user.accountType !== 'User') return undefined;
  for (const other of reader.lookup('usersByRootRole', String(ROLE_ID.admin))) {
    if (other.id !== user.id && other.accountType === 'User' && other.deactivatedAt === undefined) return undefined;
  }
  return invalid('This is the only admin; make another user an admin first.');
}
