import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../bench/support/free-port.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { fillAuditLog, range, readAuditLog } from '../support/audit-log.ts';
import { untilTrue } from '../support/until.ts';
import { Fleet, ReplicaProcess } from './fleet.ts';
import { Writers } from './load.ts';

/** Kills during trimming. BURGEE_TRIM_KILLS=50 for a long run. */
const KILLS = Number(process.env.BURGEE_TRIM_KILLS ?? 2);
const PATIENCE_MS = 60_000 + 15_000 * KILLS;
/** Enough events for trimming to be under way at most kills. */
const FILLED = 5_000;
const KEEP = 120;
const TRIMMING = { EVENTS_KEEP_MAX: String(KEEP), EVENTS_TRIM_EVERY_MS: '20' };

const listOf = (replica: ReplicaProcess) => async (query: string) =>
  (await replica.call('GET', `/api/admin/events?${query}`)).json;

const beginningOf = async (replica: ReplicaProcess): Promise<number> =>
  (await replica.ready()).json?.events?.firstId ?? 0;

/** Waits until the audit log begins after the id. Returns the first id. */
async function untilBehind(replica: ReplicaProcess, id: number): Promise<number> {
  let firstId = 0;
  await untilTrue(
    async () => {
      firstId = await beginningOf(replica);
      return firstId > id;
    },
    `the audit log begins after ${id}`,
    PATIENCE_MS,
  );
  return firstId;
}

/** Expects every id from the first to the newest one, once. */
async function expectWhole(replica: ReplicaProcess): Promise<{ firstId: number; lastId: number }> {
  const auditLog = await readAuditLog(listOf(replica));
  // The audit log was trimmed meanwhile.
  if ((await listOf(replica)('limit=1')).firstEventId !== auditLog.firstEventId) return expectWhole(replica);
  const lastId = auditLog.ids.at(-1) ?? 0;
  expect(auditLog.ids).toEqual(range(auditLog.firstEventId, lastId));
  expect(auditLog.totalEvents).toBe(auditLog.ids.length);
  const ofProject = await readAuditLog(listOf(replica), 'project=default');
  if ((await listOf(replica)('limit=1')).firstEventId !== auditLog.firstEventId) return expectWhole(replica);
  expect(ofProject.totalEvents).toBe(ofProject.ids.length);
  expect(ofProject.ids[0]).toBeGreaterThanOrEqual(auditLog.firstEventId);
  return { firstId: auditLog.firstEventId, lastId };
}

/** Expects events without a gap: a store is consistent at any moment. */
async function expectWholeStore(store: Store, lastId: number): Promise<number> {
  await store.open();
  const firstId = (await store.firstEventId()) ?? lastId + 1;
  const ids = (await store.readEventsForward(1, lastId)).map(({ id }) => id);
  expect(ids).toEqual(range(firstId, lastId));
  await store.close();
  return firstId;
}

describe('an audit log that is trimmed', () => {
  let fleet: Fleet | undefined;
  let alone: ReplicaProcess | undefined;
  afterEach(async () => {
    await alone?.dispose();
    await fleet?.dispose();
    [fleet, alone] = [undefined, undefined];
  });

  it(
    'is complete whenever the process with its own store is killed during trimming',
    async () => {
      alone = new ReplicaProcess(await freePort(), TRIMMING);
      const { directory } = alone;
      const store = () => new LmdbStore({ directory, logger: silentLogger });
      await alone.start({ EVENTS_KEEP_MAX: '0' });
      await alone.end();
      let [firstId, lastId] = [1, 0];
      for (let kill = 0; kill < KILLS; kill++) {
        lastId = await fillAuditLog(store(), { events: FILLED });
        await alone.start();
        await untilBehind(alone, firstId);
        await alone.end('SIGKILL');
        firstId = await expectWholeStore(store(), lastId);
      }
      await alone.start();
      await untilTrue(
        async () => (await beginningOf(alone as ReplicaProcess)) === lastId - KEEP + 1,
        'it is trimmed',
        PATIENCE_MS,
      );
      expect(await expectWhole(alone)).toEqual({ firstId: lastId - KEEP + 1, lastId });
      await alone.create('after-the-kills');
      expect((await expectWhole(alone)).lastId).toBe(lastId + 1);
    },
    PATIENCE_MS,
  );

  it(
    'is complete on every replica, whichever of them, or Redis, is killed during trimming, while all of them write',
    async () => {
      fleet = await Fleet.start(2, { ...TRIMMING, EVENTS_KEEP_MAX: '0' });
      const { redis } = fleet;
      const [one, other] = [fleet.at(0), fleet.at(1)];
      for (const replica of [one, other]) await replica.end();
      const timeouts = { graceMs: 300 };
      const store = new RedisStore({ url: redis.url, logger: silentLogger, clock: systemClock, timeouts });
      const filled = await fillAuditLog(store, { events: FILLED });
      const bounded = { EVENTS_KEEP_MAX: String(KEEP) };
      await Promise.all([one.start(bounded), other.start(bounded)]);
      let firstId = 1;
      for (let kill = 0; kill < KILLS; kill++) {
        firstId = Math.min(await untilBehind(one, firstId), filled - KEEP);
        if (kill % 2 === 0) {
          await one.end('SIGKILL');
          await one.start(bounded);
        } else {
          await redis.kill();
          await redis.start();
          await untilTrue(async () => (await one.ready()).json?.store === 'reachable', 'it continues', PATIENCE_MS);
        }
      }
      const writers = new Writers(2, [one, other], 'while-trimming');
      await untilTrue(async () => (await beginningOf(one)) > filled, 'the filled events are trimmed', PATIENCE_MS);
      await writers.stop();
      const { names } = await fleet.expectAgreement();
      const lastOf = async () => (await listOf(one)('limit=1')).events[0].id as number;
      const lastId = await lastOf();
      for (const replica of [one, other]) {
        await untilTrue(async () => (await beginningOf(replica)) === lastId - KEEP + 1, 'it has the configured length');
        expect(await expectWhole(replica)).toEqual({ firstId: lastId - KEEP + 1, lastId });
      }
      // One event per flag: no id was used twice or left out.
      expect(lastId).toBe(filled + names.size);
    },
    PATIENCE_MS,
  );
});
