import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { type Loose, list, object, text, textOrNull, texts, whole } from './loose-json.ts';
import { nameOfPerson, type Person } from './people.ts';

/**
 * Reads people and their root roles. From paid editions, it also reads custom roles, groups and roles in projects. No instance returns
 * credentials.
 */
export async function readPeople(client: InstanceClient, { people, projects, notes }: Holdings): Promise<void> {
  const answer = object(await client.getIfThere('/api/admin/user-admin'));
  const rootRoles = list(answer.rootRoles);
  const names = new Map(rootRoles.map(({ id, name }) => [id, text(name)]));
  const roles = list(object(await client.getIfThere('/api/admin/roles')).roles);
  const listed = new Set(roles.map(({ id }) => id));
  // The open-source edition applies custom roles that the paid edition created, but lists only their names.
  const unread = rootRoles.filter(({ id, type }) => type === 'root-custom' && !listed.has(id));
  for (const { name } of unread) notes.push({ about: `root role ${text(name)}`, text: ROLE_UNREAD });
  const unreadIds = new Set(unread.map(({ id }) => id));
  for (const { id, name } of roles) names.set(id, text(name));
  for (const sent of list(answer.users)) {
    const person = readPerson(sent, names, unreadIds);
    if (unreadIds.has(sent.rootRole)) notes.push({ about: `user ${nameOfPerson(person)}`, text: VIEWER_INSTEAD });
    if (sent.accountType !== 'Service Account') people.users.push(person);
    else
      notes.push({
        about: `service account ${person.username ?? person.name}`,
        text: 'create a new one: its tokens cannot be read',
      });
  }
  for (const role of roles) {
    if (role.type !== 'custom' && role.type !== 'root-custom') continue;
    const sent = object(await client.getIfThere(`/api/admin/roles/${whole(role.id, 0)}`));
    people.roles.push({
      ...{ name: text(role.name), description: text(role.description), type: role.type },
      permissions: list(sent.permissions).map(readPermission),
    });
  }
  for (const { id, name, description, mappingsSSO, rootRole, users } of await readGroups(client)) {
    people.groups.push({
      ...{ id: whole(id, 0), name: text(name), description: textOrNull(description), mappingsSSO: texts(mappingsSSO) },
      rootRole: names.get(rootRole) ?? null,
      members: list(users).map(({ user }) => whole(object(user).id, 0)),
    });
  }
  for (const { id, archivedAt } of projects) if (archivedAt == null) await readAccess(client, people, id);
}

const ROLE_UNREAD =
  'this edition does not show its permissions: create the role here, and assign it to the people who have it there';
const VIEWER_INSTEAD = 'their root role cannot be read: they are imported as Viewer';

function readPerson(
  { id, name, email, username, rootRole }: Loose,
  roles: ReadonlyMap<unknown, string>,
  unread: ReadonlySet<unknown>,
): Person {
  return {
    ...{ id: whole(id, 0), name: textOrNull(name), email: textOrNull(email), username: textOrNull(username) },
    rootRole: unread.has(rootRole) ? 'Viewer' : (roles.get(rootRole) ?? 'Viewer'),
  };
}

function readPermission({ name, permission, environment }: Loose) {
  const where = textOrNull(environment);
  return { name: text(name) || text(permission), ...(where && { environment: where }) };
}

async function readGroups(client: InstanceClient): Promise<readonly Loose[]> {
  return list(object(await client.getIfThere('/api/admin/groups')).groups);
}

async function readAccess(client: InstanceClient, { access }: Holdings['people'], project: string): Promise<void> {
  const sent = object(await client.getIfThere(`/api/admin/projects/${encodeURIComponent(project)}/access`));
  const names = new Map(list(sent.roles).map(({ id, name }) => [id, text(name)]));
  for (const kind of ['user', 'group'] as const) {
    for (const { id, roles, roleId } of list(sent[`${kind}s`])) {
      const held = Array.isArray(roles) ? roles : [roleId];
      const known = held.map((role) => names.get(role)).filter((name) => name !== undefined);
      if (known.length > 0) access.push({ project, kind, holder: whole(id, 0), roles: known });
    }
  }
}
