/**
 * All permissions, by Unleash's names, with their scope: the whole instance, one project, or one environment of one project. A user who has a
 * permission with a wider scope has it in every narrower scope.
 */
export const PERMISSIONS = {
  /** Everything. */
  ADMIN: 'root',
  CREATE_PROJECT: 'root',
  CREATE_SEGMENT: 'root',
  UPDATE_SEGMENT: 'root',
  DELETE_SEGMENT: 'root',
  CREATE_CONTEXT_FIELD: 'root',
  UPDATE_CONTEXT_FIELD: 'root',
  DELETE_CONTEXT_FIELD: 'root',
  CREATE_TAG_TYPE: 'root',
  UPDATE_TAG_TYPE: 'root',
  DELETE_TAG_TYPE: 'root',
  UPDATE_APPLICATION: 'root',
  CREATE_STRATEGY: 'root',
  UPDATE_STRATEGY: 'root',
  DELETE_STRATEGY: 'root',
  CREATE_ADDON: 'root',
  UPDATE_ADDON: 'root',
  DELETE_ADDON: 'root',
  CREATE_ENVIRONMENT: 'root',
  UPDATE_ENVIRONMENT: 'root',
  DELETE_ENVIRONMENT: 'root',
  READ_CLIENT_API_TOKEN: 'root',
  CREATE_CLIENT_API_TOKEN: 'root',
  UPDATE_CLIENT_API_TOKEN: 'root',
  DELETE_CLIENT_API_TOKEN: 'root',
  READ_FRONTEND_API_TOKEN: 'root',
  CREATE_FRONTEND_API_TOKEN: 'root',
  UPDATE_FRONTEND_API_TOKEN: 'root',
  DELETE_FRONTEND_API_TOKEN: 'root',
  READ_ROLE: 'root',
  RELEASE_PLAN_TEMPLATE_CREATE: 'root',
  RELEASE_PLAN_TEMPLATE_UPDATE: 'root',
  RELEASE_PLAN_TEMPLATE_DELETE: 'root',
  UPDATE_PROJECT: 'project',
  DELETE_PROJECT: 'project',
  PROJECT_SETTINGS_WRITE: 'project',
  PROJECT_DEFAULT_STRATEGY_WRITE: 'project',
  PROJECT_CHANGE_REQUEST_READ: 'project',
  PROJECT_CHANGE_REQUEST_WRITE: 'project',
  PROJECT_USER_ACCESS_READ: 'project',
  PROJECT_USER_ACCESS_WRITE: 'project',
  CREATE_FEATURE: 'project',
  UPDATE_FEATURE: 'project',
  DELETE_FEATURE: 'project',
  MOVE_FEATURE_TOGGLE: 'project',
  UPDATE_FEATURE_DEPENDENCY: 'project',
  UPDATE_FEATURE_VARIANTS: 'project',
  UPDATE_PROJECT_SEGMENT: 'project',
  CREATE_PROJECT_CONTEXT: 'project',
  UPDATE_PROJECT_CONTEXT: 'project',
  DELETE_PROJECT_CONTEXT: 'project',
  READ_PROJECT_API_TOKEN: 'project',
  CREATE_PROJECT_API_TOKEN: 'project',
  DELETE_PROJECT_API_TOKEN: 'project',
  CREATE_FEATURE_STRATEGY: 'environment',
  UPDATE_FEATURE_STRATEGY: 'environment',
  DELETE_FEATURE_STRATEGY: 'environment',
  UPDATE_FEATURE_ENVIRONMENT: 'environment',
  UPDATE_FEATURE_ENVIRONMENT_VARIANTS: 'environment',
  APPROVE_CHANGE_REQUEST: 'environment',
  APPLY_CHANGE_REQUEST: 'environment',
  /** Skips a review that the environment requires. Only the built-in role Admin has it. */
  SKIP_CHANGE_REQUEST: 'environment',
} as const;

export type Permission = keyof typeof PERMISSIONS;

export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as readonly Permission[];

type Reaching<Reach> = { [P in Permission]: (typeof PERMISSIONS)[P] extends Reach ? P : never }[Permission];

export type RootPermission = Reaching<'root'>;
export type ProjectPermission = Reaching<'project'>;
export type EnvironmentPermission = Reaching<'environment'>;

/**
 * What a route can require of its caller: nothing, an SDK token (`CLIENT`, `FRONTEND`), any admin token or user (`READ`), the token of an identity
 * provider (`SCIM`), or a permission.
 */
export type Requirement = 'NONE' | 'CLIENT' | 'FRONTEND' | 'READ' | 'SCIM' | Permission;
