import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { encodeSnapshot } from '../../../src/state/snapshot.ts';
import type { LogPosition } from '../../../src/stores/lineage.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { untilTrue } from '../../support/until.ts';
import { expectTruth, TEST_TIMEOUTS, TestReplica, untilRefilled } from './redis-replica.ts';

describe('lost keys of a running Redis', () => {
  let server: RedisServer;
  let open: { close(): Promise<void> }[];

  beforeEach(async () => {
    server = await RedisServer.start();
    open = [];
  });
  afterEach(async () => {
    for (const each of open) await each.close();
    await server.dispose();
  });

  const start = async () => {
    const replica = await TestReplica.start(server.url);
    open.push(replica);
    return replica;
  };
  const restarted = (known: LogPosition | null) => {
    const store = new RedisStore({
      url: server.url,
      logger: silentLogger,
      clock: systemClock,
      timeouts: TEST_TIMEOUTS,
      known,
    });
    open.push(store);
    return store;
  };
  const write = async (replica: TestReplica, count: number, prefix: string) => {
    for (let index = 0; index < count; index++) expect(await replica.write(`${prefix}-${index}`)).toBe('acknowledged');
  };
  const trim = async ({ store, replica: { state } }: TestReplica) => {
    const { seq } = await store.saveSnapshot(state.seq, encodeSnapshot(state, SERVICE));
    await store.trim(seq);
  };
  /** Deletes the key with this name, or the pieces of every snapshot. */
  const lose = async (name: string) => {
    const lost =
      name === 'snapshot'
        ? (await server.command('KEYS', '{burgee}:snapshot:*')).trim().split('\n')
        : [`{burgee}:${name}`];
    expect((await server.command('DEL', ...lost)).trim()).toBe(String(lost.length));
  };
  const isOpen = ({ store }: TestReplica) => store.status().reachable;

  it.each([
    ['the log', ['log'], false],
    ['the log, after it was trimmed', ['log'], true],
    ['the pieces of snapshots, after the log was trimmed', ['snapshot'], true],
    ['the state of the log', ['meta'], true],
    ['the state of the log, and the log', ['meta', 'log'], true],
    ['the state of the log and the snapshots', ['meta', 'snapshot'], true],
  ])('%s: replicas notice the loss, and refill Redis', async (_, names, isTrimmed) => {
    const [one, other] = [await start(), await start()];
    await write(one, 5, 'early');
    if (isTrimmed) await trim(one);
    await write(other, 3, 'late');
    await untilTrue(() => one.seq === 8, 'both have every write');
    for (const name of names) await lose(name);
    // No replica may append after the gap, as if the log began there.
    const wrote = one.write('meanwhile');
    await untilTrue(() => !isOpen(other), 'it is noticed');
    await untilRefilled(one, other);
    await untilTrue(() => isOpen(one) && isOpen(other), 'both are reachable');
    expect(await wrote).not.toBe('unknown');
    await write(other, 1, 'after');
    const third = await start();
    await untilTrue(() => [one, other].every(({ seq }) => seq === third.seq), 'all are level');
    expect(new Set([one, other, third].map((replica) => replica.digest())).size).toBe(1);
    expect(third.seq).toBe(one.acknowledged.length + other.acknowledged.length);
    await expectTruth(third.store, [], third.seq);
  });

  it('prevent the start of a replica that has nothing, or less than Redis had', async () => {
    const one = await start();
    await write(one, 3, 'early');
    const early = one.store.position;
    await write(one, 2, 'late');
    await one.close();
    open = [];
    await lose('log');
    await expect(restarted(null).open()).rejects.toThrow('entries of its log are missing');
    const behind = restarted(early);
    await expect(behind.open()).rejects.toThrow('no running replica has all that was there');
    expect(behind.status()).toMatchObject({ reachable: false, refusal: 'incomplete' });
    expect(behind.loss).toMatchObject({ kind: 'incomplete', foundTip: 5 });
    expect((await server.command('HGET', '{burgee}:meta', 'tip')).trim()).toBe('5');
    await lose('meta');
    await expect(restarted(null).open()).rejects.toThrow('the description of its log is missing');
  });
});
