import { beforeAll, describe, expect, it } from 'vitest';
import { OwnAsker } from '../../../src/base/asking/asker.ts';
import { assert } from '../../../src/base/assert.ts';
import { Rejection } from '../../../src/base/rejection.ts';
import { EventSearch } from '../../../src/features/events/search.ts';
import type { AuditEvent } from '../../../src/model/event.ts';
import { type MemoryFaults, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { accepted, INVALID, MISSING, refused } from '../../support/admin.ts';
import { fillAuditLog } from '../../support/audit-log.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { startTestService, useService } from '../../support/service.ts';

const service = useService();
let all: readonly AuditEvent[];

beforeAll(async () => {
  await putUser(service, 7, { email: 'Erna@example.org', rootRole: 1 });
  const token = await personalTokenOf(service, 7);
  await accepted(service, 'createProject', { body: { id: 'searched', name: 'Searched' } });
  for (const projectId of ['default', 'searched']) {
    for (const name of ['one', 'two']) {
      const flag = { name: `${projectId}-${name}`, description: `The "${name}" of them` };
      await accepted(service, 'createFeature', { params: { projectId }, body: flag, token });
    }
  }
  const params = { projectId: 'searched', featureName: 'searched-one', environment: 'development' };
  await accepted(service, 'toggleFeatureEnvironmentOn', { params });
  all = (await accepted(service, 'getEvents')).body.events;
});

const search = async (body: object) => (await accepted(service, 'searchEvents', { body })).body;
const searchBy = async (query: string) => (await accepted(service, 'searchEventsByQuery', { query })).body;
const ids = ({ events }: { events: readonly { id: number }[] }) => events.map(({ id }) => id);
const having = (wanted: (event: AuditEvent) => boolean) => all.filter(wanted).map(({ id }) => id);

describe('the search over events', () => {
  it('without a filter returns all events, newest first', async () => {
    expect(await search({})).toEqual({ version: 1, totalEvents: all.length, events: all });
    expect(await searchBy('limit=1000')).toEqual({ total: all.length, events: all });
  });

  it('filters by type, project and flag, and is case-sensitive there', async () => {
    const created = having(({ type }) => type === 'feature-created');
    expect(created.length).toBe(4);
    expect(ids(await search({ type: 'feature-created' }))).toEqual(created);
    expect(ids(await search({ project: 'searched' }))).toEqual(having(({ project }) => project === 'searched'));
    const ofFlag = having(({ featureName }) => featureName === 'searched-one');
    expect(ids(await search({ feature: 'searched-one' }))).toEqual(ofFlag);
    const both = await search({ feature: 'searched-one', type: 'feature-created' });
    expect([both.totalEvents, both.events[0].featureName]).toEqual([1, 'searched-one']);
    for (const body of [{ type: 'Feature-Created' }, { project: 'Searched' }, { feature: 'Searched-one' }]) {
      expect(await search(body)).toEqual({ version: 1, totalEvents: 0, events: [] });
    }
    expect(await search({ type: 'no-such-type' })).toMatchObject({ totalEvents: 0 });
  });

  it('finds text in the type, the creator and the data, and is case-insensitive there', async () => {
    expect(ids(await search({ query: 'ENVIRONMENT-ENABLED' }))).toEqual(
      having(({ type }) => type === 'feature-environment-enabled'),
    );
    const byErna = having(({ createdBy }) => createdBy === 'Erna@example.org');
    expect(byErna.length).toBe(4);
    expect(ids(await search({ query: 'erna@EXAMPLE' }))).toEqual(byErna);
    expect(ids(await search({ query: 'The "TWO" of' }))).toEqual(
      having(({ featureName, type }) => /-two$/.test(featureName ?? '') && type === 'feature-created'),
    );
    expect(ids(await search({ query: '"name":"searched-two"' })).length).toBe(1);
    expect(await search({ query: 'nobody wrote this' })).toEqual({ version: 1, totalEvents: 0, events: [] });
    const narrowed = await search({ query: 'erna', project: 'searched', type: 'feature-created' });
    expect(narrowed.totalEvents).toBe(2);
  });

  it('finds text in the names of the flag, the project and the environment, and in the reason', async () => {
    const params = { projectId: 'searched', featureName: 'searched-two', environment: 'development' };
    const headers = { 'burgee-reason': encodeURIComponent('The Slots are empty') };
    await accepted(service, 'toggleFeatureEnvironmentOn', { params, headers });
    all = (await accepted(service, 'getEvents')).body.events;
    expect(ids(await search({ query: 'slots ARE' }))).toEqual(having(({ reason }) => reason === 'The Slots are empty'));
    const ofFlag = having(({ featureName }) => featureName === 'searched-two');
    expect(ofFlag.length).toBeGreaterThan(1);
    expect(ids(await search({ query: 'Searched-Two' }))).toEqual(ofFlag);
    expect(ids(await search({ query: 'searched', type: 'feature-environment-enabled' }))).toEqual(
      having(({ type }) => type === 'feature-environment-enabled'),
    );
    const inDevelopment = having(({ environment, project }) => environment === 'development' && project === 'searched');
    expect(inDevelopment.length).toBeGreaterThan(1);
    expect(ids(await search({ query: 'DEVELOPMENT', project: 'searched' }))).toEqual(
      expect.arrayContaining(inDevelopment),
    );
  });

  it('is paged by the id to start from, with and without text', async () => {
    for (const query of ['', 'e']) {
      const whole = ids(await search({ query }));
      const seen: number[] = [];
      for (let offset = Number.MAX_SAFE_INTEGER; ; ) {
        const page = await search({ query, limit: 3, offset });
        expect(page.totalEvents).toBe(whole.length);
        if (page.events.length === 0) break;
        seen.push(...ids(page));
        offset = (seen.at(-1) ?? 1) - 1;
      }
      expect(seen).toEqual(whole);
    }
  });

  it('by query parameters takes one value, or any of several', async () => {
    expect(ids(await searchBy('type=IS:feature-created'))).toEqual(having(({ type }) => type === 'feature-created'));
    const flags = 'feature=IS_ANY_OF:default-one,searched-two';
    expect(ids(await searchBy(flags))).toEqual(
      having(({ featureName }) => featureName === 'default-one' || featureName === 'searched-two'),
    );
    expect(ids(await searchBy('project=IS:searched&environment=IS:development'))).toEqual(
      having(({ project, environment }) => project === 'searched' && environment === 'development'),
    );
    expect(ids(await searchBy('createdBy=IS_ANY_OF:7,8'))).toEqual(having((event) => event.createdByUserId === 7));
    expect(await searchBy(`createdBy=IS:${2 ** 32 + 7}`)).toEqual({ total: 0, events: [] });
    // The ids of the service itself and of admin tokens.
    const negative = (id: number | null) => id !== null && id < 0;
    const ofTokens = [...new Set(all.map(({ createdByUserId }) => createdByUserId).filter(negative))];
    expect(ofTokens).not.toEqual([]);
    expect(ids(await searchBy(`createdBy=IS_ANY_OF:${ofTokens}`))).toEqual(
      having(({ createdByUserId }) => negative(createdByUserId)),
    );
    const [first = 0, second = 0] = having(() => true);
    expect(ids(await searchBy(`id=IS_ANY_OF:${first},${second},999999`))).toEqual([first, second]);
    expect(ids(await searchBy('groupType=IS:change-request&groupId=IS:1'))).toEqual([]);
    expect(ids(await searchBy('groupType=IS:request'))).toEqual(having(() => true));
    const { revision } = all[0] as AuditEvent;
    expect(ids(await searchBy(`groupType=IS:request&groupId=IS:${revision}`))).toEqual(
      having((event) => event.revision === revision),
    );
    expect(ids(await searchBy('groupId=IS_ANY_OF:x,0,999999'))).toEqual([]);
    expect(ids(await searchBy('query=erna&feature=IS:searched-two'))).toHaveLength(1);
  });

  it('by query parameters takes a first and a last day, and includes both', async () => {
    const today = new Date(all[0]?.createdAt ?? '').toISOString().slice(0, 10);
    const yesterday = new Date(Date.parse(today) - 24 * 3_600_000).toISOString().slice(0, 10);
    const tomorrow = new Date(Date.parse(today) + 24 * 3_600_000).toISOString().slice(0, 10);
    expect((await searchBy(`from=IS:${yesterday}&to=IS:${tomorrow}`)).total).toBe(all.length);
    expect((await searchBy(`from=IS:${tomorrow}`)).total).toBe(0);
    expect((await searchBy('to=IS:2000-01-01')).total).toBe(0);
  });

  it('by query parameters takes a first and a last time of any time zone, and includes both', async () => {
    const { createdAt } = all[0] as AuditEvent;
    const atOf = (offsetMs: number, zone = 'Z') =>
      encodeURIComponent(`IS:${new Date(Date.parse(createdAt) + offsetMs).toISOString().replace('Z', zone)}`);
    const until = all.filter((event) => event.createdAt <= createdAt).length;
    const since = all.filter((event) => event.createdAt >= createdAt).length;
    expect((await searchBy(`to=${atOf(0)}`)).total).toBe(until);
    expect((await searchBy(`from=${atOf(0)}`)).total).toBe(since);
    expect((await searchBy(`from=${atOf(3_600_000, '+01:00')}`)).total).toBe(since);
    expect((await searchBy(`from=${atOf(1)}`)).total).toBe(all.length - until);
  });

  it('by query parameters is paged by the number of events to skip, and ignores invalid numbers', async () => {
    const whole = having(() => true);
    expect(ids(await searchBy('limit=4&offset=3'))).toEqual(whole.slice(3, 7));
    expect(ids(await searchBy('limit=4&offset=3&query=e')).length).toBe(4);
    for (const query of ['limit=0', 'limit=1001', 'limit=many', 'offset=-1', 'offset=far']) {
      expect((await searchBy(query)).events).toHaveLength(Math.min(50, all.length));
    }
  });

  it('refuses invalid parameters', async () => {
    for (const body of [{ limit: 0 }, { limit: 101 }, { offset: -1 }, { type: 7 }, { query: 'a'.repeat(256) }]) {
      await refused(service, 'searchEvents', INVALID, { body });
    }
    for (const query of [
      'type=feature-created',
      'from=IS:tomorrow',
      'to=IS:2026-13-01',
      'to=IS:2026-01-01T25:00:00Z',
      'from=IS:2026-01-01T10:00:00',
      'createdBy=IS:erna',
      'id=IS:',
    ]) {
      await refused(service, 'searchEventsByQuery', INVALID, { query });
    }
  });

  it('returns the events of one flag, and none for a missing flag', async () => {
    const { body } = await accepted(service, 'getEventsForToggle', { params: { featureName: 'searched-one' } });
    expect(body).toMatchObject({ version: 1, toggleName: 'searched-one', totalEvents: body.events.length });
    expect(ids(body)).toEqual(having(({ featureName }) => featureName === 'searched-one'));
    const nothing = await accepted(service, 'getEventsForToggle', { params: { featureName: 'nothing' } });
    expect(nothing.body).toEqual({ version: 1, toggleName: 'nothing', totalEvents: 0, events: [] });
    await refused(service, 'getEventsForToggle', INVALID, { params: { featureName: 'x' }, query: 'limit=101' });
    await refused(service, 'getFeature', MISSING, { params: { projectId: 'default', featureName: 'nothing' } });
  });

  it('lists the creators of events: users by their current names, others by their recorded names', async () => {
    const { body } = await accepted(service, 'getEventCreators');
    expect(body).toContainEqual({ id: 7, name: 'Erna@example.org' });
    expect(body).toContainEqual({ id: -42, name: 'init-admin-1' });
    expect(new Set(body.map(({ id }: { id: number }) => id)).size).toBe(body.length);
  });

  it('is 503 while the store cannot be read', async () => {
    const faults: MemoryFaults = {};
    const away = await startTestService({ store: new MemoryStore({ faults }) });
    try {
      faults.beforeRead = () => {
        throw new StoreError('away', 'not-appended');
      };
      const unavailable = [503, 'ServiceUnavailableError'] as const;
      await refused(away, 'searchEvents', unavailable, { body: { query: 'a' } });
      await refused(away, 'searchEventsByQuery', unavailable);
      await refused(away, 'getEventCreators', unavailable);
      faults.beforeRead = undefined;
      await accepted(away, 'searchEvents', { body: { query: 'a' } });
    } finally {
      await away.close();
    }
  });
});

describe('a search for text', () => {
  it('reads every event of a long audit log, reports where it stopped, and limits concurrent searches', async () => {
    const store = new MemoryStore();
    const { backing } = store;
    await fillAuditLog(store, { events: 5_000, data: { text: 'a needle' } });
    const searched = await startTestService({ store: new MemoryStore({ backing }) });
    try {
      const { eventIndex: index, bulk } = searched.running.services;
      const found = (await accepted(searched, 'searchEvents', { body: { query: 'NEEDLE', limit: 2 } })).body;
      expect([found.totalEvents, ids(found)]).toEqual([5_000, [5_000, 4_999]]);
      expect(found).not.toHaveProperty('searchedDownTo');
      const hasty = new EventSearch({ index, pool: bulk.pool, budgetMs: 0 });
      const page = { fromId: Number.MAX_SAFE_INTEGER, limit: 1 };
      const cut = await hasty.find({ readable: null }, 'needle', page, new OwnAsker('somebody'));
      assert(!(cut instanceof Rejection), 'the search was rejected');
      const { searchedDownTo, total } = cut;
      expect(searchedDownTo?.id).toBe(5_000 - total + 1);
      expect(total).toBeLessThan(5_000);
      const searches = Array.from({ length: 6 }, () =>
        hasty.find({ readable: null }, 'needle', page, new OwnAsker('somebody')),
      );
      const answers = await Promise.all(searches);
      expect(answers.filter((answer) => answer instanceof Rejection)).toHaveLength(2);
      expect(await hasty.find({ readable: null }, 'needle', page, new OwnAsker('somebody'))).not.toBeInstanceOf(
        Rejection,
      );
    } finally {
      await searched.close();
    }
  });
});
