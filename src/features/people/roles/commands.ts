import Type, { type Static } from 'typebox';
import { findRole } from '../../../access/roles.ts';
import { conflict, invalid, notFound, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { PERMISSIONS, type Permission } from '../../../model/permission.ts';
import { NAME_LENGTH_MAX, Nullable, Text } from '../../../model/primitives.ts';
import { BUILT_IN_ROLES, LAST_BUILT_IN, Role, type RolePermission } from '../../../model/role.ts';
import type { StateReader } from '../../../state/collections.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { removalBy, type UndoRule, undoOfEdits } from '../../shared/undoing.ts';
import { PEOPLE_LIMITS } from '../limits.ts';

export const { id: RoleId } = Role.properties;

/** The schema accepts any name. The command checks the name, so that the error message can contain it. */
const PermissionInput = Type.Object({
  name: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX }),
  environment: Type.Optional(Nullable(Type.String({ maxLength: NAME_LENGTH_MAX }))),
});

export const RoleFields = {
  ...writtenFields(Role, 'name'),
  description: Type.Optional(Nullable(Text)),
  /** Default: `custom`, a role for projects. */
  type: Type.Optional(Type.Enum(['custom', 'root-custom'])),
  permissions: Type.Optional(Type.Array(PermissionInput, { maxItems: PEOPLE_LIMITS.rolePermissions.max })),
};
type RoleFields = Static<Type.TObject<typeof RoleFields>>;

export const createRole = command({
  name: 'create-role',
  input: Type.Object(RoleFields),
  decide({ draft, emit }, input) {
    const type = input.type ?? 'custom';
    const permissions = rolePermissions(draft, type, input.permissions ?? []);
    const problem = roleNameProblem(draft, input.name);
    if (problem) return problem;
    if (permissions instanceof Rejection) return permissions;
    const role: Role = {
      id: LAST_BUILT_IN + draft.next('roles'),
      name: input.name,
      description: input.description ?? '',
      type,
      permissions,
    };
    draft.put('roles', role);
    emit({ type: 'role-created', data: role });
    return role;
  },
});

/** Replaces a role that users created. The change applies immediately to everyone who has the role. The type cannot be changed. */
export const updateRole = command({
  name: 'update-role',
  input: Type.Object({ id: RoleId, ...RoleFields }),
  decide({ draft, emit }, { id, ...input }) {
    const before = findCustomRole(draft, id);
    if (before instanceof Rejection) return before;
    if (input.type !== undefined && input.type !== before.type)
      return invalid('The type of a role cannot be changed.', '/type');
    const problem = roleNameProblem(draft, input.name, id);
    if (problem) return problem;
    const permissions =
      input.permissions === undefined ? before.permissions : rolePermissions(draft, before.type, input.permissions);
    if (permissions instanceof Rejection) return permissions;
    const description = input.description ?? before.description;
    const after: Role = { ...before, name: input.name, description, permissions };
    draft.put('roles', after);
    emit({ type: 'role-updated', data: after, preData: before });
    return after;
  },
});

/** Deletes a role that is assigned to no user and no group. */
export const deleteRole = command({
  name: 'delete-role',
  input: Type.Object({ id: RoleId }),
  decide({ draft, emit }, { id }) {
    const role = findCustomRole(draft, id);
    if (role instanceof Rejection) return role;
    const key = String(id);
    const holders =
      draft.count('usersByRootRole', key) + draft.count('groupsByRootRole', key) + draft.count('holdersByRole', key);
    if (holders > 0)
      return invalid(
        `The role ${role.name} is in use: ${holders} users or groups have it. Remove the role from them first.`,
      );
    draft.remove('roles', key);
    emit({ type: 'role-deleted', preData: role });
    return undefined;
  },
});

/**
 * Removes the permissions for an environment that is being deleted. Otherwise roles would have permissions in an environment that is created under
 * the same name later.
 */
export function* takeEnvironmentFromRoles({ draft, emit }: CommandContext, environment: string): Steps<void> {
  for (const role of [...draft.lookup('rolesByEnvironment', environment)]) {
    const after = {
      ...role,
      permissions: role.permissions.filter((permission) => permission.environment !== environment),
    };
    draft.put('roles', after);
    emit({ type: 'role-updated', data: after, preData: role });
    yield;
  }
}

/** Returns a role that users created. Returns a rejection for a built-in role. */
function findCustomRole(reader: StateReader, id: number): Role | Rejection {
  const role = findRole(reader, id);
  if (!role) return notFound(`There is no role with the id ${id}.`);
  return BUILT_IN_ROLES.has(id) ? invalid(`The role ${role.name} is built in and cannot be changed.`) : role;
}

/** Returns a rejection if another role already has the name. */
export function roleNameProblem(reader: StateReader, name: string, ownId?: number): Rejection | undefined {
  const isBuiltInName = [...BUILT_IN_ROLES.values()].some((role) => role.name === name);
  for (const role of reader.lookup('rolesByName', name)) {
    if (role.id !== ownId) return conflict(`There already exists a role with the name ${name}.`);
  }
  return isBuiltInName ? conflict(`There already exists a role with the name ${name}.`) : undefined;
}

type PermissionInputs = NonNullable<RoleFields['permissions']>;

/** Returns the permissions of the role as they are stored, without duplicates, or a rejection if one of them is invalid. */
function rolePermissions(
  reader: StateReader,
  type: Role['type'],
  inputs: PermissionInputs,
): RolePermission[] | Rejection {
  const permissions = new Map<string, RolePermission>();
  for (const [index, { name, environment }] of inputs.entries()) {
    const environmentName = environment || undefined;
    const problem = permissionInputProblem(reader, type, name, environmentName);
    if (problem !== undefined) return invalid(problem, `/permissions/${index}`);
    const permission = {
      name: name as Permission,
      ...(environmentName === undefined ? {} : { environment: environmentName }),
    };
    permissions.set(`${name} ${environmentName ?? ''}`, permission);
  }
  return [...permissions.values()];
}

function permissionInputProblem(
  reader: StateReader,
  type: Role['type'],
  name: string,
  environment: string | undefined,
): string | undefined {
  if (!Object.hasOwn(PERMISSIONS, name)) return `There is no permission ${name}.`;
  if (name === 'ADMIN') return 'Only the role Admin has the permission ADMIN.';
  const scope = PERMISSIONS[name as Permission];
  if (scope === 'root' && type === 'custom') return `The permission ${name} does not apply to projects.`;
  if (scope !== 'environment')
    return environment === undefined ? undefined : `The permission ${name} cannot be limited to one environment.`;
  if (environment === undefined) return `The permission ${name} applies to one environment: specify the environment.`;
  return reader.get('environments', environment) ? undefined : `The environment ${environment} does not exist.`;
}

export const undoRole: UndoRule<Role> = undoOfEdits({
  collection: 'roles',
  shape: Role,
  needs: { create: ['ADMIN'], update: ['ADMIN'], remove: ['ADMIN'] },
  events: { created: 'role-created', updated: 'role-updated' },
  problem({ draft }, { id, name, type, permissions }) {
    const problem = roleNameProblem(draft, name, id);
    if (problem) return problem;
    const valid = rolePermissions(draft, type, [...permissions]);
    return valid instanceof Rejection ? valid : undefined;
  },
  remove: removalBy(deleteRole, ({ id }) => ({ id })),
});
