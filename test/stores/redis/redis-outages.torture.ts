import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { decodeEvent } from '../../../src/state/commit.ts';
import { encodeSnapshot, StateReplacedError } from '../../../src/state/snapshot.ts';
import type { RedisTimeouts } from '../../../src/stores/redis/options.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { untilTrue } from '../../support/until.ts';
import { batchOf } from '../store-contract.ts';
import { TcpFaultProxy } from '../tcp-fault-proxy.ts';
import { expectTruth, TEST_TIMEOUTS, TestReplica } from './redis-replica.ts';

const KILLS = 30;
const CUTS = 240;

/** A seeded generator. The timing of the processes is not reproducible. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('RedisStore when Redis fails', () => {
  let server: RedisServer;
  let proxies: TcpFaultProxy[];
  let replicas: TestReplica[];
  let stores: RedisStore[];

  beforeEach(async () => {
    server = await RedisServer.start();
    proxies = [];
    replicas = [];
    stores = [];
  });

  afterEach(async () => {
    for (const proxy of proxies) {
      proxy.setFault('none');
      await proxy.close();
    }
    await server.kill();
    for (const replica of [...replicas, ...stores]) await replica.close();
    await server.dispose();
  });

  const start = async (url = server.url, options: Parameters<typeof TestReplica.start>[1] = {}) => {
    const replica = await TestReplica.start(url, options);
    replicas.push(replica);
    return replica;
  };

  const startBehindProxy = async (options: Parameters<typeof TestReplica.start>[1] = {}) => {
    const proxy = await TcpFaultProxy.start(server.port);
    proxies.push(proxy);
    return { proxy, replica: await start(proxy.url, options) };
  };

  /** A store without a replica, for bytes that are not commits. */
  const openBehindProxy = async (timeouts: Partial<RedisTimeouts>) => {
    const proxy = await TcpFaultProxy.start(server.port);
    proxies.push(proxy);
    const store = openable(proxy.url, timeouts);
    stores.push(store);
    await store.open();
    await store.append(batchOf(0, [Buffer.from('before')]));
    return { proxy, store };
  };

  const acknowledged = () => replicas.reduce((sum, replica) => sum + replica.acknowledged.length, 0);

  const converged = async (writers: readonly TestReplica[]) => {
    const [first] = writers;
    if (!first) return;
    await untilTrue(() => writers.every((replica) => replica.store.status().reachable), 'every replica reaches Redis');
    const tip = await first.store.tip();
    await untilTrue(() => writers.every(({ seq }) => seq === tip), 'every replica has read the log');
    expect(new Set(writers.map((replica) => replica.digest())).size).toBe(1);
    await expectTruth(first.store, writers);
    const fresh = await start();
    expect(fresh.digest()).toBe(first.digest());
  };

  it(`keeps every acknowledged write, once, over ${KILLS} SIGKILLs under 8 writers on 2 replicas`, async () => {
    const random = generator(1);
    const writers = [await start(), await start()];
    let isOver = false;
    const writing = Array.from({ length: 8 }, (_, index) =>
      writers[index % 2]?.writeUntil(() => isOver, `writer-${index}`),
    );
    for (let kill = 0; kill < KILLS; kill += 1) {
      const enough = acknowledged() + 10;
      await untilTrue(() => acknowledged() >= enough, 'writes are acknowledged again');
      await sleep(random() * 40);
      await server.kill();
      await server.start();
    }
    const enough = acknowledged() + 10;
    await untilTrue(() => acknowledged() >= enough, 'writes are acknowledged again');
    isOver = true;
    await Promise.all(writing);
    await converged(writers);
    expect(writers.flatMap(({ losses }) => losses)).toEqual([]);
  });

  it(`commits each write once, and reports no false success, over ${CUTS} cuts of connections`, async () => {
    const random = generator(2);
    const options = { timeouts: { commandMs: 150, connectMs: 150 } };
    const pairs = [await startBehindProxy(options), await startBehindProxy(options)];
    const writers = pairs.map(({ replica }) => replica);
    let isOver = false;
    const writing = Array.from({ length: 8 }, (_, index) =>
      writers[index % 2]?.writeUntil(() => isOver, `writer-${index}`),
    );
    while (proxies.reduce((sum, { cuts }) => sum + cuts, 0) < CUTS) {
      const proxy = proxies[random() < 0.5 ? 0 : 1];
      const chance = random();
      if (chance < 0.25) proxy?.cut();
      else if (chance < 0.6) proxy?.cutMidReply(Math.floor(random() * 200));
      else if (chance < 0.75) proxy?.strike('deaf');
      else if (chance < 0.9) proxy?.strike('black-hole');
      else if (proxy) proxy.delayMs = random() < 0.5 ? 0 : 5;
      await sleep(random() * 60);
      if (random() < 0.3) proxy?.cut();
    }
    for (const proxy of proxies) proxy.delayMs = 0;
    const enough = acknowledged() + 10;
    await untilTrue(() => acknowledged() >= enough, 'writes are acknowledged again');
    isOver = true;
    await Promise.all(writing);
    await converged(writers);
  });

  it('commits each write once, with one audit event, over cuts and delays while the log is trimmed every few commits', async () => {
    const seed = Number(process.env.BURGEE_SEED ?? Date.now() % 2 ** 31);
    console.info(`cuts while the log is trimmed: BURGEE_SEED=${seed}`);
    const random = generator(seed);
    const options = { timeouts: { commandMs: 300, connectMs: 300 } };
    const pairs = [await startBehindProxy(options), await startBehindProxy(options), await startBehindProxy(options)];
    const writers = pairs.map(({ replica }) => replica);
    let isOver = false;
    const writing = Array.from({ length: 12 }, (_, index) =>
      writers[index % 3]?.writeUntil(() => isOver, `writer-${index}`),
    );
    let trims = 0;
    const trimming = (async () => {
      for (let trimmed = 0; !isOver; await sleep(5)) {
        const replica = writers[trims % 3] as TestReplica;
        const { state } = replica.replica;
        if (state.seq < trimmed + 20) continue;
        try {
          const { seq } = await replica.store.saveSnapshot(state.seq, encodeSnapshot(state, SERVICE));
          await replica.store.trim(seq);
          trimmed = seq;
        } catch (error) {
          expect([StoreError, StateReplacedError].some((kind) => error instanceof kind)).toBe(true);
        }
        trims++;
      }
    })();
    while (proxies.reduce((sum, { cuts }) => sum + cuts, 0) < CUTS) {
      const proxy = proxies[Math.floor(random() * 3)];
      const chance = random();
      if (chance < 0.2) proxy?.cut();
      else if (chance < 0.5) proxy?.cutMidReply(Math.floor(random() * 200));
      else if (chance < 0.8) proxy?.strike('deaf');
      else if (chance < 0.85) proxy?.strike('black-hole');
      else if (proxy) proxy.delayMs = random() < 0.5 ? 0 : 20;
      await sleep(random() * 120);
    }
    for (const proxy of proxies) proxy.delayMs = 0;
    const enough = acknowledged() + 10;
    await untilTrue(() => acknowledged() >= enough, 'writes are acknowledged again');
    isOver = true;
    await Promise.all([...writing, trimming]);
    await untilTrue(() => writers.every(({ store }) => store.status().reachable), 'every replica reaches Redis');
    const first = writers[0] as TestReplica;
    const tip = await first.store.tip();
    await untilTrue(() => writers.every(({ seq }) => seq === tip), 'every replica has read the log');
    expect(new Set(writers.map((replica) => replica.digest())).size).toBe(1);
    const events = await first.store.readEventsForward(1, 10_000_000);
    const data = events.map(({ bytes }) => String(decodeEvent(bytes).data));
    const counts = new Map([...first.replica.state.entries('counters')].map(([name, { value }]) => [name, value]));
    const doubled = [...counts].filter(([name, value]) => name.startsWith('writer') && value !== 1);
    expect({ doubled, events: data.length }, `BURGEE_SEED=${seed}`).toEqual({
      doubled: [],
      events: new Set(data).size,
    });
    const endings = writers.flatMap((replica) => [...replica.endings]);
    const wrong = endings.filter(
      ([name, ending]) => ending !== 'unknown' && counts.has(name) !== (ending === 'acknowledged'),
    );
    expect(wrong, `BURGEE_SEED=${seed}`).toEqual([]);
    const unknown = endings.filter(([, ending]) => ending === 'unknown').length;
    console.info({ writes: endings.length, acknowledged: acknowledged(), unknown, trims });
    expect(trims).toBeGreaterThan(5);
  });

  it('recognises a batch whose answer was lost, and resolves it from the log', async () => {
    // Longer than a look at the server takes, also on a busy machine: until the timeout, nothing is sent again.
    const { proxy, store } = await openBehindProxy({ commandMs: 3_000, appendMs: 20_000, pollMs: 60_000 });
    proxy.strike('deaf');
    const appending = store.append(batchOf(1, [Buffer.from('heard by the server only')]));
    await untilTrue(
      async () => (await server.command('HGET', '{burgee}:meta', 'tip')).trim() === '2',
      'the server has appended it',
    );
    expect(proxy.accepted).toBe(2);
    expect(await appending).toMatchObject({ status: 'appended' });
    expect(await store.tip()).toBe(2);
  });

  it('answers a repeated append as appended and stores it once, also after the log was trimmed', async () => {
    const { store } = await openBehindProxy({});
    const batch = batchOf(1, [Buffer.from('a'), Buffer.from('b')], [1]);
    for (let times = 0; times < 3; times += 1) expect(await store.append(batch)).toMatchObject({ status: 'appended' });
    await store.saveSnapshot(3, pieces());
    await store.trim(3);
    expect(await store.append(batch)).toMatchObject({ status: 'appended' });
    expect(await store.tip()).toBe(3);
    expect(await store.readEvents(10, 10)).toHaveLength(1);
    const other = { ...batch, writeId: 'another-write' };
    expect(await store.append(other)).toEqual({ status: 'conflict', tip: 3 });
  });

  it('reports a batch that cannot be resolved in time as unknown, and one that was never sent as not appended', async () => {
    const timeouts = { commandMs: 150, connectMs: 150, appendMs: 600 };
    const { proxy, store } = await openBehindProxy(timeouts);
    proxy.setFault('deaf');
    const lost = await store.append(batchOf(1, [Buffer.from('kept?')])).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(StoreError);
    expect((lost as StoreError).outcome).toBe('unknown');
    const refused = await store.append(batchOf(1, [Buffer.from('no')])).catch((error: unknown) => error);
    expect((refused as StoreError).outcome).toBe('not-appended');
    expect(store.status()).toMatchObject({ reachable: false, since: expect.stringMatching(/^\d{4}-.*Z$/) });
    await expect(store.read(1, 1)).rejects.toThrow(StoreError);
    proxy.setFault('none');
    await untilTrue(() => store.status().reachable, 'Redis is reachable again');
    expect(await store.append(batchOf(1, [Buffer.from('late')]))).toEqual({ status: 'conflict', tip: 2 });
  });

  it('works again after Redis was stopped for seconds (SIGSTOP), with every write committed once', async () => {
    const writers = [await start(), await start()];
    let isOver = false;
    const writing = Array.from({ length: 8 }, (_, index) =>
      writers[index % 2]?.writeUntil(() => isOver, `writer-${index}`),
    );
    await untilTrue(() => acknowledged() > 50, 'writes are acknowledged');
    server.signal('SIGSTOP');
    await untilTrue(
      () => writers.every(({ endings }) => [...endings.values()].some((ending) => ending !== 'acknowledged')),
      'writes fail because Redis is unreachable',
    );
    for (const { store } of writers) expect(store.status()).toMatchObject({ reachable: false });
    await sleep(500);
    server.signal('SIGCONT');
    const enough = acknowledged() + 50;
    await untilTrue(() => acknowledged() >= enough, 'writes are acknowledged again');
    isOver = true;
    await Promise.all(writing);
    await converged(writers);
  });

  it('learns of commits by polling when only the connection for hints is cut', async () => {
    const writer = await start();
    const { proxy, replica } = await startBehindProxy({ timeouts: { heartbeatMs: 60_000 } });
    await untilTrue(() => proxy.connections === 2, 'both connections are there');
    // The connection for commands fails at its next poll and reconnects. The one for hints stays half-open: its heartbeat is rare.
    proxy.strike('black-hole');
    await untilTrue(() => proxy.accepted === 3, 'the connection for commands is back');
    await writer.write('while deaf');
    await untilTrue(() => replica.seq === writer.seq, 'the poll has found the commit');
    expect(replica.digest()).toBe(writer.digest());
    expect(proxy.accepted).toBe(3);
  });

  it('detects half-open connections, and receives hints again', async () => {
    const writer = await start();
    // The poll is so rare that only hints arrive in time.
    const timeouts = { pollMs: 60_000, heartbeatMs: 100, commandMs: 200 };
    const { proxy, replica } = await startBehindProxy({ timeouts });
    await untilTrue(() => proxy.connections === 2, 'both connections are there');
    await writer.write('before');
    await untilTrue(() => replica.seq === writer.seq, 'the hint arrived');
    proxy.strike('black-hole');
    await untilTrue(
      async () => proxy.accepted === 3 && (await subscribers()) === 2,
      'a new connection for hints was made',
    );
    await writer.write('after');
    await untilTrue(() => replica.seq === writer.seq, 'the next hint arrived');
  });

  const subscribers = async () => Number((await server.command('PUBSUB', 'NUMSUB', '{burgee}:hints')).split('\n')[1]);

  it('fails to open within its time limit when Redis is not running', async () => {
    await server.kill();
    const failure = await start(server.url, { timeouts: { openMs: 300 } }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreError);
    expect((failure as Error).message).toContain('ECONNREFUSED');
    await server.start();
  });
});

function openable(url: string, timeouts: Partial<RedisTimeouts>): RedisStore {
  return new RedisStore({
    url,
    logger: silentLogger,
    clock: systemClock,
    timeouts: { ...TEST_TIMEOUTS, ...timeouts },
  });
}

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('state');
}
