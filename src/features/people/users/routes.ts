import Type from 'typebox';
import { allRoles } from '../../../access/roles.ts';
import { DAY_MS } from '../../../base/clock.ts';
import { invalid, Rejection } from '../../../base/rejection.ts';
import { created, listAnswer, ok } from '../../../http/answer.ts';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import { isRootRole, ROLE_ID } from '../../../model/role.ts';
import type { User } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { newPasswordLink, weakPasswordProblem } from '../passwords/links.ts';
import { createUser, deleteUser, deleteUsers, findUser, UserId, updateUser } from './commands.ts';
import { presentName, presentRole, presentUser, presentUserBase } from './present.ts';
import {
  CreateUserBody,
  NameFields,
  UpdateUserBody,
  UserBaseSchema,
  UserIdsBody,
  UserListSchema,
  UserSchema,
} from './schemas.ts';

const route = routesOf('Users');

const UserParams = { id: UserId };

/** A user who was not seen for this number of days counts as inactive, unless the request contains another number. */
const INACTIVE_DAYS = 180;

const rootRoles = (reader: StateReader) => allRoles(reader).filter(isRootRole).map(presentRole);

/**
 * Yields the users who are people and match `isWanted`. Yields undefined for each other user, so that many of them in a row do not block
 * the event loop.
 */
function* people(reader: StateReader, isWanted: (user: User) => boolean = () => true): Iterable<User | undefined> {
  for (const user of reader.values('users')) yield user.accountType === 'User' && isWanted(user) ? user : undefined;
}

/** Returns the id of the root role that a request names by id or by name, or a rejection. */
function rootRoleId(reader: StateReader, named: number | string): number | Rejection {
  if (typeof named === 'number') return named;
  const role = allRoles(reader).find((one) => isRootRole(one) && (one.name === named || String(one.id) === named));
  return role?.id ?? invalid(`There is no root role ${named}.`, '/rootRole');
}

const listUsers = route('GET /api/admin/user-admin', 'getUsers', {
  access: { permission: 'ADMIN' },
  summary: 'Every user, and the roles that users can have in the whole instance',
  responses: { 200: { description: 'The users', schema: UserListSchema } },
  handle({ asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    return listAnswer({ rootRoles: rootRoles(state) }, 'users', people(state), presentUser);
  },
});

const searchUsers = route('GET /api/admin/user-admin/search', 'searchUsers', {
  access: { permission: 'READ' },
  summary: 'Users whose name, username or email contains a text, in upper or lower case',
  query: Type.Object({
    q: Type.Optional(
      Type.String({ maxLength: 255, description: 'A text of at least two characters; a shorter one finds no user' }),
    ),
  }),
  responses: { 200: { description: 'The users', schema: UserListSchema } },
  handle({ query: { q = '' }, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const text = q.toLowerCase();
    const has = (value: string | null) => text.length >= 2 && value?.toLowerCase().includes(text) === true;
    const matches = people(state, ({ name, username, email }) => has(name) || has(username) || has(email));
    return listAnswer({ rootRoles: rootRoles(state) }, 'users', matches, presentUser);
  },
});

const getAccessCandidates = route('GET /api/admin/user-admin/access', 'getBaseUsersAndGroups', {
  access: { permission: 'READ' },
  summary: 'Every user and group that can get roles in a project',
  responses: {
    200: {
      description: 'The users and the groups',
      schema: Type.Object({
        groups: Type.Array(
          Type.Object({ id: Type.Integer(), name: Type.String(), userCount: Type.Integer() }, { $id: 'groupBase' }),
        ),
        users: Type.Array(UserBaseSchema),
      }),
    },
  },
  handle(_request, { state }) {
    const groups = [...state.values('groups')].map(({ id, name }) => {
      return { id, name, userCount: state.count('membersByGroup', String(id)) };
    });
    return listAnswer({ groups }, 'users', [...state.values('users')], presentUserBase);
  },
});

const countAdmins = route('GET /api/admin/user-admin/admin-count', 'getAdminCount', {
  access: { permission: 'ADMIN' },
  summary: 'The number of admins',
  responses: {
    200: {
      description: 'The counts',
      schema: Type.Object({
        password: Type.Integer({ description: 'People who are admins and have a password' }),
        noPassword: Type.Integer({ description: 'People who are admins and have no password' }),
        service: Type.Integer({ description: 'Service accounts that have the role Admin' }),
      }),
    },
  },
  handle(_request, { state }) {
    const counts = { password: 0, noPassword: 0, service: 0 };
    for (const { accountType, passwordHash } of state.lookup('usersByRootRole', String(ROLE_ID.admin))) {
      if (accountType !== 'User') counts.service++;
      else if (passwordHash === null) counts.noPassword++;
      else counts.password++;
    }
    return ok(counts);
  },
});

const InactiveUser = Type.Object({
  id: Type.Integer(),
  ...NameFields,
  seenAt: Nullable(DateTime),
  patSeenAt: Nullable(DateTime),
  createdAt: DateTime,
});

const listInactiveUsers = route('GET /api/admin/user-admin/inactive', 'getInactiveUsers', {
  access: { permission: 'ADMIN' },
  summary:
    'Users who neither signed on nor used a token for a long time; users who never did either are counted from their creation',
  query: Type.Object({ daysInactive: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500 })) }),
  responses: {
    200: {
      description: 'The users',
      schema: Type.Object({ version: Type.Integer(), inactiveUsers: Type.Array(InactiveUser) }),
    },
  },
  handle({ query, asker }, { fixedStates, clock }) {
    const state = fixedStates.until(asker);
    const before = new Date(clock.nowMs() - (query.daysInactive ?? INACTIVE_DAYS) * DAY_MS).toISOString();
    const tokenSeenAt = ({ id }: User) => {
      let latest: string | null = null;
      for (const { seenAt } of state.lookup('personalTokensByUser', String(id)))
        if (seenAt !== null && (latest === null || seenAt > latest)) latest = seenAt;
      return latest;
    };
    const isInactive = (user: User) => (user.seenAt ?? user.createdAt) < before && (tokenSeenAt(user) ?? '') < before;
    return listAnswer({ version: 1 }, 'inactiveUsers', people(state, isInactive), (user) => {
      const { seenAt, createdAt } = user;
      return { ...presentName(user), seenAt, patSeenAt: tokenSeenAt(user), createdAt };
    });
  },
});

const removeInactiveUsers = route('POST /api/admin/user-admin/inactive/delete', 'deleteInactiveUsers', {
  access: { permission: 'ADMIN' },
  summary: 'Deletes the users with these ids; deletes none of them if one cannot be deleted',
  body: UserIdsBody,
  responses: { 200: { description: 'The users were deleted' } },
  handle: ({ body: { ids }, caller }, services) => change(services, caller, deleteUsers, { ids }),
});

const addUser = route('POST /api/admin/user-admin', 'createUser', {
  access: { permission: 'ADMIN' },
  summary:
    'Creates a user. Without a password, the answer has a link with which the user sets one; the link is returned only once',
  hasSecrets: true,
  body: CreateUserBody,
  responses: {
    201: { description: 'The user', schema: UserSchema, headers: { location: 'Path at which the user can be read' } },
  },
  errors: [409, 429],
  async handle({ body, caller }, services) {
    const { name, email, username, password } = body;
    const rootRole = rootRoleId(services.state, body.rootRole);
    if (rootRole instanceof Rejection) return rootRole;
    const problem = password === undefined ? undefined : weakPasswordProblem(password);
    if (problem) return problem;
    const passwordHash = password === undefined ? null : await services.passwords.hash(password);
    if (passwordHash instanceof Rejection) return passwordHash;
    const invitation = passwordHash === null ? newPasswordLink('new-user', services) : undefined;
    const input = { name, email, username, rootRole, passwordHash, invite: invitation?.link };
    return change(services, caller, createUser, input, (user) =>
      created(
        { ...presentUser(user), ...(invitation && { inviteLink: invitation.url }) },
        `${services.config.basePath}/api/admin/user-admin/${user.id}`,
      ),
    );
  },
});

const getUser = route('GET /api/admin/user-admin/:id', 'getUser', {
  access: { permission: 'ADMIN' },
  edits: 'user',
  summary: 'One user',
  params: UserParams,
  responses: { 200: { description: 'The user', schema: UserSchema } },
  handle({ params }, { state }) {
    const user = findUser(state, params.id);
    return user instanceof Rejection ? user : ok(presentUser(user));
  },
});

const changeUser = route('PUT /api/admin/user-admin/:id', 'updateUser', {
  access: { permission: 'ADMIN' },
  edits: 'user',
  summary: 'Changes the specified properties of a user. The only admin cannot lose the role',
  params: UserParams,
  body: UpdateUserBody,
  responses: { 200: { description: 'The user', schema: UserSchema } },
  errors: [409],
  handle({ params, body, caller }, services) {
    const { name, email } = body;
    const rootRole = body.rootRole === undefined ? undefined : rootRoleId(services.state, body.rootRole);
    if (rootRole instanceof Rejection) return rootRole;
    const input = { id: params.id, name, email, rootRole };
    return change(services, caller, updateUser, input, (user) => ok(presentUser(user)));
  },
});

const removeUser = route('DELETE /api/admin/user-admin/:id', 'deleteUser', {
  access: { permission: 'ADMIN' },
  edits: 'user',
  summary: 'Deletes a user, with the sessions and tokens of the user. The only admin cannot be deleted',
  params: UserParams,
  responses: { 200: { description: 'The user was deleted' } },
  handle: ({ params: { id }, caller }, services) => change(services, caller, deleteUser, { id }),
});

export const userEndpoints = [
  listUsers,
  searchUsers,
  getAccessCandidates,
  countAdmins,
  listInactiveUsers,
  removeInactiveUsers,
  addUser,
  getUser,
  changeUser,
  removeUser,
];
