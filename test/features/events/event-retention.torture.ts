import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { tell } from '../../products/maintenance/store-command.ts';
import { accepted } from '../../support/admin.ts';
import { fillAuditLog, range, readAuditLog } from '../../support/audit-log.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { untilTrue } from '../../support/until.ts';

const SOON = { EVENTS_TRIM_EVERY_MS: '20' };
const DAY_MS = 24 * 3_600_000;

let root: string;
let services: TestService[];
let redis: RedisServer | undefined;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'burgee-retention-'));
  services = [];
});
afterEach(async () => {
  for (const service of services) await service.running.close();
  await redis?.dispose();
  redis = undefined;
  rmSync(root, { recursive: true, force: true });
});

type Environment = Readonly<Record<string, string>>;

const lmdb = async () => () => new LmdbStore({ directory: join(root, 'data'), logger: silentLogger });
const onRedis = async () => {
  redis = await RedisServer.start();
  const { url } = redis;
  return () => new RedisStore({ url, logger: silentLogger, clock: systemClock, timeouts: { graceMs: 0 } });
};
type Create = Awaited<ReturnType<typeof lmdb>> | Awaited<ReturnType<typeof onRedis>>;

async function start(create: Create, env: Environment, clock: Clock = systemClock): Promise<TestService> {
  const service = await startTestService({ store: create(), directory: join(root, 'data'), env, clock });
  services.push(service);
  await untilTrue(async () => (await fetch(`${service.url}/ready`)).ok, 'the service is ready');
  return service;
}

const stop = async (service: TestService) => {
  services = services.filter((other) => other !== service);
  await service.running.close();
};

const listOf = (service: TestService) => async (query: string) =>
  (await accepted(service, 'getEvents', { query })).body;
const readyOf = async (service: TestService) => (await accepted(service, 'getReady', { token: null })).body;
const write = async (service: TestService, name: string) =>
  void (await accepted(service, 'createTagType', { body: { name } }));

/** Checks that clients see a complete audit log: every id from the first to the newest one, once. */
async function expectWhole(service: TestService): Promise<{ firstEventId: number; lastEventId: number }> {
  const { lastEventId } = service.running.services.state;
  const log = await readAuditLog(listOf(service));
  // It was trimmed meanwhile.
  if ((await listOf(service)('')).firstEventId !== log.firstEventId) return expectWhole(service);
  expect(log.ids).toEqual(range(log.firstEventId, lastEventId));
  expect(log.totalEvents).toBe(log.ids.length);
  const ofProject = await readAuditLog(listOf(service), 'project=default');
  if ((await listOf(service)('')).firstEventId !== log.firstEventId) return expectWhole(service);
  expect(ofProject.firstEventId).toBe(log.firstEventId);
  expect(ofProject.totalEvents).toBe(ofProject.ids.length);
  expect(Math.min(...ofProject.ids, Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(log.firstEventId);
  return { firstEventId: log.firstEventId, lastEventId };
}

const begins = (service: TestService, firstId: number) =>
  untilTrue(async () => (await readyOf(service)).events?.firstId === firstId, `the audit log begins with ${firstId}`);

describe.each([
  ['LMDB', lmdb],
  ['Redis', onRedis],
] as const)('the audit log on %s', (_name, prepareStore) => {
  it('keeps the newest EVENTS_KEEP_MAX events and reports its first id; pages before it are empty', async () => {
    const create = await prepareStore();
    const first = await start(create, {});
    for (let index = 0; index < 20; index++) await write(first, `before-${index}`);
    expect((await expectWhole(first)).firstEventId).toBe(1);
    await stop(first);
    const bounded = await start(create, { ...SOON, EVENTS_KEEP_MAX: '15' });
    const { lastEventId } = bounded.running.services.state;
    await begins(bounded, lastEventId - 14);
    expect(await expectWhole(bounded)).toEqual({ firstEventId: lastEventId - 14, lastEventId });
    const beneath = await listOf(bounded)(`offset=${lastEventId - 15}`);
    expect(beneath).toEqual({ version: 1, totalEvents: 15, firstEventId: lastEventId - 14, events: [] });
    expect((await listOf(bounded)(`offset=${lastEventId - 15}&project=default`)).events).toEqual([]);
    const { kept, bytes, since, bytesPerYear } = (await readyOf(bounded)).events;
    expect(kept).toBe(15);
    expect(bytes).toBeGreaterThan(15 * 100);
    expect(Date.parse(since)).toBeLessThanOrEqual(Date.now());
    expect(bytesPerYear).toBeNull();
    for (let index = 0; index < 10; index++) await write(bounded, `after-${index}`);
    await begins(bounded, lastEventId - 4);
    expect(await expectWhole(bounded)).toEqual({ firstEventId: lastEventId - 4, lastEventId: lastEventId + 10 });
  });

  it('keeps events for EVENTS_KEEP_DAYS, and uses no id again after all events were deleted', async () => {
    const create = await prepareStore();
    // Events must be in the order of time.
    await stop(await start(create, {}, { nowMs: () => Date.now() - 41 * DAY_MS, sleep: systemClock.sleep }));
    const yesterday = new Date(Date.now() - DAY_MS).toISOString();
    const lastOld = await fillAuditLog(create(), { events: 300, at: new Date(Date.now() - 40 * DAY_MS).toISOString() });
    const lastFilled = await fillAuditLog(create(), { events: 200, at: yesterday });
    let aheadMs = 0;
    const clock: Clock = { nowMs: () => Date.now() + aheadMs, sleep: systemClock.sleep };
    const service = await start(create, { ...SOON, EVENTS_KEEP_DAYS: '30' }, clock);
    await begins(service, lastOld + 1);
    expect(await expectWhole(service)).toEqual({ firstEventId: lastOld + 1, lastEventId: lastFilled });
    // About 300 bytes per event, 200 events in a day.
    expect((await readyOf(service)).events.bytesPerYear).toBeGreaterThan(200 * 365 * 100);
    expect((await readyOf(service)).events.since).toBe(yesterday);
    aheadMs = 29.5 * DAY_MS;
    await begins(service, lastFilled + 1);
    expect(await listOf(service)('')).toEqual({ version: 1, totalEvents: 0, firstEventId: lastFilled + 1, events: [] });
    await stop(service);
    const again = await start(create, { ...SOON, EVENTS_KEEP_DAYS: '30' }, clock);
    await write(again, 'the-next-one');
    expect(await expectWhole(again)).toEqual({ firstEventId: lastFilled + 1, lastEventId: lastFilled + 1 });
  });

  it('takes at most EVENTS_KEEP_BYTES of space', async () => {
    const create = await prepareStore();
    await stop(await start(create, {}));
    const data = { text: 'x'.repeat(3_000) };
    const lastEventId = await fillAuditLog(create(), { events: 400, data });
    const service = await start(create, { ...SOON, EVENTS_KEEP_BYTES: '400000' });
    const fits = async () => {
      const { bytes = null } = (await readyOf(service)).events ?? {};
      return bytes !== null && bytes <= 400_000;
    };
    await untilTrue(fits, 'the audit log fits');
    const { firstEventId } = await expectWhole(service);
    // LMDB stores large records on separate pages of 4,096 bytes.
    expect(lastEventId - firstEventId).toBeGreaterThan(80);
    expect(lastEventId - firstEventId).toBeLessThan(135);
    let written = 0;
    await untilTrue(async () => {
      await write(service, `after-${written++}`);
      return (await readyOf(service)).events.firstId > firstEventId;
    }, 'old events are deleted for new ones');
    await untilTrue(fits, 'the audit log fits again');
    await expectWhole(service);
  });

  it('is backed up and restored without a change, trimmed or empty, and continues with the next id', async () => {
    const create = await prepareStore();
    await stop(await start(create, {}));
    const lastEventId = await fillAuditLog(create(), { events: 500, at: new Date(Date.now() - DAY_MS).toISOString() });
    for (const [name, env, firstEventId] of [
      ['trimmed', { EVENTS_KEEP_MAX: '120' }, lastEventId - 119],
      ['empty', { EVENTS_KEEP_MAX: '120', EVENTS_KEEP_BYTES: '1' }, lastEventId + 1],
    ] as const) {
      const service = await start(create, { ...SOON, ...env });
      await begins(service, firstEventId);
      const answer = await fetch(`${service.url}/api/admin/backup`, { headers: { authorization: ADMIN_TOKEN } });
      const path = join(root, `${name}.backup`);
      writeFileSync(path, Buffer.from(await answer.arrayBuffer()));
      await stop(service);
      const directory = join(root, `${name}-restored`);
      const locations = [`lmdb:${directory}`, ...(redis ? [`${redis.url}/1`] : [])];
      for (const to of locations) await tell('restore', '--from', path, '--to', to, '--key-prefix', name);
      const restored = await startTestService({ directory });
      services.push(restored);
      expect(await expectWhole(restored)).toEqual({ firstEventId, lastEventId });
      await write(restored, 'the-next-one');
      expect(await expectWhole(restored)).toEqual({ firstEventId, lastEventId: lastEventId + 1 });
      if (!redis) continue;
      const store = new RedisStore({
        url: `${redis.url}/1`,
        keyPrefix: name,
        logger: silentLogger,
        clock: systemClock,
        timeouts: { graceMs: 0 },
      });
      const onServer = await start(() => store, {});
      await write(onServer, 'the-next-one');
      expect(await expectWhole(onServer)).toEqual({ firstEventId, lastEventId: lastEventId + 1 });
    }
  });
});

it('a Redis that is full of audit events accepts writes again when fewer events must be kept', async () => {
  const create = await onRedis();
  await stop(await start(create, {}));
  await fillAuditLog(create(), { events: 1_000, data: { text: 'x'.repeat(3_000) } });
  const full = await start(create, {});
  const server = redis as RedisServer;
  // The memory that Redis uses for other purposes shrinks for a while after many events: it is full when it refuses a write.
  for (let tries = 0; ; tries++) {
    const used = Number(/used_memory:(\d+)/.exec(await server.command('INFO', 'memory'))?.[1]);
    await server.command('CONFIG', 'SET', 'maxmemory', String(used - 500_000));
    const { status, body } = await full.call('createTagType', { body: { name: `refused-${tries}` } });
    if (status === 201 && tries < 100) continue;
    expect([status, body.message]).toEqual([503, expect.stringContaining('nothing was changed')]);
    break;
  }
  await stop(full);
  // A new run of the process on the same full server.
  const bounded = await start(create, { ...SOON, EVENTS_KEEP_MAX: '50' });
  const { lastEventId } = bounded.running.services.state;
  await begins(bounded, lastEventId - 49);
  await untilTrue(
    async () => (await bounded.call('createTagType', { body: { name: 'again' } })).status === 201,
    'a write is accepted',
  );
  const gauges = await (await fetch(`${bounded.url}/internal-backstage/prometheus`)).text();
  expect(gauges).toMatch(/^burgee_audit_events 5\d$/m);
  expect(gauges).toMatch(/^burgee_audit_events_bytes \d+$/m);
});
