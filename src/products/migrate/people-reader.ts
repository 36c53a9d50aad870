import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { integer, type Loose, list, object, text, textOrNull, texts } from './loose-json.ts';
import { nameOfPerson, type Person } from './people.ts';

/**
 * Reads people and their root roles. From paid editions, it also reads custom roles, groups and roles in projects. Credentials are not read, because
 * no instance returns them.
 */
export async function readPeople(client: InstanceClient, { people, projects, notes }: Holdings): Promise<void> {
  const answer = object(await client.getOptional('/api/admin/user-admin'));
  const rootRoles = list(answer.rootRoles);
  const names = new Map(rootRoles.map(({ id, name }) => [id, text(name)]));
  const roles = list(object(await client.getOptional('/api/admin/roles')).roles);
  const listed = new Set(roles.map(({ id }) => id));
  // The open-source edition applies custom roles that the paid edition created, but lists only their names.
  const hiddenRoles = rootRoles.filter(({ id, type }) => type === 'root-custom' && !listed.has(id));
  for (const { name } of hiddenRoles) notes.push({ about: `root role ${text(name)}`, text: ROLE_HIDDEN });
  const hiddenRoleIds = new Set(hiddenRoles.map(({ id }) => id));
  for (const { id, name } of roles) names.set(id, text(name));
  for (const sent of list(answer.users)) {
    const person = readPerson(sent, names, hiddenRoleIds);
    if (hiddenRoleIds.has(sent.rootRole))
      notes.push({ about: `user ${nameOfPerson(person)}`, text: IMPORTED_AS_VIEWER });
    if (sent.accountType !== 'Service Account') people.users.push(person);
    else
      notes.push({
        about: `service account ${person.username ?? person.name}`,
        text: 'it is not imported, because its tokens cannot be read: create a new service account',
      });
  }
  for (const role of roles) {
    if (role.type !== 'custom' && role.type !== 'root-custom') continue;
    const sent = object(await client.getOptional(`/api/admin/roles/${integer(role.id, 0)}`));
    people.roles.push({
      name: text(role.name),
      description: text(role.description),
      type: role.type,
      permissions: list(sent.permissions).map(readPermission),
    });
  }
  for (const { id, name, description, mappingsSSO, rootRole, users } of await readGroups(client)) {
    people.groups.push({
      id: integer(id, 0),
      name: text(name),
      description: textOrNull(description),
      mappingsSSO: texts(mappingsSSO),
      rootRole: names.get(rootRole) ?? null,
      members: list(users).map(({ user }) => integer(object(user).id, 0)),
    });
  }
  for (const { id, archivedAt } of projects) if (archivedAt == null) await readAccess(client, people, id);
}

const ROLE_HIDDEN =
  'the source does not show its permissions: create the role in this service, and assign it to the same people as in the source';
const IMPORTED_AS_VIEWER = 'the permissions of the root role cannot be read: the user is imported as Viewer';

function readPerson(
  { id, name, email, username, rootRole }: Loose,
  roles: ReadonlyMap<unknown, string>,
  hiddenRoles: ReadonlySet<unknown>,
): Person {
  return {
    id: integer(id, 0),
    name: textOrNull(name),
    email: textOrNull(email),
    username: textOrNull(username),
    rootRole: hiddenRoles.has(rootRole) ? 'Viewer' : (roles.get(rootRole) ?? 'Viewer'),
  };
}

function readPermission({ name, permission, environment }: Loose) {
  const environmentName = textOrNull(environment);
  return { name: text(name) || text(permission), ...(environmentName && { environment: environmentName }) };
}

async function readGroups(client: InstanceClient): Promise<readonly Loose[]> {
  return list(object(await client.getOptional('/api/admin/groups')).groups);
}

async function readAccess(client: InstanceClient, { access }: Holdings['people'], project: string): Promise<void> {
  const sent = object(await client.getOptional(`/api/admin/projects/${encodeURIComponent(project)}/access`));
  const names = new Map(list(sent.roles).map(({ id, name }) => [id, text(name)]));
  for (const kind of ['user', 'group'] as const) {
    for (const { id, roles, roleId } of list(sent[`${kind}s`])) {
      const roleIds = Array.isArray(roles) ? roles : [roleId];
      const roleNames = roleIds.map((role) => names.get(role)).filter((name) => name !== undefined);
      if (roleNames.length > 0) access.push({ project, kind, holder: integer(id, 0), roles: roleNames });
    }
  }
}
