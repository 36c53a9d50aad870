import { endpoints } from '../features/registry.ts';
import { type Access, credentialOf, requirementsOf } from '../http/access.ts';
import { PERMISSION_NAMES, PERMISSIONS } from '../model/permission.ts';
import { BUILT_IN_ROLES, isRootRole, type Role } from '../model/role.ts';
import { withTable } from './tables.ts';

/** Whether a built-in role has a permission, and in which project, as text for the table. */
function markOf({ permissions }: Role, name: string): string {
  if (permissions.some((permission) => permission.name === 'ADMIN')) return 'yes';
  const permission = permissions.find((candidate) => candidate.name === name);
  if (!permission) return '';
  return permission.project === undefined ? 'yes' : `in ${permission.project}`;
}

/** The table of the built-in roles' permissions. A project role has its permissions only in the project in which it is assigned. */
function rolesTable(): string {
  const roles = [...BUILT_IN_ROLES.values()];
  const names = roles.map((role) => (isRootRole(role) ? role.name : `${role.name} of a project`));
  const rows = PERMISSION_NAMES.map((name) => {
    const marks = roles.map((role) => markOf(role, name));
    return `| \`${name}\` | ${PERMISSIONS[name]} | ${marks.join(' | ')} |`;
  });
  return [
    `| permission | applies to | ${names.join(' | ')} |`,
    `|---|---|${names.map(() => '---').join('|')}|`,
    ...rows,
  ].join('\n');
}

/** The table of the permission that each route needs. */
function routesTable(): string {
  const rows = endpoints
    .map(({ method, path, access }) => ({
      path,
      row: `| ${method.toUpperCase()} \`${path}\` | ${neededFor(access)} |`,
    }))
    .sort((left, right) => (left.path < right.path ? -1 : Number(left.path > right.path)));
  return [
    '| route | needs | in the project | in the environment |',
    '|---|---|---|---|',
    ...rows.map(({ row }) => row),
  ].join('\n');
}

const CREDENTIAL = {
  none: 'nothing',
  client: 'a client token',
  frontend: 'a frontend token',
  scim: 'the token of the identity provider',
  admin: 'an admin token or a user',
};

/** What a route needs from its caller, in the table's last three columns. */
function neededFor(access: Access): string {
  const required = requirementsOf(access);
  const needsNoPermission = required.every((requirement) => !Object.hasOwn(PERMISSIONS, requirement));
  if ('backstage' in access) return '`BACKSTAGE_TOKEN`, if it is set | | ';
  const need = needsNoPermission
    ? CREDENTIAL[credentialOf(access)]
    : required.map((permission) => `\`${permission}\``).join(' or ');
  return [need, placeOf(access.project), placeOf(access.environment)].join(' | ');
}

/** For `path.projectId`, returns `of the path`. Returns "" if the permission covers more than one project or environment. */
function placeOf(source: string | undefined): string {
  if (source === undefined) return '';
  const [place, name] = source.split('.');
  return place === 'entity' ? `of the ${ENTITY[name ?? ''] ?? name}` : `of the ${place}`;
}

const ENTITY: Readonly<Record<string, string>> = {
  features: 'flag',
  segments: 'segment',
  apiTokens: 'token',
  changeRequests: 'change request',
};

/** Returns the text of docs/reference/tables/permissions.md with the current tables of roles and routes. */
export function withPermissionTables(text: string): string {
  return withTable(withTable(text, 'roles', rolesTable()), 'routes', routesTable());
}
