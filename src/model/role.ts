import Type from 'typebox';
import { collection, NO_KEYS } from './collection.ts';
import type { EntityOf } from './entity.ts';
import { PERMISSION_NAMES, PERMISSIONS, type Permission } from './permission.ts';
import { NAME_LENGTH_MAX, Text } from './primitives.ts';
import { DEFAULT_PROJECT } from './project.ts';

/** A permission and its scope: everywhere the role is assigned, or only one environment, or only one project. */
export interface RolePermission {
  readonly name: Permission;
  readonly environment?: string;
  /** Only in built-in roles. */
  readonly project?: string;
}

/** A named set of permissions. Roles that users created are in the collection `roles`, key: the id as text. */
export const Role = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  name: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern: '\\S' }),
  description: Text,
  /** For the whole instance (`root`) or for projects, built in or created by users (`custom`). Unleash's tools use the same names. */
  type: Type.Enum(['root', 'project', 'root-custom', 'custom']),
});
export interface Role extends EntityOf<typeof Role> {
  readonly permissions: readonly RolePermission[];
}

/** Ids of the built-in roles. Roles that users create have ids after `LAST_BUILT_IN`. */
export const ROLE_ID = { admin: 1, editor: 2, viewer: 3, owner: 4, member: 5 } as const;
export const LAST_BUILT_IN = 5;

/** Whether the role is assigned in the whole instance; other roles are assigned in projects. */
export function isRootRole({ type }: Pick<Role, 'type'>): boolean {
  return type === 'root' || type === 'root-custom';
}

const permissionsFor = (
  scope: (typeof PERMISSIONS)[Permission],
  exceptions: readonly Permission[] = [],
): Permission[] => PERMISSION_NAMES.filter((name) => PERMISSIONS[name] === scope && !exceptions.includes(name));

const IN_PROJECTS = [...permissionsFor('project'), ...permissionsFor('environment', ['SKIP_CHANGE_REQUEST'])];

/** Permissions that owners of a project have and members do not: the project's settings and members, and actions that cannot be undone. */
const OWNERS_ONLY: readonly Permission[] = [
  'UPDATE_PROJECT',
  'DELETE_PROJECT',
  'PROJECT_SETTINGS_WRITE',
  'PROJECT_DEFAULT_STRATEGY_WRITE',
  'PROJECT_CHANGE_REQUEST_READ',
  'PROJECT_CHANGE_REQUEST_WRITE',
  'PROJECT_USER_ACCESS_READ',
  'PROJECT_USER_ACCESS_WRITE',
  'DELETE_FEATURE',
  'MOVE_FEATURE_TOGGLE',
];

const EDITORS_IN_INSTANCE = permissionsFor('root', [
  'ADMIN',
  'READ_ROLE',
  'CREATE_ENVIRONMENT',
  'UPDATE_ENVIRONMENT',
  'DELETE_ENVIRONMENT',
]);

const BUILT_IN: readonly Role[] = [
  {
    id: ROLE_ID.admin,
    name: 'Admin',
    description: 'May do everything.',
    type: 'root',
    permissions: [{ name: 'ADMIN' }],
  },
  {
    id: ROLE_ID.editor,
    name: 'Editor',
    description:
      'May change what all projects share, create projects and become their owner, and change what is in the default project. ' +
      'Manages neither users nor roles.',
    type: 'root',
    permissions: [
      ...EDITORS_IN_INSTANCE.map((name) => ({ name })),
      ...IN_PROJECTS.map((name) => ({ name, project: DEFAULT_PROJECT })),
    ],
  },
  {
    id: ROLE_ID.viewer,
    name: 'Viewer',
    description: 'May read, and change what its roles in projects allow.',
    type: 'root',
    permissions: [],
  },
  {
    id: ROLE_ID.owner,
    name: 'Owner',
    description: 'May do everything in the project: its flags, its settings, and who is in it.',
    type: 'project',
    permissions: IN_PROJECTS.map((name) => ({ name })),
  },
  {
    id: ROLE_ID.member,
    name: 'Member',
    description: 'May create and change flags of the project. Manages neither the project nor who is in it.',
    type: 'project',
    permissions: IN_PROJECTS.filter((name) => !OWNERS_ONLY.includes(name)).map((name) => ({ name })),
  },
];

/**
 * The roles that every instance has, by their ids. They are code, not data: a permission that a later version adds to them applies immediately, also
 * with old data directories, and no user can change or delete them.
 */
export const BUILT_IN_ROLES: ReadonlyMap<number, Role> = new Map(BUILT_IN.map((role) => [role.id, role]));

export const roles = collection({
  schema: 1,
  key: (role: Role) => String(role.id),
  past: 'access',
  indexes: {
    rolesByName: ({ name }) => [name],
    rolesByEnvironment: ({ permissions }) => [
      ...new Set(permissions.flatMap(({ environment }) => (environment === undefined ? NO_KEYS : [environment]))),
    ],
  },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly roles: typeof roles;
  }
}
