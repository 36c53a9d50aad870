import { PERMISSION_NAMES, PERMISSIONS, type Permission } from '../../../model/permission.ts';
import type { RolePermission } from '../../../model/role.ts';

/** Ids of permissions: the ids of Unleash, and ids from 1001 for permissions that Unleash does not have. No id may change: tools store the ids. */
const PERMISSION_ID: Readonly<Record<Permission, number>> = {
  ADMIN: 1,
  CREATE_FEATURE: 2,
  CREATE_STRATEGY: 3,
  CREATE_ADDON: 4,
  UPDATE_ADDON: 5,
  DELETE_ADDON: 6,
  UPDATE_FEATURE: 7,
  DELETE_FEATURE: 8,
  UPDATE_APPLICATION: 9,
  UPDATE_TAG_TYPE: 10,
  DELETE_TAG_TYPE: 11,
  CREATE_PROJECT: 12,
  UPDATE_PROJECT: 13,
  DELETE_PROJECT: 14,
  UPDATE_STRATEGY: 15,
  DELETE_STRATEGY: 16,
  UPDATE_CONTEXT_FIELD: 17,
  CREATE_CONTEXT_FIELD: 18,
  DELETE_CONTEXT_FIELD: 19,
  READ_ROLE: 20,
  CREATE_FEATURE_STRATEGY: 25,
  UPDATE_FEATURE_STRATEGY: 26,
  DELETE_FEATURE_STRATEGY: 27,
  UPDATE_FEATURE_ENVIRONMENT: 28,
  UPDATE_FEATURE_VARIANTS: 29,
  MOVE_FEATURE_TOGGLE: 30,
  CREATE_SEGMENT: 31,
  UPDATE_SEGMENT: 32,
  DELETE_SEGMENT: 33,
  APPROVE_CHANGE_REQUEST: 35,
  APPLY_CHANGE_REQUEST: 36,
  UPDATE_FEATURE_ENVIRONMENT_VARIANTS: 37,
  SKIP_CHANGE_REQUEST: 38,
  READ_PROJECT_API_TOKEN: 42,
  CREATE_PROJECT_API_TOKEN: 43,
  DELETE_PROJECT_API_TOKEN: 44,
  UPDATE_PROJECT_SEGMENT: 45,
  CREATE_CLIENT_API_TOKEN: 50,
  UPDATE_CLIENT_API_TOKEN: 51,
  DELETE_CLIENT_API_TOKEN: 52,
  READ_CLIENT_API_TOKEN: 53,
  CREATE_FRONTEND_API_TOKEN: 54,
  UPDATE_FRONTEND_API_TOKEN: 55,
  DELETE_FRONTEND_API_TOKEN: 56,
  READ_FRONTEND_API_TOKEN: 57,
  UPDATE_FEATURE_DEPENDENCY: 58,
  CREATE_TAG_TYPE: 59,
  PROJECT_USER_ACCESS_READ: 60,
  PROJECT_CHANGE_REQUEST_READ: 62,
  PROJECT_USER_ACCESS_WRITE: 64,
  PROJECT_DEFAULT_STRATEGY_WRITE: 65,
  PROJECT_CHANGE_REQUEST_WRITE: 66,
  PROJECT_SETTINGS_WRITE: 67,
  UPDATE_PROJECT_CONTEXT: 78,
  CREATE_ENVIRONMENT: 1001,
  UPDATE_ENVIRONMENT: 1002,
  DELETE_ENVIRONMENT: 1003,
  CREATE_PROJECT_CONTEXT: 1004,
  DELETE_PROJECT_CONTEXT: 1005,
  RELEASE_PLAN_TEMPLATE_CREATE: 1006,
  RELEASE_PLAN_TEMPLATE_UPDATE: 1007,
  RELEASE_PLAN_TEMPLATE_DELETE: 1008,
};

/** Returns a permission as lists show it. */
export function presentPermission({ name, environment }: RolePermission) {
  const environmentField = environment === undefined ? {} : { environment };
  return {
    id: PERMISSION_ID[name],
    name,
    displayName: wordsOf(name),
    type: PERMISSIONS[name],
    ...environmentField,
  };
}

/** Returns every permission that a role can have, by scope. Permissions for environments are repeated for each environment. */
export function presentPermissions(environments: readonly string[]) {
  const ofScope = (scope: string): Permission[] =>
    PERMISSION_NAMES.filter((name) => PERMISSIONS[name] === scope && name !== 'ADMIN');
  return {
    root: ofScope('root').map((name) => presentPermission({ name })),
    project: ofScope('project').map((name) => presentPermission({ name })),
    environments: environments.map((environment) => ({
      name: environment,
      permissions: ofScope('environment').map((name) => presentPermission({ name, environment })),
    })),
  };
}

/** `CREATE_FEATURE` → `Create feature`. */
function wordsOf(name: Permission): string {
  const words = name
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/\bapi\b/g, 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
