import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Mulberry32 } from '../../../src/base/mulberry32.ts';
import type { ApiToken } from '../../../src/model/api-token.ts';
import { prepare } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { EventStream } from '../../support/http/event-stream.ts';
import { browserOf, personalTokenOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, useService } from '../../support/service.ts';

interface Entity {
  readonly type: string;
  readonly id: string;
  readonly project: string | null;
  readonly environments: readonly string[];
}

interface CommitData {
  readonly revision: number;
  readonly at: string;
  readonly author: { readonly id: number; readonly name: string };
  readonly entities: readonly Entity[];
  readonly more: boolean;
}

/** What a stream sends of the index, and an answer of the index. */
interface Index {
  readonly revision: string;
  readonly removed: readonly string[];
  readonly blocks: readonly { readonly names: string; readonly shared: string; readonly states: readonly string[] }[];
  readonly favorites: readonly string[];
}

/** The states of the flags after all answers. */
function rowsOf(answers: readonly Index[]): Map<string, string> {
  const rows = new Map<string, string>();
  for (const { removed, blocks } of answers) {
    for (const name of removed) rows.delete(name);
    for (const { names, shared, states } of blocks) {
      let name = '';
      for (const [at, rest] of names.split(' ').entries()) {
        name = name.slice(0, shared.charCodeAt(at) - 48) + rest;
        rows.set(name, states.map((column) => column[at]).join(''));
      }
    }
  }
  return rows;
}

const service = useService();
let flags: Flags;
const open: { close(): void }[] = [];

beforeAll(async () => {
  flags = new Flags(service);
});

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

async function follow(
  headers: Record<string, string>,
  lastEventId?: string,
  query = '',
): Promise<EventStream<CommitData>> {
  const resumed = lastEventId === undefined ? headers : { ...headers, 'last-event-id': lastEventId };
  const stream = await EventStream.open<CommitData>(`${service.url}/api/admin/changes${query}`, resumed);
  open.push(stream);
  return stream;
}

async function admin(): Promise<EventStream<CommitData>> {
  const stream = await follow({ authorization: ADMIN_TOKEN });
  await stream.until(() => stream.events.length > 0);
  return stream;
}

/** The entities of all commits that the stream has received. */
function entitiesOf({ events }: EventStream<CommitData>): readonly Entity[] {
  return events.filter(({ event }) => event === 'commit').flatMap(({ data }) => data.entities);
}

/** Waits until the stream has an entity with this id. Commits arrive in order, so all earlier ones have arrived then. */
function untilSeen(stream: EventStream<CommitData>, id: string): Promise<void> {
  return stream.until(() => entitiesOf(stream).some((entity) => entity.id === id));
}

describe('GET /api/admin/changes', () => {
  it('sends the revision first, then each commit with its author, entities and environments', async () => {
    const stream = await admin();
    expect(stream.events[0]).toMatchObject({ event: 'connected', data: { revision: flags.state.seq } });
    const featureName = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName, environment: 'development' });
    await stream.until(() => stream.events.length > 2);
    const [, created, toggled] = stream.events;
    expect(created?.data.entities).toEqual([
      { type: 'feature', id: featureName, project: 'default', environments: [] },
    ]);
    expect(toggled).toMatchObject({
      event: 'commit',
      id: String(flags.state.seq),
      data: {
        revision: flags.state.seq,
        entities: [{ type: 'feature', id: featureName, project: 'default', environments: ['development'] }],
        more: false,
      },
    });
    expect(toggled?.data.author).toEqual({ id: expect.any(Number), name: expect.any(String) });
    expect(Date.parse(toggled?.data.at ?? '')).toBeGreaterThan(0);
  });

  it('continues after the Last-Event-ID, and begins anew with an id that is unknown or of another history', async () => {
    const first = await admin();
    first.close();
    const missed = [await flags.create(), await flags.create()];
    const again = await follow({ authorization: ADMIN_TOKEN }, first.last.id);
    await untilSeen(again, missed[1] as string);
    expect(again.events.map(({ event }) => event)).toEqual(['commit', 'commit']);
    expect(entitiesOf(again).map(({ id }) => id)).toEqual(missed);
    for (const unknown of [String(flags.state.seq + 5), 'x', `${flags.state.seq}.other`]) {
      const anew = await follow({ authorization: ADMIN_TOKEN }, unknown);
      await anew.until(() => anew.events.length > 0);
      expect(anew.events[0]?.event, unknown).toBe('connected');
    }
  });

  it('begins after the revision of an answer, and anew if it is of the future', async () => {
    const before = (await fetch(`${service.url}/api/admin/user`, { headers: { authorization: ADMIN_TOKEN } })).headers;
    const missed = await flags.create();
    const stream = await follow({ authorization: ADMIN_TOKEN }, undefined, `?since=${before.get('burgee-revision')}`);
    await untilSeen(stream, missed);
    expect(stream.events.map(({ event }) => event)).toEqual(['commit']);
    const current = await follow({ authorization: ADMIN_TOKEN }, undefined, `?since=${flags.state.seq}`);
    const next = await flags.create();
    await untilSeen(current, next);
    expect(current.events.map(({ event }) => event)).toEqual(['commit']);
    const later = await follow({ authorization: ADMIN_TOKEN }, undefined, `?since=${flags.state.seq + 9}`);
    await later.until(() => later.events.length > 0);
    expect(later.events[0]?.event).toBe('connected');
  });

  it('answers 401 without a credential and 403 for tokens of SDKs', async () => {
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(`${service.url}/api/admin/changes`, { headers })).status;
    expect(await statusOf({})).toBe(401);
    expect(await statusOf({ authorization: CLIENT_TOKEN })).toBe(403);
  });

  it('never sends what a user may not see, also when their rights change in between', async () => {
    await flags.call('createProject', {}, { id: 'secret', name: 'Secret', mode: 'private' });
    await putUser(service, 4_001, { rootRole: 3 });
    const person = await follow(await browserOf(service, 4_001));
    const everything = await admin();
    const hidden = await flags.create({}, 'secret');
    const shown = await flags.create();
    await untilSeen(person, shown);
    await untilSeen(everything, shown);
    expect(entitiesOf(person).map(({ id }) => id)).toEqual([shown]);
    expect(entitiesOf(everything).map(({ id }) => id)).toContain(hidden);

    const role = { projectId: 'secret', id: 4_001 };
    await flags.call('setRolesForProjectUser', role, { roles: [5] });
    const second = await flags.create({}, 'secret');
    await untilSeen(person, second);
    await flags.call('removeAccessOfProjectUser', role);
    const third = await flags.create({}, 'secret');
    const last = await flags.create();
    await untilSeen(person, last);
    const seen = entitiesOf(person).map(({ id }) => id);
    expect(seen).not.toContain(third);
    // The stream begins anew when the rights change, and for a client that missed such a change.
    expect(person.events.filter(({ event }) => event === 'connected')).toHaveLength(3);
    const resumed = await follow(await browserOf(service, 4_001), everything.events[0]?.id);
    await resumed.until(() => resumed.events.length > 0);
    expect(resumed.events[0]?.event).toBe('connected');
    // A client that missed only other commits gets those that it may see.
    const since = person.last.id;
    await flags.create({}, 'secret');
    const newest = await flags.create();
    const continued = await follow(await browserOf(service, 4_001), since);
    await untilSeen(continued, newest);
    expect(continued.events[0]?.event).toBe('commit');
    expect(entitiesOf(continued).map(({ id }) => id)).toEqual([newest]);
  });

  it.each([
    [
      'a role in the project',
      0,
      (den: string) => flags.call('removeAccessOfProjectUser', { projectId: den, id: 4_031 }),
    ],
    ['the root role', 1, () => flags.call('updateUser', { id: 4_032 }, { rootRole: 3 })],
    [
      'a group',
      2,
      (_den: string, groupId: number) => flags.call('updateGroup', { groupId }, { name: 'Left', users: [] }),
    ],
    [
      'the role of a group',
      2,
      (den: string, id: number) => flags.call('removeAccessOfProjectGroup', { projectId: den, id }),
    ],
    [
      'an open project',
      'all',
      (_den: string, _group: number, lobby: string) =>
        flags.call('updateProject', { projectId: lobby }, { name: 'Lobby', mode: 'private' }),
    ],
  ] as const)('begins anew for who loses %s, and for no other person', async (what, loser, lose) => {
    const [den, lobby] = [`den-${what.length}`, `lobby-${what.length}`];
    await flags.call('createProject', {}, { id: den, name: den, mode: 'private' });
    await flags.call('createProject', {}, { id: lobby, name: lobby });
    const people = [4_031, 4_032, 4_033, 4_034];
    for (const id of people) await putUser(service, id, { rootRole: id === 4_032 ? 2 : 3 });
    await flags.call('setRolesForProjectUser', { projectId: den, id: 4_031 }, { roles: [5] });
    const made = await flags.call('createGroup', {}, { name: `Who has ${what}`, users: [{ user: { id: 4_033 } }] });
    const { id: group } = made.body as { id: number };
    await flags.call('setRolesForProjectGroup', { projectId: den, id: group }, { roles: [5] });
    const streams = await Promise.all(people.map(async (id) => await follow(await browserOf(service, id))));
    for (const stream of streams) await stream.until(() => stream.events.length > 0);
    const begun = ({ events }: EventStream<CommitData>) => events.filter(({ event }) => event === 'connected').length;
    const expected = people.map((_id, index) => (loser === 'all' || index === loser ? 2 : 1));
    await lose(den, group, lobby);
    for (const [index, stream] of streams.entries()) await stream.until(() => begun(stream) === expected[index]);
    const marker = await flags.create();
    for (const stream of streams) await untilSeen(stream, marker);
    expect(streams.map(begun)).toEqual(expected);
  });

  it('sends with the flags what a request for the differences of the index answers, to each person what they see', async () => {
    await flags.call('createProject', {}, { id: 'cellar', name: 'Cellar', mode: 'private' });
    for (const id of [4_041, 4_042, 4_043]) await putUser(service, id, { rootRole: id === 4_043 ? 2 : 3 });
    await flags.call('setRolesForProjectUser', { projectId: 'cellar', id: 4_041 }, { roles: [5] });
    const people = await Promise.all([4_041, 4_042, 4_043].map((id) => browserOf(service, id)));
    const url = `${service.url}/api/admin/flag-index?fields=details`;
    const revisions: string[] = [];
    for (const headers of people) {
      const answer = await fetch(url, { headers });
      await answer.text();
      revisions.push(answer.headers.get('burgee-index-revision') ?? '');
    }
    const streams = await Promise.all(people.map((headers) => follow(headers, undefined, '?flags=details')));
    for (const stream of streams) await stream.until(() => stream.events.length > 0);
    const [hidden, shown] = [await flags.create({}, 'cellar'), await flags.create({ description: 'Seen' })];
    const favorites = `${service.url}/api/admin/projects/default/features/${shown}/favorites`;
    expect((await fetch(favorites, { method: 'POST', headers: people[1] ?? {} })).status).toBe(200);
    const namesOf = (index: number) =>
      streams[index]?.events.flatMap(({ event, data }) =>
        event === 'flags' ? (data as unknown as Index).blocks.flatMap(({ names }) => names.split(' ')) : [],
      );
    await flags.call('toggleFeatureEnvironmentOn', { featureName: shown, environment: 'production' });
    await flags.call('changeProject', { projectId: 'default', featureName: shown }, { newProjectId: 'cellar' });
    const last = await flags.create();
    for (const [index, stream] of streams.entries()) {
      await untilSeen(stream, last);
      const sees = index !== 1;
      expect(namesOf(index)?.includes(hidden)).toBe(sees);
      expect(namesOf(index)).toContain(shown);
      const sent = stream.events.filter(({ event }) => event === 'flags').map(({ data }) => data as unknown as Index);
      expect(sent.some(({ removed }) => removed.includes(shown))).toBe(!sees);
      const answer = await fetch(`${url}&since=${revisions[index]}`, { headers: people[index] ?? {} });
      const asked = (await answer.json()) as Index;
      expect(sent.at(-1)?.revision).toBe(answer.headers.get('burgee-index-revision'));
      expect(rowsOf(sent)).toEqual(rowsOf([asked]));
      expect(sent.at(-1)?.favorites).toEqual(asked.favorites);
      // Who reads a commit has its flags.
      const at = stream.events.findIndex(({ event }) => event === 'commit');
      expect(stream.events[at - 1]?.event).toBe('flags');
    }
  });

  it('sends null for the flags of a commit that changed many, and nothing to who did not ask for flags', async () => {
    const stream = await follow({ authorization: ADMIN_TOKEN }, undefined, '?flags=details');
    const plain = await admin();
    await stream.until(() => stream.events.length > 0);
    const features = await Promise.all(Array.from({ length: 21 }, () => flags.create()));
    for (const name of features) await untilSeen(stream, name);
    stream.events.length = 0;
    await flags.call('staleFeatures', {}, { features, stale: true });
    const last = await flags.create();
    await untilSeen(stream, last);
    await untilSeen(plain, last);
    expect(stream.events.find(({ event }) => event === 'flags')?.data).toBe(null);
    expect(plain.events.some(({ event }) => event === 'flags')).toBe(false);
  });

  it('sends each of two users exactly what they may see, while their rights change at random', async () => {
    await flags.call('createProject', {}, { id: 'closed', name: 'Closed', mode: 'private' });
    const people = [4_011, 4_012].map((id) => ({ id, sees: false }));
    for (const { id } of people) await putUser(service, id, { rootRole: 3 });
    const streams = await Promise.all(people.map(async ({ id }) => await follow(await browserOf(service, id))));
    for (const stream of streams) {
      await stream.until(() => stream.events.length > 0);
      stream.events.length = 0;
    }
    const random = new Mulberry32(26);
    const existing: string[] = [];
    for (let step = 0; step < 60; step++) {
      const chosen = Math.floor(random.next() * 3);
      const person = people[chosen];
      let touched: string;
      if (person && random.next() < 0.4) {
        touched = 'closed';
        const location = { projectId: 'closed', id: person.id };
        if (person.sees) await flags.call('removeAccessOfProjectUser', location);
        else await flags.call('setRolesForProjectUser', location, { roles: [5] });
        person.sees = !person.sees;
      } else {
        const known = existing[Math.floor(random.next() * existing.length)];
        touched = known ?? (await flags.create({}, 'closed'));
        const location = { projectId: 'closed', featureName: touched, environment: 'development' };
        if (known !== undefined && random.next() < 0.5)
          await flags.call('addFeatureStrategy', location, { name: 'default' });
        else if (known !== undefined) touched = await flags.create({}, 'closed');
        if (!existing.includes(touched)) existing.push(touched);
      }
      // Who has other rights is not sent what has changed: their stream begins anew, and they read everything again.
      const hasOtherRights = (index: number) => touched === 'closed' && index === chosen;
      const begins = (index: number) => streams[index]?.events.some(({ event }) => event === 'connected') ?? false;
      for (const index of streams.keys()) if (hasOtherRights(index)) await streams[index]?.until(() => begins(index));
      const marker = await flags.create();
      for (const [index, stream] of streams.entries()) {
        await untilSeen(stream, marker);
        const ids = entitiesOf(stream).map(({ id }) => id);
        const sinceLastStep = ids.splice(0).slice(0, -1);
        const isNamed = people[index]?.sees === true && !hasOtherRights(index);
        expect(sinceLastStep.includes(touched), `step ${step}, user ${index}, ${touched}`).toBe(isNamed);
        expect(begins(index)).toBe(hasOtherRights(index));
        stream.events.length = 0;
      }
    }
  });

  it('names a flag that moved for the callers of both projects', async () => {
    await flags.call('createProject', {}, { id: 'hall', name: 'Hall' });
    const stream = await admin();
    const featureName = await flags.create();
    await flags.call('changeProject', { projectId: 'default', featureName }, { newProjectId: 'hall' });
    await stream.until(() => entitiesOf(stream).some(({ id, project }) => id === featureName && project === 'hall'));
    const moved = stream.last.data.entities.filter(({ id }) => id === featureName);
    expect(moved.map(({ project }) => project)).toEqual(['hall', 'default']);
  });

  it('sends changes of people and tokens only to admins, and never a secret', async () => {
    await putUser(service, 4_002, { rootRole: 2 });
    const editor = await follow({ authorization: await personalTokenOf(service, 4_002) });
    const everything = await admin();
    const user = (await flags.call('createUser', {}, { email: 'new@example.com', rootRole: 3 })).body as { id: number };
    const token = { tokenName: 'streamed-token', type: 'client', environment: 'development', projects: ['*'] };
    const { secret } = (await flags.call('createApiToken', {}, token)).body as { secret: string };
    const last = await flags.create();
    await untilSeen(editor, last);
    await untilSeen(everything, last);
    expect(entitiesOf(editor).map(({ type }) => type)).toEqual(['feature']);
    const ids = entitiesOf(everything).map(({ type, id }) => `${type} ${id}`);
    expect(ids).toEqual(expect.arrayContaining([`user ${user.id}`, 'api-token streamed-token']));
    expect(JSON.stringify(everything.events)).not.toContain(secret);
  });

  it('sends nothing when a token is used or a person signs on', async () => {
    const stream = await admin();
    const user = await putUser(service, 4_020, { rootRole: 2 });
    await untilSeen(stream, String(user.id));
    stream.events.length = 0;
    const seen = { ...user, seenAt: '2026-02-01T00:00:00.000Z', loginAttempts: 2 };
    await prepare(service, (draft) => draft.put('users', seen));
    await prepare(service, (draft) => draft.put('users', { ...seen, name: 'Another' }));
    await untilSeen(stream, String(user.id));
    expect(stream.events).toHaveLength(1);
  });

  it('sends nothing when a warning of the expiry of a token is recorded', async () => {
    const stream = await admin();
    const token: ApiToken = {
      secret: '*:development.warned',
      tokenName: 'warned',
      type: 'client',
      environment: 'development',
      projects: ['*'],
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-03-01T00:00:00.000Z',
      seenAt: '2026-02-01T00:00:00.000Z',
      alias: null,
    };
    await prepare(service, (draft) => draft.put('apiTokens', token));
    await untilSeen(stream, 'warned');
    stream.events.length = 0;
    const warned = { ...token, expiryWarning: { expiresAt: '2026-03-01T00:00:00.000Z', days: 7 } };
    await prepare(service, (draft) => draft.put('apiTokens', warned));
    await prepare(service, (draft) => draft.put('apiTokens', { ...warned, expiresAt: null }));
    await untilSeen(stream, 'warned');
    const marker = await flags.create();
    await untilSeen(stream, marker);
    expect(entitiesOf(stream).map(({ id }) => id)).toEqual(['warned', marker]);
  });

  it('ends with the session', async () => {
    await putUser(service, 4_003, {});
    const stream = await follow(await browserOf(service, 4_003));
    await stream.until(() => stream.events.length > 0);
    await flags.call('deleteUser', { id: 4_003 });
    await stream.end();
    expect(stream.ended).toBe(true);
  });

  it('names at most 100 entities of a commit, and says that there are more', async () => {
    const stream = await admin();
    const names = Array.from({ length: 120 }, (_, index) => `many-${index}`);
    const features = names.map((name) => ({ name, type: 'release' }));
    const data = {
      features,
      featureStrategies: [],
      featureEnvironments: [],
      contextFields: [],
      featureTags: [],
      segments: [],
    };
    await flags.call('importFeatures', {}, { project: 'default', environment: 'development', data });
    await stream.until(() => stream.events.some(({ data: { more } }) => more));
    expect(stream.last.data.entities).toHaveLength(100);
  });

  it('sends who looks at a flag and who edits it, until the page is closed', async () => {
    await flags.call('createProject', {}, { id: 'rooms', name: 'Rooms', mode: 'private' });
    await putUser(service, 4_031, { rootRole: 2, name: 'Anna', email: 'anna@example.com' });
    await putUser(service, 4_032, { rootRole: 3 });
    const [anna, viewer] = [await browserOf(service, 4_031), await browserOf(service, 4_032)];
    const [shown, hidden] = [await flags.create(), await flags.create({}, 'rooms')];
    expect(await report(anna, 'a', { type: 'feature', id: hidden, mode: 'editing' })).toBe(200);
    expect(await report(anna, 'b', { type: 'feature', id: shown, mode: 'viewing' })).toBe(200);
    // A person who joins later is sent the people who are there already, if they may see the entity.
    const stream = await EventStream.open<PresenceData>(`${service.url}/api/admin/changes`, viewer);
    open.push(stream);
    await stream.until(() => stream.events.length > 1);
    const people = [{ id: 4_031, name: 'anna@example.com', mode: 'viewing' }];
    expect(stream.last.data).toEqual({ type: 'feature', id: shown, project: 'default', people });
    await report(anna, 'c', { type: 'feature', id: shown, mode: 'editing' });
    await stream.until(() => stream.last.data.people?.[0]?.mode === 'editing');
    await report(anna, 'b');
    await report(anna, 'c');
    await stream.until(() => stream.last.data.people?.length === 0);
    expect(JSON.stringify(stream.events)).not.toContain(hidden);
    expect(await report(viewer, 'd', { type: 'feature', id: hidden, mode: 'viewing' })).toBe(404);
    expect(await report(viewer, 'd', { type: 'feature', id: 'no-such-flag', mode: 'viewing' })).toBe(404);
    expect(await report(viewer, 'd', { type: 'user', id: '1', mode: 'viewing' })).toBe(400);
  });

  it('limits the open pages of one person', async () => {
    await putUser(service, 4_033, { rootRole: 3 });
    const headers = await browserOf(service, 4_033);
    const statuses: number[] = [];
    for (let page = 0; page < 51; page++)
      statuses.push(await report(headers, String(page), { type: 'project', id: 'default', mode: 'viewing' }));
    expect(statuses).toEqual([...Array(50).fill(200), 429]);
  });
});

interface PresenceData {
  readonly type: string;
  readonly people?: readonly { readonly id: number; readonly name: string; readonly mode: string }[];
}

/** Reports what the page shows; without a body, that the page was closed. Returns the status. */
async function report(headers: Record<string, string>, page: string, body?: object): Promise<number> {
  const answer = await fetch(`${service.url}/api/admin/presence/${page}`, {
    method: body ? 'PUT' : 'DELETE',
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.status;
}
