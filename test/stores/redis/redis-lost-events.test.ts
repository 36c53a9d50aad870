import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { loggerTo } from '../../../src/base/logger.ts';
import { encodeSnapshot } from '../../../src/state/snapshot.ts';
import { keysOf } from '../../../src/stores/redis/keys.ts';
import type { EventEntry } from '../../../src/stores/store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { untilTrue } from '../../support/until.ts';
import { TestReplica, untilRefilled } from './redis-replica.ts';

/**
 * What becomes of each key that disappears: `noticed` in the log and by its own report, `loss` of the history, or `again` if it exists for seconds, or
 * is made again by the next step that needs it. A new key needs a line here and in docs/operate/replicas.md.
 */
const KEYS: Readonly<Record<keyof ReturnType<typeof keysOf>, 'noticed' | 'loss' | 'again'>> = {
  meta: 'loss',
  log: 'loss',
  events: 'noticed',
  auditLog: 'again',
  election: 'again',
  lines: 'again',
  lease: 'again',
  snapshots: 'again',
  pieces: 'loss',
  erasing: 'again',
  counts: 'noticed',
  countsState: 'noticed',
  counterStarts: 'again',
  probe: 'again',
  hints: 'again',
};

describe('a key of Redis that disappears', () => {
  let server: RedisServer;
  let replicas: TestReplica[];
  let lines: Record<string, unknown>[];

  beforeEach(async () => {
    server = await RedisServer.start();
    [replicas, lines] = [[], []];
  });
  afterEach(async () => {
    for (const replica of replicas) await replica.close();
    await server.dispose();
  });

  const start = async () => {
    const logger = loggerTo('info', (line) => void lines.push(JSON.parse(line)), Date.now);
    const replica = await TestReplica.start(server.url, { logger });
    replicas.push(replica);
    return replica;
  };
  const write = async (replica: TestReplica, count: number, prefix: string) => {
    for (let index = 0; index < count; index++) expect(await replica.write(`${prefix}-${index}`)).toBe('acknowledged');
  };
  const logged = (text: string) => lines.filter(({ msg }) => String(msg).includes(text));
  const eventIds = async ({ store }: TestReplica) => (await store.readEventsForward(1, 1_000)).map(({ id }) => id);
  const newestSnapshot = async () => JSON.parse(await server.command('HGET', '{burgee}:meta', 'snapshot')).id as string;
  const namesOf = async () => (await server.command('KEYS', '*')).trim().split('\n').filter(Boolean).sort();

  it('is one of those that the documentation lists', () => {
    expect(Object.keys(keysOf('burgee')).sort()).toEqual(Object.keys(KEYS).sort());
  });

  it('is noticed, or made again: every key of a running service, one after the other', async () => {
    const [one, other] = [await start(), await start()];
    await write(one, 5, 'early');
    const { state } = one.replica;
    const { seq } = await one.store.saveSnapshot(state.seq, encodeSnapshot(state, SERVICE));
    await one.store.trim(seq);
    await write(other, 3, 'late');
    await one.store.measureAuditLog();
    const names = await namesOf();
    expect(names.length).toBeGreaterThan(4);
    for (const first of names) {
      lines.length = 0;
      // A refill makes another snapshot the newest one.
      const name = first.includes(':snapshot:') ? `{burgee}:snapshot:${await newestSnapshot()}` : first;
      await server.command('DEL', name);
      const isLoss = /:(meta|log|snapshot:.*)$/.test(name);
      if (isLoss) {
        await untilRefilled(one, other);
        expect(logged('Redis does not have the history').length, name).toBeGreaterThan(0);
      }
      if (name.endsWith(':events'))
        await untilTrue(() => logged('Redis lost the audit log').length > 0, 'it is noticed');
      await untilTrue(() => [one, other].every(({ store }) => store.status().reachable), `${name}: both write again`);
      await write(one, 1, `after ${name}`);
      await one.store.measureAuditLog();
    }
    const third = await start();
    await untilTrue(() => [one, other].every((replica) => replica.seq === third.seq), 'all are level');
    expect(new Set([one, other, third].map((replica) => replica.digest())).size).toBe(1);
  });

  it('is reported as the loss of the audit log, which begins again with the events that are in memory', async () => {
    const [one, other] = [await start(), await start()];
    await write(one, 6, 'early');
    const kept: EventEntry[] = await one.store.readEventsForward(4, 10);
    for (const { store } of [one, other]) store.keepsEvents(() => kept);
    await server.command('DEL', '{burgee}:events');
    await untilTrue(() => [one, other].every(({ store }) => store.eventsLoss !== null), 'both replicas notice it');
    expect(one.store.eventsLoss).toMatchObject({ throughId: 3, restored: 3 });
    expect(other.store.eventsLoss).toEqual(one.store.eventsLoss);
    expect(logged('Redis lost the audit log')).toHaveLength(2);
    expect([one, other].map(({ store }) => store.loss)).toEqual([null, null]);
    expect(await eventIds(one)).toEqual([4, 5, 6]);
    await write(other, 2, 'late');
    expect(await eventIds(one)).toEqual([4, 5, 6, 7, 8]);
    const third = await start();
    expect(third.store.eventsLoss).toEqual(one.store.eventsLoss);
    expect((await server.command('HGET', '{burgee}:meta', 'lastEvent')).trim()).toBe('8');
  });

  it('does not begin the audit log again with the next write, as if there had been no events before', async () => {
    const replica = await start();
    await write(replica, 3, 'early');
    for (let round = 0; round < 5; round++) {
      await server.command('DEL', '{burgee}:events');
      await write(replica, 1, `round-${round}`);
      expect(replica.store.eventsLoss?.throughId).toBe(3 + round);
      expect(await eventIds(replica)).toEqual([4 + round]);
    }
  });

  it('is no loss if all events were dropped by the limits of the audit log', async () => {
    const replica = await start();
    await write(replica, 3, 'early');
    const auditLog = await replica.store.measureAuditLog();
    expect(await replica.store.trimAuditLog(auditLog, await replica.store.readEventsForward(1, 10))).toBe(true);
    await write(replica, 1, 'after');
    expect(replica.store.eventsLoss).toBeNull();
    expect(logged('Redis lost')).toEqual([]);
    expect(await eventIds(replica)).toEqual([4]);
  });

  it('is noticed when Redis evicts it, whichever key it is', async () => {
    const replica = await start();
    await write(replica, 20, 'early');
    await server.command('SET', 'other', 'x'.repeat(1_000));
    await untilTrue(() => replica.store.status().reachable, 'it was asked once');
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random');
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    // A write makes the server evict.
    await server.command('SET', 'another', 'x');
    await untilTrue(() => logged('Redis evicted keys').length > 0, 'the log says so');
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await untilTrue(
      async () => replica.store.loss !== null || replica.store.eventsLoss !== null || (await namesOf()).length > 2,
      'it is known what was lost',
    );
  });
});
