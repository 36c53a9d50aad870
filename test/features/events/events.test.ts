import { beforeAll, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../src/model/event.ts';
import { decodeEvent } from '../../../src/state/commit.ts';
import { type MemoryFaults, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { accepted, INVALID, refused } from '../../support/admin.ts';
import { startTestService, useService } from '../../support/service.ts';

const service = useService();

beforeAll(async () => {
  for (let index = 0; index < 120; index++) {
    await accepted(service, 'createTagType', { body: { name: `type-${index}` } });
  }
});

const page = async (query?: string) => (await accepted(service, 'getEvents', { query })).body;
const ids = (body: { events: { id: number }[] }) => body.events.map(({ id }) => id);

describe('events', () => {
  it('are listed newest first, a hundred at a time, with their total', async () => {
    const body = await page();
    expect(body.version).toBe(1);
    expect(body.events).toHaveLength(100);
    expect(body.totalEvents).toBe(service.running.services.state.lastEventId);
    expect(ids(body)).toEqual(Array.from({ length: 100 }, (_, index) => body.totalEvents - index));
    expect(body.events[0]).toMatchObject({
      type: 'tag-type-created',
      createdBy: 'init-admin-1',
      createdByUserId: -42,
      environment: null,
      project: null,
      featureName: null,
      data: { name: 'type-119' },
      preData: null,
      tags: [],
    });
  });

  it('contain the client address, as trusted proxies report it, and none for actions of the service itself', async () => {
    const trusting = await startTestService({ env: { TRUST_PROXY: 'loopback' } });
    try {
      const headers = { 'x-forwarded-for': '203.0.113.7' };
      await accepted(trusting, 'createTagType', { body: { name: 'from-afar' }, headers });
      const { events } = (await accepted(trusting, 'getEvents')).body;
      expect([events[0].type, events[0].ip]).toEqual(['tag-type-created', '203.0.113.7']);
      expect([events[0].neverUndone, events.at(-1).neverUndone]).toEqual([null, null]);
      expect(events.at(-1)).toMatchObject({ ip: null, reason: null, revision: 1, groupType: 'request', groupId: '1' });
    } finally {
      await trusting.close();
    }
    await accepted(service, 'createUser', { body: { email: 'never@example.org', rootRole: 3 } });
    const [created] = (await page('limit=1')).events;
    expect([created.type, created.neverUndone]).toEqual(['user-created', expect.stringMatching(/^a user is not/)]);
    expect((await page('limit=1&fields=summary')).events[0]).not.toHaveProperty('neverUndone');
    // This service trusts no proxy.
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    await accepted(service, 'createTagType', { body: { name: 'from-here' }, headers });
    expect((await page('limit=1')).events[0].ip).toBe('127.0.0.1');
    await accepted(service, 'deleteTagType', { params: { name: 'from-here' } });
  });

  it('are listed up to a thousand at a time on request', async () => {
    const { events, totalEvents } = await page('limit=1000');
    expect(totalEvents).toBeGreaterThan(100);
    expect(events).toHaveLength(totalEvents);
  });

  it('are paged by the id to start from, without a gap or a repetition', async () => {
    const { totalEvents } = await page('limit=1');
    const seen: number[] = [];
    for (let offset = totalEvents; offset > 0; ) {
      const got = ids(await page(`limit=50&offset=${offset}`));
      expect(got.length).toBeGreaterThan(0);
      seen.push(...got);
      offset = (got.at(-1) ?? 1) - 1;
    }
    expect(seen).toEqual(Array.from({ length: totalEvents }, (_, index) => totalEvents - index));
    expect((await page('offset=0')).events).toEqual([]);
    expect(ids(await page('offset=999999999&limit=1'))).toEqual([totalEvents]);
  });

  it('of one project are found among all others, paged by id and counted', async () => {
    await accepted(service, 'createProject', { body: { id: 'searched', name: 'Searched' } });
    for (let index = 0; index < 7; index++) {
      for (const projectId of ['default', 'searched']) {
        await accepted(service, 'createFeature', { params: { projectId }, body: { name: `${projectId}-${index}` } });
      }
    }
    const all = (await page('project=searched')) as { events: AuditEvent[]; totalEvents: number };
    expect(new Set(all.events.map(({ project }) => project))).toEqual(new Set(['searched']));
    expect(all.events.filter(({ type }) => type === 'feature-created').map(({ featureName }) => featureName)).toEqual(
      [6, 5, 4, 3, 2, 1, 0].map((index) => `searched-${index}`),
    );
    expect(all.totalEvents).toBe(all.events.length);
    const seen: number[] = [];
    for (let offset = Number.MAX_SAFE_INTEGER; ; ) {
      const part = await page(`project=searched&limit=3&offset=${offset}`);
      expect(part.totalEvents).toBe(all.totalEvents);
      if (part.events.length === 0) break;
      seen.push(...ids(part));
      offset = (seen.at(-1) ?? 1) - 1;
    }
    expect(seen).toEqual(ids(all));
    expect(await page('project=nobody-knows-it')).toEqual({ version: 1, totalEvents: 0, firstEventId: 1, events: [] });
  });

  it('of the first start describe what it created, without a secret', async () => {
    const stored = await service.running.services.store.readEventsForward(1, 1000);
    const first = stored.map(({ bytes }) => decodeEvent(bytes)).slice(0, 6);
    expect(first.map(({ type, createdBy }) => [type, createdBy])).toEqual([
      ['environment-created', 'burgee'],
      ['environment-created', 'burgee'],
      ['project-created', 'burgee'],
      ['api-token-created', 'burgee'],
      ['api-token-created', 'burgee'],
      ['api-token-created', 'burgee'],
    ]);
    expect(JSON.stringify(first)).not.toContain('test-admin');
    expect(JSON.stringify(first)).not.toContain('test-client');
  });

  it('are 503 while the store cannot be read', async () => {
    const faults: MemoryFaults = {};
    const away = await startTestService({ store: new MemoryStore({ faults }) });
    try {
      faults.beforeRead = () => {
        throw new StoreError('away', 'not-appended');
      };
      await refused(away, 'getEvents', [503, 'ServiceUnavailableError'], { query: 'project=default' });
      const answer = await refused(away, 'getEvents', [503, 'ServiceUnavailableError']);
      expect(answer.headers.get('retry-after')).toBe('2');
      faults.beforeRead = undefined;
      await accepted(away, 'getEvents');
    } finally {
      await away.close();
    }
  });

  it.each(['limit=0', 'limit=1001', 'limit=many', 'offset=-1', 'offset=last', 'project='])(
    'refuses the query %s',
    async (query) => {
      await refused(service, 'getEvents', INVALID, { query });
    },
  );
});
