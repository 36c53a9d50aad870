import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { APPEND, PROBE } from '../../../src/stores/redis/append-scripts.ts';
import { LOOK } from '../../../src/stores/redis/history-scripts.ts';
import { REFUSED_MS, type RedisStoreOptions } from '../../../src/stores/redis/options.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { until, untilTrue } from '../../support/until.ts';
import { batchOf } from '../store-contract.ts';
import { TEST_TIMEOUTS } from './redis-replica.ts';

/** Much longer than any test may wait: an append that is refused must not use this time. */
const APPEND_MS = 3_600_000;

/** After each refusal there is a pause of 20 ms, so an append of `REFUSED_MS` has at most this number of tries. */
const TRIES_MAX = REFUSED_MS / 20 + 1;

/** The commands that these scripts call, and those that are sent without a script. */
const COMMANDS = [
  ...new Set(
    [APPEND, LOOK, PROBE].flatMap(({ source }) =>
      Array.from(source.matchAll(/redis\.p?call\('([A-Z]+)'/g), ([, name]) => String(name)),
    ),
  ),
  'EVALSHA',
].sort();

describe('a write that Redis refuses', () => {
  let server: RedisServer;
  let stores: RedisStore[];

  beforeEach(async () => {
    server = await RedisServer.start();
    stores = [];
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    await server.dispose();
  });

  const start = async (options: Partial<RedisStoreOptions> = {}) => {
    const timeouts = { ...TEST_TIMEOUTS, graceMs: 0, appendMs: APPEND_MS };
    const store = new RedisStore({ url: server.url, logger: silentLogger, clock: systemClock, timeouts, ...options });
    stores.push(store);
    await store.open();
    return store;
  };
  let seq = 0;
  const append = async (store: RedisStore) => {
    const batch = {
      ...batchOf(seq, [Buffer.from(`entry ${seq}`)]),
      events: [{ id: seq + 1, bytes: Buffer.from('e') }],
    };
    const outcome = await store.append(batch);
    if (outcome.status === 'appended') seq++;
    return outcome;
  };
  /** How often the server was asked to append: the calls of scripts that are not the regular look at the history. */
  const tries = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await server.command('INFO', 'commandstats'))?.[1] ?? 0);
  const expectRefused = async (store: RedisStore) => {
    const error = await append(store).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ outcome: 'not-appended' });
    return (error as StoreError).refusal;
  };
  const untilAppended = (store: RedisStore) =>
    until(
      () =>
        append(store).then(
          () => true,
          () => false,
        ),
      (isDone) => isDone,
    );

  it.each(COMMANDS)(
    'is answered without waiting for the right to %s, and is accepted once the right is there',
    async (command) => {
      seq = 0;
      const store = await start();
      await append(store);
      await server.command('ACL', 'SETUSER', 'default', `-${command.toLowerCase()}`);
      // One of the commands is not needed for this append. If it is needed, each append is refused.
      const first = await append(store).catch((error: unknown) => error);
      if (first instanceof StoreError) {
        expect(first.refusal).toBe('signed-out');
        for (let count = 0; count < 5; count++) expect(await expectRefused(store)).toBe('signed-out');
      }
      await server.command('ACL', 'SETUSER', 'default', '+@all');
      await untilAppended(store);
    },
  );

  it('names every command that it needs: an append without it is refused', async () => {
    seq = 0;
    const store = await start();
    await append(store);
    const needed: string[] = [];
    for (const command of COMMANDS) {
      await server.command('ACL', 'SETUSER', 'default', `-${command.toLowerCase()}`);
      await append(store).catch(() => needed.push(command));
      await server.command('ACL', 'SETUSER', 'default', '+@all');
      await untilAppended(store);
    }
    expect(needed).toEqual(expect.arrayContaining(['EVALSHA', 'HMGET', 'HSET', 'XADD', 'XLEN']));
  });

  /** In one step: a store that looks in between would find no events, and write those that it has. */
  const LIST_IN_PLACE_OF_EVENTS = `redis.call('RENAME', '{burgee}:events', '{burgee}:kept') redis.call('LPUSH', '{burgee}:events', 'x')`;
  const EVENTS_AGAIN = `redis.call('RENAME', '{burgee}:kept', '{burgee}:events')`;
  /** What makes a server refuse, and what ends it. */
  const REASONS: readonly (readonly [string, string, begin: readonly string[], end: readonly string[]])[] = [
    ['OOM', 'memory-full', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    [
      'NOREPLICAS',
      'replicas-behind',
      ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
      ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
    ],
    ['READONLY', 'read-only', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
    ['WRONGTYPE', 'refused', ['EVAL', LIST_IN_PLACE_OF_EVENTS, '0'], ['EVAL', EVENTS_AGAIN, '0']],
  ];
  it.each(REASONS)('because of %s is tried a few times, then once for each write', async (_, refusal, begin, end) => {
    seq = 0;
    const store = await start();
    await append(store);
    await server.command(...begin);
    const before = await tries();
    expect(await expectRefused(store)).toBe(refusal);
    for (let count = 0; count < 5; count++) expect(await expectRefused(store)).toBe(refusal);
    // Each try is an append and a look at the history; meanwhile there are regular looks.
    expect((await tries()) - before).toBeLessThan(8 * TRIES_MAX);
    await server.command(...end);
    await untilAppended(store);
    await untilTrue(() => store.status().reachable, 'it is in reach');
  });
});
