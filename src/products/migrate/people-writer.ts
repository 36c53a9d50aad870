import type { InstanceClient } from './instance-client.ts';
import { list, object, text, textOrNull, texts, whole } from './loose-json.ts';
import type { MadeRole, People, PeopleAccess, PeopleGroup, Person } from './people.ts';
import { nameOfPerson } from './people.ts';
import type { Taking, Took } from './taker.ts';

/** A link with which a user sets a password. */
export interface Invite {
  readonly name: string;
  readonly link: string;
}

/**
 * Imports people, roles, groups and roles in projects through the admin API. People are matched by email, otherwise by
 * username. No user is removed and no user loses a role.
 */
export async function takePeople(client: InstanceClient, people: People, taking: Taking): Promise<Invite[]> {
  if (people.users.length + people.roles.length + people.groups.length === 0) return [];
  return new PeopleWriter(client, taking).write(people);
}

type Reported = Readonly<Record<string, unknown>>;

class PeopleWriter {
  readonly #client: InstanceClient;
  readonly #taking: Taking;
  readonly #roles = new Map<string, number>();
  /** Maps the ids of users in the source to their ids in the target. */
  readonly #users = new Map<number, number>();
  readonly #groups = new Map<number, number>();
  readonly #invites: Invite[] = [];

  constructor(client: InstanceClient, taking: Taking) {
    this.#client = client;
    this.#taking = taking;
  }

  async write({ users, roles, groups, access }: People): Promise<Invite[]> {
    const known = list(object(await this.#client.get('/api/admin/roles')).roles);
    for (const { id, name } of known) this.#roles.set(text(name), whole(id, 0));
    for (const role of roles) await this.#role(role);
    const here = list(object(await this.#client.get('/api/admin/user-admin')).users);
    for (const person of users) await this.#person(person, here);
    const present = list(object(await this.#client.get('/api/admin/groups')).groups);
    for (const group of groups) await this.#group(group, present);
    for (const [project, those] of groupBy(access, ({ project }) => project)) await this.#access(project, those);
    return this.#invites;
  }

  async #role(role: MadeRole): Promise<void> {
    const { name, type } = role;
    const id = this.#roles.get(name);
    if (id === undefined) {
      const made = await this.#send('roles', name, 'POST', '/api/admin/roles', role);
      if (made) this.#roles.set(name, whole(object(made.roles).id, 0));
      return;
    }
    const sent = object(await this.#client.get(`/api/admin/roles/${id}`));
    if (sent.type !== type)
      return this.#refuse('roles', name, `here a role of the type ${text(sent.type)} has this name`);
    const plain = (permissions: readonly { name: unknown; environment?: unknown }[]) =>
      permissions
        .map(({ name: permission, environment }) => `${permission} ${environment ?? ''}`)
        .sort()
        .join();
    const isSame =
      text(sent.description) === role.description &&
      plain(
        list(sent.permissions).map((each) => ({ name: each.name ?? each.permission, environment: each.environment })),
      ) === plain(role.permissions);
    if (isSame) this.#taking.unchanged++;
    else await this.#send('roles', name, 'PUT', `/api/admin/roles/${id}`, role, ['permissions']);
  }

  async #person(person: Person, here: readonly Reported[]): Promise<void> {
    const name = nameOfPerson(person);
    const rootRole = this.#roles.get(person.rootRole);
    if (rootRole === undefined) return this.#refuse('users', name, `the role ${person.rootRole} is not here`);
    const same = here.find(
      ({ email, username }) =>
        isSameName(email, person.email) || (!person.email && isSameName(username, person.username)),
    );
    if (same) {
      const id = whole(same.id, 0);
      this.#users.set(person.id, id);
      // An existing user keeps the root role of the target: the admin who runs the migration must not lose theirs.
      this.#taking.unchanged++;
      return;
    }
    const { email, username } = person;
    const body = {
      ...(person.name !== null && { name: person.name }),
      ...(email !== null && { email }),
      ...(username !== null && { username }),
      ...{ rootRole, sendEmail: false },
    };
    const made = await this.#send('users', name, 'POST', '/api/admin/user-admin', body);
    if (!made) return;
    this.#users.set(person.id, whole(made.id, 0));
    const link = textOrNull(made.inviteLink);
    if (link) this.#invites.push({ name, link });
  }

  async #group(group: PeopleGroup, present: readonly Reported[]): Promise<void> {
    const { name, description, mappingsSSO, members } = group;
    const users = members.map((id) => this.#users.get(id)).filter((id) => id !== undefined);
    const rootRole = group.rootRole === null ? null : this.#roles.get(group.rootRole);
    if (rootRole === undefined) return this.#refuse('groups', name, `the role ${group.rootRole} is not here`);
    const same = present.find((each) => each.name === name);
    const there = list(same?.users).map(({ user }) => whole(object(user).id, 0));
    const all = [...new Set([...there, ...users])].sort((left, right) => left - right);
    const body = { name, description, mappingsSSO, rootRole, users: all.map((id) => ({ user: { id } })) };
    if (same) this.#groups.set(group.id, whole(same.id, 0));
    const isSame =
      same !== undefined &&
      all.length === there.length &&
      textOrNull(same.description) === description &&
      (same.rootRole ?? null) === rootRole &&
      texts(same.mappingsSSO).sort().join() === [...mappingsSSO].sort().join();
    if (isSame) return void this.#taking.unchanged++;
    const path = same ? `/api/admin/groups/${whole(same.id, 0)}` : '/api/admin/groups';
    const made = await this.#send('groups', name, same ? 'PUT' : 'POST', path, body, same && ['members']);
    if (made && !same) this.#groups.set(group.id, whole(made.id, 0));
  }

  async #access(project: string, those: readonly PeopleAccess[]): Promise<void> {
    const path = `/api/admin/projects/${encodeURIComponent(project)}`;
    const answer = await this.#client.getIfThere(`${path}/access`);
    if (answer === undefined) return;
    for (const { kind, holder, roles } of those) {
      const id = (kind === 'user' ? this.#users : this.#groups).get(holder);
      const wanted = roles.map((role) => this.#roles.get(role)).filter((role) => role !== undefined);
      if (id === undefined || wanted.length === 0) continue;
      const held = list(object(answer)[`${kind}s`]).find((each) => each.id === id);
      const has = Array.isArray(held?.roles) ? (held.roles as number[]) : [];
      const all = [...new Set([...has, ...wanted])].sort((left, right) => left - right);
      const name = `${kind} ${id} in ${project}`;
      if (all.length === has.length) this.#taking.unchanged++;
      else
        await this.#send(
          'access',
          name,
          'PUT',
          `${path}/${kind}s/${id}/roles`,
          { roles: all },
          has.length > 0 ? ['roles'] : undefined,
        );
    }
  }

  async #send(
    kind: Took['kind'],
    name: string,
    method: string,
    path: string,
    body: unknown,
    changed?: readonly string[],
  ): Promise<Reported | undefined> {
    const reply = await this.#client.ask(method, path, body);
    const sent = reply.text === '' ? {} : object(JSON.parse(reply.text));
    if (reply.status >= 300) {
      this.#refuse(kind, name, text(sent.message) || String(reply.status));
      return undefined;
    }
    this.#taking.items.push({ kind, name, ...(changed ? { outcome: 'changed', changed } : { outcome: 'created' }) });
    return sent;
  }

  #refuse(kind: Took['kind'], name: string, reason: string): void {
    this.#taking.items.push({ kind, name, outcome: 'refused', reason });
  }
}

function isSameName(here: unknown, there: string | null): boolean {
  return there !== null && typeof here === 'string' && here.trim().toLowerCase() === there.trim().toLowerCase();
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
