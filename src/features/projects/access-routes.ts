import Type from 'typebox';
import { allRoles } from '../../access/roles.ts';
import { type VisibleProjects, visibleProjects } from '../../access/visibility.ts';
import { Rejection } from '../../base/rejection.ts';
import { listPieces } from '../../http/answer.ts';
import { DateTime } from '../../model/primitives.ts';
import type { HolderKind, ProjectRoles } from '../../model/project-roles.ts';
import { isRootRole, type Role } from '../../model/role.ts';
import type { StateReader } from '../../state/collections.ts';
import { routesOf } from '../endpoint.ts';
import { groupPieces } from '../people/groups/present.ts';
import { groupProperties } from '../people/groups/schemas.ts';
import { PEOPLE_LIMITS } from '../people/limits.ts';
import { RoleId } from '../people/roles/commands.ts';
import { presentRole, presentUserBase } from '../people/users/present.ts';
import { RoleSchema, UserBaseSchema } from '../people/users/schemas.ts';
import { change } from '../shared/change.ts';
import { findProject } from '../shared/lookup.ts';
import {
  addProjectAccess,
  changeProjectRole,
  HolderId,
  HolderIds,
  RoleIds,
  setProjectAccess,
  setProjectRoles,
} from './access.ts';

const route = routesOf('Projects');

const READ_PERMISSIONS = ['PROJECT_USER_ACCESS_READ', 'PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'] as const;
const WRITE_PERMISSIONS = ['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'] as const;

/** The fields that describe the roles of a user or a group. */
const roleFields = {
  addedAt: DateTime,
  roleId: Type.Integer({ description: 'The first role of `roles`' }),
  roles: Type.Array(Type.Integer()),
};

const ProjectAccessSchema = Type.Object(
  {
    users: Type.Array(
      Type.Object(
        { ...UserBaseSchema.properties, isAPI: Type.Boolean(), ...roleFields },
        { $id: 'userWithProjectRole' },
      ),
    ),
    groups: Type.Array(Type.Object({ ...groupProperties, ...roleFields }, { $id: 'groupWithProjectRole' })),
    roles: Type.Array(RoleSchema, { description: 'Roles that can be assigned in projects' }),
  },
  { $id: 'projectAccess' },
);

const getProjectAccess = route('GET /api/admin/projects/:projectId/access', 'getProjectAccess', {
  access: { permission: READ_PERMISSIONS, project: 'path.projectId' },
  edits: 'projectAccess',
  showsMore: true,
  summary: 'The users and groups that have roles in the project',
  responses: { 200: { description: 'Users and groups, with their roles', schema: ProjectAccessSchema } },
  handle({ params: { projectId }, caller, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const project = findProject(state, projectId);
    if (project instanceof Rejection) return project;
    return { status: 200, pieces: accessPieces(projectId, state, visibleProjects(state, caller)) };
  },
});

function accessPieces(project: string, reader: StateReader, visible: VisibleProjects): Iterable<string> {
  return listPieces({}, [
    ['users', rolesOfHolders('user', project, reader), (one: ProjectRoles) => userPieces(one, reader)],
    [
      'groups',
      rolesOfHolders('group', project, reader),
      (one: ProjectRoles) => rolesOfGroupPieces(one, reader, visible),
    ],
    ['roles', allRoles(reader), (role: Role) => (isRootRole(role) ? [] : [JSON.stringify(presentRole(role))])],
  ]);
}

/**
 * Yields the roles of users, or of groups, in the project, lazily because a project may have many. Yields undefined for each holder of the other
 * kind.
 */
function* rolesOfHolders(kind: HolderKind, project: string, reader: StateReader): Iterable<ProjectRoles | undefined> {
  for (const roles of reader.lookup('rolesByProject', project)) yield roles.holder === kind ? roles : undefined;
}

/** Yields the JSON of a user with the roles in a project. Yields nothing if the user was deleted after the answer began. */
function* userPieces(roles: ProjectRoles, reader: StateReader): Iterable<string> {
  const user = reader.get('users', String(roles.holderId));
  if (user) yield JSON.stringify({ ...presentUserBase(user), isAPI: false, ...detailsOf(roles) });
}

function* rolesOfGroupPieces(roles: ProjectRoles, reader: StateReader, visible: VisibleProjects): Iterable<string> {
  const group = reader.get('groups', String(roles.holderId));
  if (group) yield* groupPieces(group, reader, visible, detailsOf(roles));
}

const detailsOf = ({ createdAt, roles }: ProjectRoles) => ({ addedAt: createdAt, roleId: roles[0], roles });

const replaceProjectAccess = route('PUT /api/admin/projects/:projectId/access', 'setProjectAccess', {
  access: { permission: WRITE_PERMISSIONS, project: 'path.projectId' },
  edits: 'projectAccess',
  summary: 'Replaces all roles that users and groups have in the project',
  body: Type.Object(
    {
      roles: Type.Array(
        Type.Object({ id: RoleId, users: Type.Optional(HolderIds), groups: Type.Optional(HolderIds) }),
        { maxItems: PEOPLE_LIMITS.roles.max },
      ),
    },
    { $id: 'projectAccessConfiguration' },
  ),
  errors: [409],
  handle({ params, body, caller }, services) {
    const roles = body.roles.map(({ id, users = [], groups = [] }) => ({ id, users, groups }));
    return change(services, caller, setProjectAccess, { project: params.projectId, roles });
  },
});

const addAccess = route('POST /api/admin/projects/:projectId/access', 'addAccessToProject', {
  access: { permission: WRITE_PERMISSIONS, project: 'path.projectId' },
  edits: 'projectAccess',
  summary: 'Gives roles to users and groups, in addition to their other roles in the project',
  body: Type.Object({ roles: RoleIds, groups: HolderIds, users: HolderIds }, { $id: 'projectAddAccess' }),
  handle({ params, body, caller }, services) {
    const { roles, groups, users } = body;
    return change(services, caller, addProjectAccess, { project: params.projectId, roles, groups, users });
  },
});

const HolderReferences = Type.Array(Type.Object({ id: HolderId }), { maxItems: PEOPLE_LIMITS.holdersInRequest.max });

const addRoleAccess = route('POST /api/admin/projects/:projectId/role/:roleId/access', 'addRoleAccessToProject', {
  access: { permission: WRITE_PERMISSIONS, project: 'path.projectId' },
  edits: 'projectAccess',
  summary: 'Gives one role to users and groups, in addition to their other roles in the project',
  deprecated: true,
  params: { roleId: RoleId },
  body: Type.Object({ groups: HolderReferences, users: HolderReferences }, { $id: 'projectAddRoleAccess' }),
  handle({ params, body, caller }, services) {
    const [groups, users] = [body.groups.map(({ id }) => id), body.users.map(({ id }) => id)];
    const input = { project: params.projectId, roles: [params.roleId], groups, users };
    return change(services, caller, addProjectAccess, input);
  },
});

/** Endpoints that set and remove the roles of one user, or of one group. */
function holderEndpoints<H extends HolderKind>(holder: H, plural: string, name: string) {
  const path = `/api/admin/projects/:projectId/${plural}/:id/roles` as const;
  const details = {
    access: { permission: WRITE_PERMISSIONS, project: 'path.projectId' },
    edits: 'projectAccess',
    params: { id: HolderId },
    errors: [409],
  } as const;
  return [
    route(`PUT ${path}`, `setRolesFor${name}`, {
      ...details,
      summary: `Replaces the roles that a ${holder} has in the project`,
      body: Type.Object({ roles: RoleIds }),
      handle: ({ params: { projectId: project, id: holderId }, body: { roles }, caller }, services) =>
        change(services, caller, setProjectRoles, { project, holder, holderId, roles }),
    }),
    route(`DELETE ${path}`, `removeAccessOf${name}`, {
      ...details,
      summary: `Removes all roles that a ${holder} has in the project`,
      handle: ({ params: { projectId: project, id: holderId }, caller }, services) =>
        change(services, caller, setProjectRoles, { project, holder, holderId, roles: [] }),
    }),
  ];
}

/** Endpoints of the older interface, in which a user or a group could have only one role in a project. */
function oneRoleEndpoints<H extends HolderKind>(holder: H, plural: string, name: string) {
  const path = `/api/admin/projects/:projectId/${plural}/:id/roles/:roleId` as const;
  const details = {
    access: { permission: WRITE_PERMISSIONS, project: 'path.projectId' },
    edits: 'projectAccess',
    deprecated: true,
    params: { id: HolderId, roleId: RoleId },
    errors: [409],
  } as const;
  const verbs = [
    {
      verb: 'add',
      method: 'POST',
      operation: 'addRoleTo',
      summary: `Gives a role to a ${holder}, in addition to the other roles`,
    },
    {
      verb: 'set',
      method: 'PUT',
      operation: 'changeRoleOf',
      summary: `Gives a role to a ${holder}, in place of the other roles`,
    },
    { verb: 'remove', method: 'DELETE', operation: 'removeRoleOf', summary: `Takes a role away from a ${holder}` },
  ] as const;
  return verbs.map(({ verb, method, operation, summary }) =>
    route(`${method} ${path}`, `${operation}${name}`, {
      ...details,
      summary,
      handle: ({ params: { projectId: project, id: holderId, roleId: role }, caller }, services) =>
        change(services, caller, changeProjectRole, { project, holder, holderId, role, verb }),
    }),
  );
}

export const projectAccessEndpoints = [
  getProjectAccess,
  replaceProjectAccess,
  addAccess,
  addRoleAccess,
  ...holderEndpoints('user', 'users', 'ProjectUser'),
  ...holderEndpoints('group', 'groups', 'ProjectGroup'),
  ...oneRoleEndpoints('user', 'users', 'ProjectUser'),
  ...oneRoleEndpoints('group', 'groups', 'ProjectGroup'),
];
