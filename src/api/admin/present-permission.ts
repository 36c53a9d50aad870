import { PERMISSION_NAMES, PERMISSIONS, type Permission } from '../../model/permission.ts';
import type { RolePermission } from '../../model/role.ts';

/** A permission as lists tell it. */
export function presentPermission({ name, environment }: RolePermission) {
  const where = environment === undefined ? {} : { environment };
  return {
    id: PERMISSION_NAMES.indexOf(name) + 1,
    name,
    displayName: wordsOf(name),
    type: PERMISSIONS[name],
    ...where,
  };
}

/** Every permission that a role can have, by how far it reaches; those of environments in each of them. */
export function presentPermissions(environments: readonly string[]) {
  const ofReach = (reach: string): Permission[] =>
    PERMISSION_NAMES.filter((name) => PERMISSIONS[name] === reach && name !== 'ADMIN');
  return {
    root: ofReach('root').map((name) => presentPermission({ name })),
    project: ofReach('project').map((name) => presentPermission({ name })),
    environments: environments.map((environment) => ({
      name: environment,
      permissions: ofReach('environment').map((name) => presentPermission({ name, environment })),
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
