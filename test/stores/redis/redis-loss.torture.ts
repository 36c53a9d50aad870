import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { encodeCommit } from '../../../src/state/commit.ts';
import { encodeSnapshot } from '../../../src/state/snapshot.ts';
import type { LogPosition } from '../../../src/stores/lineage.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { StoreError, TrimmedError } from '../../../src/stores/store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { untilTrue } from '../../support/until.ts';
import { TcpFaultProxy } from '../tcp-fault-proxy.ts';
import { expectTruth, TEST_TIMEOUTS, TestReplica, untilRefilled } from './redis-replica.ts';

function commitOf(seq: number) {
  const by = { id: 1, name: 'test' };
  return { seq, writeId: `commit-${seq}`, at: '2026-01-01T00:00:00.000Z', by, changes: [], touched: [] };
}

describe('RedisStore when Redis comes back with fewer commits than the replicas have', () => {
  let server: RedisServer;
  let replicas: TestReplica[];

  beforeEach(async () => {
    server = await RedisServer.start();
    replicas = [];
  });

  afterEach(async () => {
    for (const replica of replicas) await replica.close();
    await server.dispose();
  });

  const start = async (options: Parameters<typeof TestReplica.start>[1] = {}) => {
    const replica = await TestReplica.start(server.url, options);
    replicas.push(replica);
    return replica;
  };

  const writeMany = async (replica: TestReplica, count: number, prefix: string) => {
    for (let index = 0; index < count; index += 1) {
      expect(await replica.write(`${prefix}-${index}`)).toBe('acknowledged');
    }
  };

  const level = (expected: number) =>
    untilTrue(() => replicas.every(({ seq }) => seq === expected), `every replica is at ${expected}`);

  /** All replicas try to refill, as services do with REDIS_ON_LOSS=refill. */
  const refillByAll = async () => {
    await untilTrue(() => replicas.some(({ store }) => store.loss?.mayRefill), 'a replica was chosen');
    const outcomes = await Promise.all(replicas.map((replica) => replica.refill()));
    expect(outcomes.filter((outcome) => outcome === 'refilled')).toHaveLength(1);
    await untilTrue(() => replicas.every(({ store }) => store.status().reachable), 'every replica is reachable');
  };

  it('notices FLUSHALL under load, is refilled by one of three replicas, and loses no acknowledged write', async () => {
    const [a, b, c] = [await start(), await start(), await start()];
    let isOver = false;
    const writing = [a, b, c].map((replica, index) => replica.writeUntil(() => isOver, `writer-${index}`));
    await untilTrue(() => a.seq > 50, 'there is something to lose');
    const epoch = a.store.position?.epoch;
    await server.command('FLUSHALL');
    await refillByAll();
    const before = a.seq;
    await untilTrue(() => a.seq > before + 50, 'writes continue');
    isOver = true;
    await Promise.all(writing);
    await level(await a.store.tip());
    expect(new Set(replicas.map((replica) => replica.digest())).size).toBe(1);
    const epochs = new Set(replicas.map(({ store }) => store.position?.epoch));
    expect(epochs.size).toBe(1);
    expect(epochs).not.toContain(epoch);
    const fresh = await start();
    expect(fresh.digest()).toBe(a.digest());
    for (const name of [a, b, c].flatMap(({ acknowledged }) => acknowledged)) {
      expect(fresh.replica.state.get('counters', name)).toEqual({ value: 1 });
    }
  });

  it('notices a restart from an append-only file that lost its tail, under load, and refills what was acknowledged', async () => {
    const [a, b] = [await start(), await start()];
    let isOver = false;
    const writing = [a, b].map((replica, index) => replica.writeUntil(() => isOver, `writer-${index}`));
    await untilTrue(() => a.seq > 40 && b.seq > 40, 'there is something to lose');
    await server.kill();
    server.truncateLog(20_000);
    await server.start();
    await untilTrue(() => a.store.loss !== null && b.store.loss !== null, 'both have noticed');
    const { foundTip = 0, known } = a.store.loss ?? {};
    expect(a.store.loss?.kind).toBe('behind');
    expect(foundTip).toBeLessThan(known?.seq ?? 0);
    const reason = expect.stringContaining(`ends at ${foundTip}`);
    expect(a.store.status()).toMatchObject({ reachable: false, reason });
    await refillByAll();
    const before = Math.max(a.seq, b.seq);
    await untilTrue(() => a.seq > before + 20, 'writes continue');
    isOver = true;
    await Promise.all(writing);
    await level(await a.store.tip());
    const fresh = await start();
    expect(new Set(replicas.map((replica) => replica.digest())).size).toBe(1);
    for (const name of [a, b].flatMap(({ acknowledged }) => acknowledged)) {
      expect(fresh.replica.state.get('counters', name)).toEqual({ value: 1 });
    }
    const { firstSeq } = await reopening(fresh);
    expect((await fresh.store.read(firstSeq, 1)).map(({ seq }) => seq)).toEqual([firstSeq]);
    await expect(fresh.store.read(firstSeq - 1, 10)).rejects.toThrow(TrimmedError);
  });

  it('refuses reads and writes until a replica refills Redis, also on a replica that starts then', async () => {
    const a = await start();
    await writeMany(a, 5, 'kept');
    await server.command('FLUSHALL');
    await untilTrue(() => a.store.loss?.mayRefill === true, 'the loss was noticed');
    expect(await a.write('no')).toBe('refused');
    await expect(a.store.read(1, 1)).rejects.toThrow(StoreError);
    await expect(a.store.readEvents(10, 1)).rejects.toThrow(StoreError);
    await expect(a.store.loadSnapshot()).rejects.toThrow(StoreError);
    await expect(TestReplica.start(server.url, { timeouts: { openMs: 600 } })).rejects.toThrow(/knows it up to 5/);
    expect((await server.command('EXISTS', '{burgee}:meta')).trim()).toBe('0');
    await untilRefilled(a);
    expect(await a.write('yes')).toBe('acknowledged');
    expect(a.losses.map((loss) => loss?.kind ?? null)).toEqual(['behind', null]);
  });

  it('lets the replica with the most commits refill, not the first one that noticed', async () => {
    const timeouts = { graceMs: 500 };
    const proxy = await TcpFaultProxy.start(server.port);
    const behind = await TestReplica.start(proxy.url, { timeouts });
    const most = await start({ timeouts });
    await writeMany(most, 3, 'both');
    await untilTrue(() => behind.seq === 3, 'both have three');
    proxy.isClosed = true;
    proxy.cut();
    await writeMany(most, 2, 'one only');
    await server.command('FLUSHALL');
    proxy.isClosed = false;
    await untilTrue(() => behind.store.loss !== null && most.store.loss !== null, 'both have noticed');
    expect(behind.store.loss).toMatchObject({ mayRefill: false, known: { seq: 3 } });
    expect(most.store.loss).toMatchObject({ mayRefill: true, known: { seq: 5 } });
    expect(await behind.refill()).toBe('not-refilled');
    await untilRefilled(most);
    await untilTrue(() => behind.store.loss === null, 'the other one follows the new epoch');
    expect(behind.store.position?.epoch).toBe(most.store.position?.epoch);
    await expect(behind.store.read(4, 10)).rejects.toThrow(TrimmedError);
    await behind.close();
    await proxy.close();
  });

  it('refuses the refill of a chosen replica when a replica with more commits has come back', async () => {
    const [proxyOfMost, proxyOfBehind] = [
      await TcpFaultProxy.start(server.port),
      await TcpFaultProxy.start(server.port),
    ];
    const most = await TestReplica.start(proxyOfMost.url);
    const behind = await TestReplica.start(proxyOfBehind.url, { timeouts: { pollMs: 60_000 } });
    await writeMany(most, 3, 'both');
    await untilTrue(() => behind.seq === 3, 'both have three');
    proxyOfBehind.isClosed = true;
    proxyOfBehind.cut();
    await writeMany(most, 2, 'one only');
    proxyOfMost.isClosed = true;
    proxyOfMost.cut();
    await server.command('FLUSHALL');
    proxyOfBehind.isClosed = false;
    await untilTrue(() => behind.store.loss?.mayRefill === true, 'the connected one was chosen');
    proxyOfMost.isClosed = false;
    await untilTrue(() => most.store.loss?.mayRefill === true, 'the other one is back');
    expect(behind.store.loss?.mayRefill).toBe(true);
    expect(await behind.refill()).toBe('not-refilled');
    await untilRefilled(most);
    expect(await most.store.tip()).toBe(5);
    for (const replica of [most, behind]) await replica.close();
    for (const proxy of [proxyOfMost, proxyOfBehind]) await proxy.close();
  });

  it('reports superseded to a replica with more commits than were refilled, and lets it adopt', async () => {
    const [a, b] = [await start(), await start()];
    await writeMany(a, 3, 'both');
    await level(3);
    await b.close();
    const known = b.store.position;
    await writeMany(a, 2, 'a only');
    const position = a.store.position;
    await a.close();
    await server.command('FLUSHALL');
    const refiller = await startFrom(b, known);
    await untilTrue(() => refiller.loss?.mayRefill === true, 'the running replica was chosen');
    await refiller.refill({ seq: 3, lastEventId: 3, pieces: encodeSnapshot(b.replica.state, SERVICE), events: [] });
    await refiller.open();
    const bytes = encodeCommit({ ...commitOf(4), events: { firstId: 0, count: 0 } });
    await refiller.append({ expectedTip: 3, writeId: 'after', entries: [{ seq: 4, bytes }], events: [] });
    await refiller.close();
    const returned = await startFrom(a, position);
    await untilTrue(() => returned.loss !== null, 'the other history was noticed');
    expect(returned.loss).toMatchObject({ kind: 'superseded', mayRefill: false, known: { seq: 5 } });
    expect(returned.loss?.commonSeq).toBe(3);
    expect(await returned.adopt()).toMatchObject({ tip: 4, firstSeq: 4 });
    expect(returned.loss).toBeNull();
    await returned.close();
    replicas = [];
  });

  it('adopts although the answer to an earlier query arrives only then', async () => {
    const [a, b] = [await start(), await start()];
    await writeMany(a, 3, 'both');
    await level(3);
    await b.close();
    await writeMany(a, 2, 'a only');
    await a.close();
    replicas = [];
    await server.command('FLUSHALL');
    const refiller = await startFrom(b);
    await untilTrue(() => refiller.loss?.mayRefill === true, 'the running replica was chosen');
    await refiller.refill({ seq: 3, lastEventId: 3, pieces: encodeSnapshot(b.replica.state, SERVICE), events: [] });
    await refiller.open();
    const bytes = encodeCommit({ ...commitOf(4), events: { firstId: 0, count: 0 } });
    await refiller.append({ expectedTip: 3, writeId: 'after', entries: [{ seq: 4, bytes }], events: [] });
    await refiller.close();
    const proxy = await TcpFaultProxy.start(server.port);
    const returned = openable(a.store.position, { url: proxy.url, timeouts: { ...TEST_TIMEOUTS, pollMs: 1 } });
    await returned.open().catch(() => {});
    await untilTrue(() => returned.loss?.kind === 'superseded', 'the other history was noticed');
    // From now on, a query is always in flight.
    proxy.delayMs = 50;
    await sleep(20);
    expect(await returned.adopt()).toMatchObject({ tip: 4 });
    expect(returned.loss).toBeNull();
    await returned.close();
    await proxy.close();
  });

  it('reports foreign, and refills nothing, when the history does not descend from the known one', async () => {
    const a = await start();
    await writeMany(a, 3, 'old');
    const known = a.store.position;
    await a.close();
    replicas = [];
    await server.command('FLUSHALL');
    const b = await start();
    await writeMany(b, 5, 'new');
    const returned = await startFrom(a, known);
    await untilTrue(() => returned.loss !== null, 'the other history was noticed');
    expect(returned.loss).toMatchObject({ kind: 'foreign', mayRefill: false });
    expect(returned.status()).toMatchObject({ reachable: false, refusal: 'foreign' });
    expect(
      await returned.refill({ seq: 3, lastEventId: 3, pieces: encodeSnapshot(a.replica.state, SERVICE), events: [] }),
    ).toBe('not-refilled');
    await returned.close();
    expect(await b.write('undisturbed')).toBe('acknowledged');
  });

  it('ends the loss when Redis has the missing content again', async () => {
    const a = await start();
    await writeMany(a, 5, 'kept');
    const saved = (await server.command('COPY', '{burgee}:meta', '{burgee}:kept')).trim();
    expect(saved).toBe('1');
    await server.command('DEL', '{burgee}:meta');
    await untilTrue(() => a.store.loss !== null, 'the loss was noticed');
    await server.command('RENAME', '{burgee}:kept', '{burgee}:meta');
    await untilTrue(() => a.store.loss === null, 'the loss has ended');
    expect(await a.write('more')).toBe('acknowledged');
    await expectTruth(a.store, [a]);
  });

  it('reports the position of its state after a refill showed that the state has less than was appended', async () => {
    const a = await start();
    await writeMany(a, 2, 'kept');
    const bytes = encodeCommit({ ...commitOf(3), events: { firstId: 0, count: 0 } });
    await a.store.append({ expectedTip: 2, writeId: 'never-applied', entries: [{ seq: 3, bytes }], events: [] });
    await server.command('FLUSHALL');
    await untilTrue(() => a.store.loss?.mayRefill === true, 'the loss was noticed');
    expect(a.store.loss?.known.seq).toBe(3);
    const events = [{ id: 3, bytes: Buffer.from('of what was never applied') }];
    const content = () => ({ seq: 2, lastEventId: 2, pieces: encodeSnapshot(a.replica.state, SERVICE), events });
    expect(await a.store.refill(content())).toBe('not-refilled');
    expect((await server.command('EXISTS', '{burgee}:meta')).trim()).toBe('0');
    await untilTrue(() => a.store.loss?.known.seq === 2 && a.store.loss.mayRefill, 'it was chosen again');
    expect(await a.store.refill(content())).toBe('refilled');
    await untilTrue(() => a.store.loss === null, 'the loss has ended');
    expect(await a.store.tip()).toBe(2);
    expect(await a.store.readEventsForward(3, 10)).toEqual([]);
    expect(await a.write('goes on')).toBe('acknowledged');
  });

  it('confirms a restarted server only after replicas had time to report their positions', async () => {
    const a = await start({ timeouts: { graceMs: 400 } });
    await writeMany(a, 3, 'kept');
    await server.kill();
    await server.start();
    const writing = a.write('after');
    await untilTrue(
      async () => (await server.command('EXISTS', '{burgee}:election')).trim() === '1',
      'an election has started',
    );
    await sleep(50);
    expect(a.seq).toBe(3);
    expect(await writing).toBe('acknowledged');
    await expectTruth(a.store, [a]);
  });

  const openable = (known: LogPosition | null, { url = server.url, timeouts = TEST_TIMEOUTS } = {}) =>
    new RedisStore({ url, logger: silentLogger, clock: systemClock, timeouts, known });

  /** A store with the position of the replica, as after a start from a local copy. */
  const startFrom = async ({ store }: TestReplica, known = store.position) => {
    const again = openable(known);
    await again.open().catch(() => {});
    return again;
  };

  const reopening = async ({ store }: TestReplica) => {
    const again = openable(store.position);
    const opening = await again.open();
    await again.close();
    return opening;
  };
});
