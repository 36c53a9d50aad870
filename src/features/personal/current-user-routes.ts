import Type from 'typebox';
import { permissionEntries } from '../../access/permission-entries.ts';
import { findRole } from '../../access/roles.ts';
import { listPieces, ok, REVISION_HEADER } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import { NAME_LENGTH_MAX } from '../../model/primitives.ts';
import { ROLE_ID, type Role } from '../../model/role.ts';
import type { StateReader } from '../../state/collections.ts';
import { routesOf } from '../endpoint.ts';
import { FeedbackSchema, ownFeedback } from '../instance/feedback/routes.ts';
import { Group } from '../people/groups/group.ts';
import { imageUrlOf, presentRole, presentUser } from '../people/users/present.ts';
import { RoleSchema, UserSchema } from '../people/users/schemas.ts';
import { projectsOfDashboard, rolesIn } from '../projects/caller-projects.ts';
import { answeredFields } from '../shared/entity-fields.ts';
import { isPasswordSignOnDisabled } from '../sign-on/settings-commands.ts';

const route = routesOf('Users');

const CallerPermissionSchema = Type.Object(
  {
    permission: Type.String(),
    project: Type.Optional(Type.String({ description: 'Id of the project; `*`: all projects' })),
    environment: Type.Optional(Type.String({ description: 'Name of the environment; `*`: all environments' })),
  },
  { $id: 'permission' },
);

const MeSchema = Type.Object(
  {
    user: UserSchema,
    permissions: Type.Array(CallerPermissionSchema),
    feedback: Type.Array(FeedbackSchema),
    splash: Type.Object({}, { additionalProperties: Type.Boolean() }),
  },
  { $id: 'me' },
);

/** Returns the caller as a user. An admin token belongs to no user: the answer shows the token under its own name. */
function presentCaller({ user, author, token }: Caller, reader: StateReader) {
  const storedUser = user === null ? undefined : reader.get('users', user);
  if (storedUser) return presentUser(storedUser);
  const names = { name: author.name, username: author.name };
  const details = { rootRole: ROLE_ID.admin, accountType: 'User', loginAttempts: 0, seenAt: token?.seenAt ?? null };
  const createdAt = token?.createdAt ?? new Date(0).toISOString();
  return {
    id: author.id,
    isAPI: true,
    ...names,
    ...details,
    createdAt,
    imageUrl: imageUrlOf({ ...names, email: null, id: author.id }),
    emailSent: false,
  };
}

function rootRoleOf({ user }: Caller, reader: StateReader): Role | undefined {
  const storedUser = user === null ? undefined : reader.get('users', user);
  return findRole(reader, storedUser?.rootRole ?? (user === null ? ROLE_ID.admin : ROLE_ID.viewer));
}

const getMe = route('GET /api/admin/user', 'getMe', {
  access: { permission: 'READ' },
  summary: 'The caller, and the permissions of the caller in projects and environments',
  responses: {
    200: {
      description: 'The caller',
      schema: MeSchema,
      headers: { [REVISION_HEADER]: 'The revision of the answer: what is read later is not older' },
    },
  },
  handle({ caller }, { state }) {
    const head = { user: presentCaller(caller, state), ...ownFeedback(state, caller) };
    const texts = permissionEntries(state, caller);
    const pieces = listPieces(head, [['permissions', texts, (text: string) => [text]]]);
    return { status: 200, headers: { [REVISION_HEADER]: String(state.seq) }, pieces };
  },
});

const OwnGroup = Type.Object({
  ...answeredFields(Group, 'id', 'name', 'mappingsSSO', 'rootRole'),
  description: Type.Optional(Type.String({ description: 'Left out if there is none' })),
});

function groupsOf({ user }: Caller, reader: StateReader) {
  const groups = user === null ? [] : [...reader.lookup('membershipsByUser', user)];
  return groups.flatMap(({ groupId }) => {
    const group = reader.get('groups', String(groupId));
    if (!group) return [];
    const { id, name, mappingsSSO, rootRole, description } = group;
    return [{ id, name, mappingsSSO, rootRole, description: description ?? undefined }];
  });
}

function canChangePassword({ user }: Caller, reader: StateReader): boolean {
  const stored = user === null ? undefined : reader.get('users', user);
  return typeof stored?.passwordHash === 'string' && !isPasswordSignOnDisabled(reader);
}

const getProfile = route('GET /api/admin/user/profile', 'getProfile', {
  access: { permission: 'READ' },
  summary: 'The role of the caller in the whole instance, and the projects and groups of the caller',
  responses: {
    200: {
      description: 'The profile',
      schema: Type.Object(
        {
          rootRole: RoleSchema,
          projects: Type.Array(Type.String(), {
            description:
              'Projects in which the caller has a role. Of admins: all; of editors: also the default project',
          }),
          groups: Type.Array(OwnGroup, { description: 'Groups that the caller is a member of' }),
          subscriptions: Type.Array(Type.String(), { description: 'Always empty: Burgee sends no mail', maxItems: 0 }),
          canChangePassword: Type.Boolean({ description: 'Whether the caller has a password and may sign on with it' }),
          features: Type.Array(Type.Unknown(), { description: 'Deprecated: always empty', maxItems: 0 }),
        },
        { $id: 'profile' },
      ),
    },
  },
  handle({ caller }, { state }) {
    const role = rootRoleOf(caller, state);
    return ok({
      rootRole: role && presentRole(role),
      projects: projectsOfDashboard(caller, state),
      groups: groupsOf(caller, state),
      subscriptions: [],
      features: [],
      canChangePassword: canChangePassword(caller, state),
    });
  },
});

const getUserRoles = route('GET /api/admin/user/roles', 'getUserRoles', {
  access: { permission: 'READ', project: 'query.projectId' },
  summary: "The caller's roles in a project, and the role Admin of callers who have it in the whole instance",
  query: Type.Object({ projectId: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX }) }),
  responses: {
    200: {
      description: 'The roles',
      schema: Type.Object({ version: Type.Integer(), roles: Type.Array(RoleSchema) }, { $id: 'userRoles' }),
    },
  },
  handle({ caller, query: { projectId } }, { state }) {
    const rootRole = rootRoleOf(caller, state);
    const roles = [...(rootRole?.id === ROLE_ID.admin ? [rootRole] : []), ...rolesIn(state, caller, projectId)];
    return ok({ version: 1, roles: roles.map((role) => ({ ...presentRole(role), project: projectId })) });
  },
});

export const currentUserEndpoints = [getMe, getProfile, getUserRoles];
