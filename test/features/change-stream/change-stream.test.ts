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

const service = useService();
let flags: Flags;
const open: { close(): void }[] = [];

beforeAll(async () => {
  flags = new Flags(service);
});

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

async function follow(headers: Record<string, string>, lastEventId?: string): Promise<EventStream<CommitData>> {
  const resumed = lastEventId === undefined ? headers : { ...headers, 'last-event-id': lastEventId };
  const stream = await EventStream.open<CommitData>(`${service.url}/api/admin/changes`, resumed);
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
    // A client that missed the commits gets only those that it may see now.
    const resumed = await follow(await browserOf(service, 4_001), everything.events[0]?.id);
    await untilSeen(resumed, last);
    expect(entitiesOf(resumed).map(({ id }) => id)).toEqual([shown, last]);
  });

  it('sends each of two users exactly what they may see, while their rights change at random', async () => {
    await flags.call('createProject', {}, { id: 'closed', name: 'Closed', mode: 'private' });
    const people = [4_011, 4_012].map((id) => ({ id, sees: false }));
    for (const { id } of people) await putUser(service, id, { rootRole: 3 });
    const streams = await Promise.all(people.map(async ({ id }) => await follow(await browserOf(service, id))));
    for (const stream of streams) await stream.until(() => stream.events.length > 0);
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
      const marker = await flags.create();
      for (const [index, stream] of streams.entries()) {
        await untilSeen(stream, marker);
        const ids = entitiesOf(stream).map(({ id }) => id);
        const sinceLastStep = ids.splice(0).slice(0, -1);
        expect(sinceLastStep.includes(touched), `step ${step}, user ${index}, ${touched}`).toBe(people[index]?.sees);
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
