import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { batchOf } from '../store-contract.ts';
import { TEST_TIMEOUTS } from './redis-replica.ts';

const bytes = (content: string): Uint8Array => Buffer.from(content);

async function* piecesOf(...pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

describe('RedisStore refuses', () => {
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

  /** A store that looks at the history once: it does not notice what is changed in Redis before a request meets it. */
  const open = async () => {
    const timeouts = { ...TEST_TIMEOUTS, graceMs: 0, openMs: 60_000, commandMs: 60_000, pollMs: 3_600_000 };
    const store = new RedisStore({ url: server.url, logger: silentLogger, clock: systemClock, timeouts });
    stores.push(store);
    await store.open();
    return store;
  };

  const openWith = async (count: number) => {
    const store = await open();
    const entries = Array.from({ length: count }, (_, at) => bytes(`entry ${at + 1}`));
    expect(await store.append(batchOf(0, entries))).toMatchObject({ status: 'appended' });
    return store;
  };

  it.each([
    ['in the middle', '2-0', 2],
    ['at the end', '4-0', 4],
  ])('to read around an entry that is missing %s', async (_, id, seq) => {
    const store = await openWith(4);
    await server.command('XDEL', '{burgee}:log', id);
    await expect(store.read(1, 10)).rejects.toMatchObject({
      message: `log entry ${seq} is missing, the tip is 4`,
      outcome: 'not-appended',
    });
    expect((await store.read(1, seq - 1)).map((entry) => entry.seq)).toEqual([1, 2, 3].slice(0, seq - 1));
  });

  it('audit events that do not follow the newest one', async () => {
    const store = await open();
    await store.append(batchOf(0, [bytes('a')], [5]));
    await expect(store.append(batchOf(1, [bytes('b')], [5]))).rejects.toMatchObject({
      message: 'the audit events of the batch do not follow the newest stored audit event, 5',
      outcome: 'not-appended',
      refusal: 'refused',
    });
    expect(await store.tip()).toBe(1);
    expect(await store.append(batchOf(1, [bytes('b')], [6]))).toMatchObject({ status: 'appended' });
  });

  it('to replace a snapshot by an older one: the newer one of another replica is its answer', async () => {
    const [late, other] = [await openWith(2), await open()];
    const overtaken = async function* () {
      yield bytes('at 1');
      const token = (await server.command('GET', '{burgee}:lease')).trim();
      await server.command('DEL', '{burgee}:lease');
      await other.saveSnapshot(2, piecesOf(bytes('at 2')));
      await server.command('SET', '{burgee}:lease', token);
    };
    expect(await late.saveSnapshot(1, overtaken())).toMatchObject({ seq: 2, sizeBytes: 4 });
    const loaded = await late.loadSnapshot();
    const read: string[] = [];
    for await (const piece of loaded?.pieces ?? []) read.push(Buffer.from(piece).toString());
    expect(read).toEqual(['at 2']);
    expect((await server.command('SCARD', '{burgee}:snapshots')).trim()).toBe('1');
  });

  it('a snapshot whose pieces are not the written ones', async () => {
    const store = await openWith(1);
    // A piece of this size is sent at once.
    const changed = async function* () {
      yield new Uint8Array(300_000);
      const id = (await server.command('SMEMBERS', '{burgee}:snapshots')).trim();
      await server.command('HSET', `{burgee}:snapshot:${id}`, '9', 'x');
    };
    await expect(store.saveSnapshot(1, changed())).rejects.toThrow(
      'the snapshot was not made the current one: some of its pieces are missing',
    );
    expect(await store.loadSnapshot()).toBeNull();
    await store.saveSnapshot(1, piecesOf(bytes('whole')));
    const loaded = await store.loadSnapshot();
    const id = (await server.command('SMEMBERS', '{burgee}:snapshots')).trim();
    await server.command('HDEL', `{burgee}:snapshot:${id}`, '0');
    await expect(loaded?.pieces[Symbol.asyncIterator]().next()).rejects.toThrow(
      'pieces of the snapshot are missing, or a newer snapshot replaced it',
    );
  });
});
