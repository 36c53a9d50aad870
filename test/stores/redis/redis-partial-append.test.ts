import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { until } from '../../support/until.ts';
import { batchOf } from '../store-contract.ts';
import { TEST_TIMEOUTS } from './redis-replica.ts';

const ALL = ['~*', '&*', '+@all'];

describe('an append whose script fails halfway', () => {
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

  const start = async () => {
    const timeouts = { ...TEST_TIMEOUTS, graceMs: 0, appendMs: 150 };
    const store = new RedisStore({ url: server.url, logger: silentLogger, clock: systemClock, timeouts });
    stores.push(store);
    await store.open();
    return store;
  };
  const key = (name: string) => `{burgee}:${name}`;
  const allow = async (...rules: string[]) =>
    expect(await server.command('ACL', 'SETUSER', 'default', ...rules)).toBe('OK\n');
  const replaceEvents = () =>
    server.together(['RENAME', key('events'), key('kept')], ['LPUSH', key('events'), 'something else']);
  const batch = (expectedTip: number, content: string) => ({
    ...batchOf(expectedTip, [Buffer.from(content), Buffer.from(`${content}, too`)]),
    events: [1, 2].map((offset) => ({ id: expectedTip + offset, bytes: Buffer.from(content) })),
  });
  const contents = async (store: RedisStore) =>
    (await store.read(1, 100)).map(({ bytes }) => Buffer.from(bytes).toString());
  const expectStored = async (store: RedisStore, ...batches: readonly string[]) => {
    expect(await store.tip()).toBe(2 * batches.length);
    expect(await contents(store)).toEqual(batches.flatMap((content) => [content, `${content}, too`]));
    const doubled = batches.flatMap((content) => [content, content]);
    const forward = await store.readEventsForward(1, 100);
    expect(forward.map(({ id, bytes }) => [id, String(bytes)])).toEqual(doubled.map((text, at) => [at + 1, text]));
    expect((await store.readEvents(Number.MAX_SAFE_INTEGER, 100)).map(({ id }) => id)).toEqual(
      doubled.map((_, at) => at + 1).reverse(),
    );
  };
  /** Expects that an append is refused, and that it certainly stored nothing. */
  const expectRefused = async (store: RedisStore, content: string) => {
    const error = await store.append(batch(2, content)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ outcome: 'not-appended' });
  };

  // The commands that write in the script, in order, then those that remove the rest of a failed append.
  it.each(['xadd', 'hset', 'xdel', 'xsetid'])(
    'leaves nothing behind when permission for %s is revoked, and every replica writes again when it is restored',
    async (command) => {
      const [one, other] = [await start(), await start()];
      expect(await one.append(batch(0, 'first'))).toMatchObject({ status: 'appended' });
      // Commands that remove are needed only if there is something to remove.
      const removes = command === 'xdel' || command === 'xsetid';
      await allow(`-${command}`, ...(removes ? ['-hset'] : []));
      await expectRefused(one, 'refused');
      await expectRefused(other, 'refused as well');
      await expectStored(other, 'first');
      if (removes) {
        await allow('+hset');
        await expectRefused(one, 'refused again');
      }
      await expectStored(await start(), 'first');
      await allow(...ALL);
      expect(await other.append(batch(2, 'second'))).toMatchObject({ status: 'appended' });
      expect(await one.append(batch(4, 'third'))).toMatchObject({ status: 'appended' });
      await expectStored(one, 'first', 'second', 'third');
      await expectStored(await start(), 'first', 'second', 'third');
      expect((await server.command('XLEN', key('log'))).trim()).toBe('6');
      expect((await server.command('XLEN', key('events'))).trim()).toBe('6');
    },
  );

  it('leaves nothing behind when a key of the server has another type', async () => {
    const [one, other] = [await start(), await start()];
    await one.append(batch(0, 'first'));
    await replaceEvents();
    await expectRefused(one, 'refused');
    await server.command('DEL', key('events'));
    await server.command('RENAME', key('kept'), key('events'));
    expect(await other.append(batch(2, 'second'))).toMatchObject({ status: 'appended' });
    await expectStored(one, 'first', 'second');
  });

  it('succeeds even if no hint can be sent', async () => {
    const [one, other] = [await start(), await start()];
    await one.append(batch(0, 'first'));
    await allow('-publish');
    expect(await one.append(batch(2, 'second'))).toMatchObject({ status: 'appended' });
    await expectStored(other, 'first', 'second');
  });

  it('is predicted by a probe, which changes nothing, whichever permission is missing or key has another type', async () => {
    const store = await start();
    await store.append(batch(0, 'first'));
    const probed = () => store.probe().then(() => null, String);
    const untilTaken = () => until(probed, (refusal) => refusal === null);
    const before = (await server.command('INFO', 'persistence')).match(/rdb_changes_since_last_save:\d+/)?.[0];
    await store.probe();
    for (const command of ['xadd', 'hset', 'hmget', 'xrange', 'xlen']) {
      await allow(`-${command}`);
      await expect(store.probe(), command).rejects.toMatchObject({ refusal: 'signed-out' });
      // The refusal appears once the line is open again: a busy machine may close it. Without the other commands, which a look at the history
      // needs, the line stays closed.
      if (command === 'xadd' || command === 'hset') {
        const names = `may not ${command.toUpperCase()} {burgee}:`;
        await until(probed, (refusal) => refusal?.includes(names) ?? false);
      }
      await allow(...ALL);
      await untilTaken();
    }
    await allow('resetkeys', '%R~*', '~{burgee}:meta', '~{burgee}:probe');
    await expect(store.probe()).rejects.toMatchObject({ refusal: 'signed-out' });
    await allow(...ALL);
    await untilTaken();
    expect(await server.command('INFO', 'persistence')).toContain(before);
    await replaceEvents();
    await expect(store.probe()).rejects.toThrow(`WRONGTYPE ${key('events')} is a list`);
    await server.command('DEL', key('events'));
    await server.command('RENAME', key('kept'), key('events'));
    await store.probe();
  });

  /** Whether a probe succeeds, and whether an append succeeds after it. */
  const probedAndAppended = async (store: RedisStore, content: string) => {
    const probed = await store.probe().then(
      () => true,
      () => false,
    );
    const appended = await store.append(batch(await store.tip(), content)).then(
      () => true,
      () => false,
    );
    return { probed, appended };
  };

  it('is predicted correctly: a probe ignores permissions that an append does not need, until something must be removed', async () => {
    const store = await start();
    await store.append(batch(0, 'first'));
    const unneeded = ['xdel', 'xsetid', 'del', 'publish', 'hget', 'exists', 'unlink'];
    for (const command of unneeded) {
      await allow(`-${command}`);
      const { probed, appended } = await probedAndAppended(store, `without ${command}`);
      expect([command, probed, appended]).toEqual([command, true, true]);
      await allow(...ALL);
    }
    const tip = await store.tip();
    await allow('-hset');
    await expect(store.append(batch(tip, 'left behind'))).rejects.toMatchObject({ outcome: 'not-appended' });
    for (const command of ['xdel', 'xsetid']) {
      await allow(...ALL, `-${command}`);
      await until(
        () => store.tip().catch(() => -1),
        (found) => found === tip,
      );
      const { probed, appended } = await probedAndAppended(store, `again without ${command}`);
      expect([command, probed, appended]).toEqual([command, false, false]);
    }
    await allow(...ALL);
    await until(
      () =>
        store.probe().then(
          () => true,
          () => false,
        ),
      (isTaken) => isTaken,
    );
    expect(await store.append(batch(tip, 'second'))).toMatchObject({ status: 'appended' });
  });
});
