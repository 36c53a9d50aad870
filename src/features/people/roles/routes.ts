import Type from 'typebox';
import { allRoles, findRole } from '../../../access/roles.ts';
import { notFound } from '../../../base/rejection.ts';
import { ok } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { presentRole } from '../users/present.ts';
import { createRole, deleteRole, RoleId, roleNameProblem, updateRole } from './commands.ts';
import { presentPermission, presentPermissions } from './present-permission.ts';
import {
  PermissionListSchema,
  RoleBody,
  RoleListSchema,
  RoleWithPermissionsSchema,
  RoleWithVersionSchema,
  ValidateRoleBody,
} from './schemas.ts';

const route = routesOf('Users');

const RoleParams = { roleId: RoleId };

const listPermissions = route('GET /api/admin/permissions', 'getPermissions', {
  access: { permission: 'READ' },
  summary: 'Every permission that a role can have',
  responses: { 200: { description: 'The permissions', schema: PermissionListSchema } },
  handle(_request, { state }) {
    const environments = [...state.values('environments')].sort((left, right) => left.sortOrder - right.sortOrder);
    return ok({ version: 1, permissions: presentPermissions(environments.map(({ name }) => name)) });
  },
});

const listRoles = route('GET /api/admin/roles', 'getRoles', {
  access: { permission: ['ADMIN', 'READ_ROLE'] },
  summary: 'Every role',
  responses: { 200: { description: 'The roles', schema: RoleListSchema } },
  handle: (_request, { state }) => ok({ version: 1, roles: allRoles(state).map(presentRole) }),
});

const getRole = route('GET /api/admin/roles/:roleId', 'getRoleById', {
  access: { permission: ['ADMIN', 'READ_ROLE'] },
  edits: 'role',
  summary: 'One role, with its permissions',
  params: RoleParams,
  responses: { 200: { description: 'The role', schema: RoleWithPermissionsSchema } },
  handle({ params: { roleId } }, { state }) {
    const role = findRole(state, roleId);
    if (!role) return notFound(`There is no role with the id ${roleId}.`);
    const { id, type, name, description, permissions } = role;
    return ok({ id, type, name, description, permissions: permissions.map(presentPermission) });
  },
});

const addRole = route('POST /api/admin/roles', 'createRole', {
  access: { permission: 'ADMIN' },
  summary: 'Creates a role: for projects (`custom`), or for the whole instance (`root-custom`)',
  body: RoleBody,
  responses: { 200: { description: 'The role', schema: RoleWithVersionSchema } },
  errors: [409],
  handle({ body, caller }, services) {
    const { name, description, type, permissions } = body;
    return change(services, caller, createRole, { name, description, type, permissions }, (role) =>
      ok({ version: 1, roles: presentRole(role) }),
    );
  },
});

const validateRole = route('POST /api/admin/roles/validate', 'validateRole', {
  access: { permission: ['ADMIN', 'READ_ROLE'] },
  summary: 'Checks whether a role with this name could be created',
  body: ValidateRoleBody,
  responses: { 200: { description: 'The role could be created', schema: Type.Object({ valid: Type.Literal(true) }) } },
  errors: [409],
  handle: ({ body: { name } }, { state }) => roleNameProblem(state, name) ?? ok({ valid: true }),
});

const changeRole = route('PUT /api/admin/roles/:roleId', 'updateRole', {
  access: { permission: 'ADMIN' },
  edits: 'role',
  summary: 'Replaces a role that users created; the change applies at once to everyone who has the role',
  params: RoleParams,
  body: RoleBody,
  responses: { 200: { description: 'The role', schema: RoleWithVersionSchema } },
  errors: [409],
  handle({ params, body, caller }, services) {
    const { name, description, type, permissions } = body;
    return change(services, caller, updateRole, { id: params.roleId, name, description, type, permissions }, (role) =>
      ok({ version: 1, roles: presentRole(role) }),
    );
  },
});

const removeRole = route('DELETE /api/admin/roles/:roleId', 'deleteRole', {
  access: { permission: 'ADMIN' },
  edits: 'role',
  summary: 'Deletes a role that is assigned to no user and no group',
  params: RoleParams,
  responses: { 200: { description: 'The role was deleted' } },
  handle: ({ params: { roleId: id }, caller }, services) => change(services, caller, deleteRole, { id }),
});

export const roleEndpoints = [listPermissions, listRoles, getRole, addRole, validateRole, changeRole, removeRole];
