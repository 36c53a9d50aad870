import type { MigratedItem, MigrationResult } from './importer.ts';
import type { InstanceClient } from './instance-client.ts';
import { integer, list, object, text, textOrNull, texts } from './loose-json.ts';
import type { CustomRole, People, PeopleAccess, PeopleGroup, Person } from './people.ts';
import { nameOfPerson } from './people.ts';

/** A link with which a user sets the first password. */
export interface Invite {
  readonly name: string;
  readonly link: string;
}

/**
 * Imports people, roles, groups and roles in projects through the admin API. A person is matched by email, or by username if the person has no email.
 * No user is removed, and no user loses a role.
 */
export async function importPeople(client: InstanceClient, people: People, result: MigrationResult): Promise<Invite[]> {
  if (people.users.length + people.roles.length + people.groups.length === 0) return [];
  return new PeopleWriter(client, result).write(people);
}

type JsonObject = Readonly<Record<string, unknown>>;

class PeopleWriter {
  readonly #client: InstanceClient;
  readonly #result: MigrationResult;
  readonly #roles = new Map<string, number>();
  /** Maps the ids of users in the source to their ids in the target. */
  readonly #users = new Map<number, number>();
  readonly #groups = new Map<number, number>();
  readonly #invites: Invite[] = [];

  constructor(client: InstanceClient, result: MigrationResult) {
    this.#client = client;
    this.#result = result;
  }

  async write({ users, roles, groups, access }: People): Promise<Invite[]> {
    const known = list(object(await this.#client.get('/api/admin/roles')).roles);
    for (const { id, name } of known) this.#roles.set(text(name), integer(id, 0));
    for (const role of roles) await this.#importRole(role);
    const existingUsers = list(object(await this.#client.get('/api/admin/user-admin')).users);
    for (const person of users) await this.#importPerson(person, existingUsers);
    const existingGroups = list(object(await this.#client.get('/api/admin/groups')).groups);
    for (const group of groups) await this.#importGroup(group, existingGroups);
    for (const [project, entries] of groupBy(access, ({ project }) => project))
      await this.#importAccess(project, entries);
    return this.#invites;
  }

  async #importRole(role: CustomRole): Promise<void> {
    const { name, type } = role;
    const id = this.#roles.get(name);
    if (id === undefined) {
      const created = await this.#send('roles', name, 'POST', '/api/admin/roles', role);
      if (created) this.#roles.set(name, integer(object(created.roles).id, 0));
      return;
    }
    const sent = object(await this.#client.get(`/api/admin/roles/${id}`));
    if (sent.type !== type)
      return this.#refuse('roles', name, `this service has a role of the type ${text(sent.type)} with this name`);
    const permissionsText = (permissions: readonly { name: unknown; environment?: unknown }[]) =>
      permissions
        .map(({ name: permission, environment }) => `${permission} ${environment ?? ''}`)
        .sort()
        .join();
    const isSame =
      text(sent.description) === role.description &&
      permissionsText(
        list(sent.permissions).map((each) => ({ name: each.name ?? each.permission, environment: each.environment })),
      ) === permissionsText(role.permissions);
    if (isSame) this.#result.unchanged++;
    else await this.#send('roles', name, 'PUT', `/api/admin/roles/${id}`, role, ['permissions']);
  }

  async #importPerson(person: Person, existingUsers: readonly JsonObject[]): Promise<void> {
    const name = nameOfPerson(person);
    const rootRole = this.#roles.get(person.rootRole);
    if (rootRole === undefined) return this.#refuse('users', name, `this service has no role ${person.rootRole}`);
    const existing = existingUsers.find(
      ({ email, username }) =>
        isSameName(email, person.email) || (!person.email && isSameName(username, person.username)),
    );
    if (existing) {
      const id = integer(existing.id, 0);
      this.#users.set(person.id, id);
      // An existing user keeps the root role of the target, so that the admin who runs the migration stays an admin.
      this.#result.unchanged++;
      return;
    }
    const { email, username } = person;
    const body = {
      ...(person.name !== null && { name: person.name }),
      ...(email !== null && { email }),
      ...(username !== null && { username }),
      rootRole,
      sendEmail: false,
    };
    const created = await this.#send('users', name, 'POST', '/api/admin/user-admin', body);
    if (!created) return;
    this.#users.set(person.id, integer(created.id, 0));
    const link = textOrNull(created.inviteLink);
    if (link) this.#invites.push({ name, link });
  }

  async #importGroup(group: PeopleGroup, existingGroups: readonly JsonObject[]): Promise<void> {
    const { name, description, mappingsSSO, members } = group;
    const users = members.map((id) => this.#users.get(id)).filter((id) => id !== undefined);
    const rootRole = group.rootRole === null ? null : this.#roles.get(group.rootRole);
    if (rootRole === undefined) return this.#refuse('groups', name, `this service has no role ${group.rootRole}`);
    const existing = existingGroups.find((each) => each.name === name);
    const memberIds = list(existing?.users).map(({ user }) => integer(object(user).id, 0));
    const all = [...new Set([...memberIds, ...users])].sort((left, right) => left - right);
    const body = { name, description, mappingsSSO, rootRole, users: all.map((id) => ({ user: { id } })) };
    if (existing) this.#groups.set(group.id, integer(existing.id, 0));
    const isSame =
      existing !== undefined &&
      all.length === memberIds.length &&
      textOrNull(existing.description) === description &&
      (existing.rootRole ?? null) === rootRole &&
      texts(existing.mappingsSSO).sort().join() === [...mappingsSSO].sort().join();
    if (isSame) return void this.#result.unchanged++;
    const path = existing ? `/api/admin/groups/${integer(existing.id, 0)}` : '/api/admin/groups';
    const created = await this.#send('groups', name, existing ? 'PUT' : 'POST', path, body, existing && ['members']);
    if (created && !existing) this.#groups.set(group.id, integer(created.id, 0));
  }

  async #importAccess(project: string, entries: readonly PeopleAccess[]): Promise<void> {
    const path = `/api/admin/projects/${encodeURIComponent(project)}`;
    const answer = await this.#client.getOptional(`${path}/access`);
    if (answer === undefined) return;
    for (const { kind, holder, roles } of entries) {
      const id = (kind === 'user' ? this.#users : this.#groups).get(holder);
      const newRoles = roles.map((role) => this.#roles.get(role)).filter((role) => role !== undefined);
      if (id === undefined || newRoles.length === 0) continue;
      const holderEntry = list(object(answer)[`${kind}s`]).find((each) => each.id === id);
      const currentRoles = Array.isArray(holderEntry?.roles) ? (holderEntry.roles as number[]) : [];
      const all = [...new Set([...currentRoles, ...newRoles])].sort((left, right) => left - right);
      const name = `${kind} ${id} in ${project}`;
      if (all.length === currentRoles.length) this.#result.unchanged++;
      else
        await this.#send(
          'access',
          name,
          'PUT',
          `${path}/${kind}s/${id}/roles`,
          { roles: all },
          currentRoles.length > 0 ? ['roles'] : undefined,
        );
    }
  }

  async #send(
    kind: MigratedItem['kind'],
    name: string,
    method: string,
    path: string,
    body: unknown,
    changed?: readonly string[],
  ): Promise<JsonObject | undefined> {
    const reply = await this.#client.ask(method, path, body);
    const sent = reply.text === '' ? {} : object(JSON.parse(reply.text));
    if (reply.status >= 300) {
      this.#refuse(kind, name, text(sent.message) || String(reply.status));
      return undefined;
    }
    this.#result.items.push({ kind, name, ...(changed ? { outcome: 'changed', changed } : { outcome: 'created' }) });
    return sent;
  }

  #refuse(kind: MigratedItem['kind'], name: string, reason: string): void {
    this.#result.items.push({ kind, name, outcome: 'refused', reason });
  }
}

function isSameName(name: unknown, other: string | null): boolean {
  return other !== null && typeof name === 'string' && name.trim().toLowerCase() === other.trim().toLowerCase();
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
