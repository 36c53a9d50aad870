import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { TcpFaultProxy } from '../stores/tcp-fault-proxy.ts';
import { RedisServer } from '../support/programs/redis.ts';
import { untilTrue } from '../support/until.ts';
import { Fleet } from './fleet.ts';
import type { Writers } from './load.ts';
import { Witness } from './witness.ts';

/** Sentinels and resynchronisation take longer on busy processors. */
const PATIENCE_MS = 60_000;

describe('replicas whose primary Redis is lost', () => {
  let fleet: Fleet;
  let witness: Witness;
  let servers: RedisServer[];
  let proxies: TcpFaultProxy[] = [];

  afterEach(async () => {
    await witness?.close();
    await fleet.dispose();
    for (const server of servers) await server.dispose();
    for (const proxy of proxies) await proxy.close();
    proxies = [];
  });

  /** Two replicas, which find a primary and its one replica through a sentinel. */
  const startBehindSentinel = async (environment: Record<string, string>) => {
    fleet = await Fleet.start(0);
    const primary = fleet.redis;
    const secondary = await RedisServer.start();
    servers = [secondary];
    await replicate(secondary, primary);
    const sentinel = await RedisServer.start({
      sentinel: [
        `sentinel monitor flags 127.0.0.1 ${primary.port} 1`,
        'sentinel down-after-milliseconds flags 1000',
        'sentinel failover-timeout flags 5000',
      ],
    });
    servers.push(sentinel);
    const isListed = async () =>
      (await sentinel.command('SENTINEL', 'replicas', 'flags')).includes(String(secondary.port));
    await untilTrue(isListed, 'the sentinel lists both servers', PATIENCE_MS);
    const url = `redis-sentinel://127.0.0.1:${sentinel.port}/flags`;
    for (let index = 0; index < 2; index++) await fleet.add({ REDIS_URL: url, ...environment });
    await Promise.all(fleet.replicas.map((replica) => replica.start()));
    witness = new Witness(fleet);
    return { primary, secondary };
  };

  const replicate = async (server: RedisServer, primary: RedisServer) => {
    await server.command('REPLICAOF', '127.0.0.1', String(primary.port));
    const isInStep = async () => (await server.command('INFO', 'replication')).includes('master_link_status:up');
    await untilTrue(isInStep, 'the server is in step', PATIENCE_MS);
  };

  const isPrimary = async (server: RedisServer) =>
    (await server.command('INFO', 'replication')).includes('role:master');
  const tipOf = async (server: RedisServer) => Number((await server.command('HGET', '{burgee}:meta', 'tip')).trim());

  const more = async (writers: Writers, count: number, what: string) => {
    const before = writers.acknowledged.size;
    await untilTrue(() => writers.acknowledged.size >= before + count, what, PATIENCE_MS);
  };

  it('write back what the promoted server never had (WAIT 0)', async () => {
    const { primary, secondary } = await startBehindSentinel({});
    const writers = witness.write(4, fleet.replicas, 'flag', 20);
    await more(writers, 20, 'writes are accepted');
    // The secondary receives nothing more: what is acknowledged from here on is only on the primary.
    await secondary.command('REPLICAOF', '127.0.0.1', '1');
    await more(writers, 8, 'writes are accepted by the primary alone');
    await primary.kill();
    const [lost, had] = [
      [...writers.acknowledged.values()].reduce((a, b) => Math.max(a, b), 0),
      await tipOf(secondary),
    ];
    expect(had).toBeLessThan(lost);
    await untilTrue(() => isPrimary(secondary), 'the secondary is promoted', PATIENCE_MS);
    await more(writers, 20, 'writes are accepted again');
    await writers.stop();
    expect((await witness.judge(secondary)).missing).toEqual([]);
    const ready = await Promise.all(fleet.replicas.map(async (replica) => (await replica.ready()).json.losses));
    expect(ready.reduce((sum, { refilled }) => sum + refilled, 0)).toBeGreaterThanOrEqual(1);
  });

  it('lose no acknowledged write although all of them were killed, when a second server had to have it (WAIT 1)', async () => {
    const { primary, secondary } = await startBehindSentinel({ REDIS_WAIT_REPLICAS: '1' });
    const writers = witness.write(4, fleet.replicas, 'flag', 20);
    await more(writers, 20, 'writes are accepted');
    await secondary.command('REPLICAOF', '127.0.0.1', '1');
    const isRefused = () => writers.unknown.size > 0 && writers.unknown.size + writers.refused.size > 5;
    await untilTrue(isRefused, 'writes that the primary alone has are not acknowledged', PATIENCE_MS);
    await primary.kill();
    for (const replica of fleet.replicas) {
      await replica.end('SIGKILL');
      rmSync(join(replica.directory, 'replica.copy'), { force: true });
    }
    await writers.stop();
    await untilTrue(() => isPrimary(secondary), 'the secondary is promoted', PATIENCE_MS);
    await Promise.all(fleet.replicas.map((replica) => replica.start()));
    expect((await witness.judge(secondary)).missing).toEqual([]);
  });

  it('continue with the server that was promoted when the primary hung, and lose nothing when the primary continues', async () => {
    const { primary, secondary } = await startBehindSentinel({});
    const writers = witness.write(4, fleet.replicas, 'flag', 20);
    await more(writers, 20, 'writes are accepted');
    primary.signal('SIGSTOP');
    await untilTrue(() => isPrimary(secondary), 'the secondary is promoted', PATIENCE_MS);
    await more(writers, 20, 'writes are accepted again');
    // It now executes what was sent to it before, but no replica uses it any more.
    primary.signal('SIGCONT');
    await more(writers, 20, 'writes are still accepted');
    await writers.stop();
    await witness.judge(secondary);
  });

  it('wait for a server that does not answer for longer than the grace period, and continue with it', async () => {
    servers = [];
    fleet = await Fleet.start(2);
    witness = new Witness(fleet);
    const writers = witness.write(4, fleet.replicas, 'flag', 20);
    await more(writers, 20, 'writes are accepted');
    fleet.redis.signal('SIGSTOP');
    const isNoticed = async () => {
      const ready = await Promise.all(fleet.replicas.map((replica) => replica.ready()));
      return ready.every(({ json }) => json.store !== 'reachable');
    };
    await untilTrue(isNoticed, 'both have noticed');
    const refused = writers.refused.size;
    await untilTrue(() => writers.refused.size > refused + 5, 'writes are refused');
    fleet.redis.signal('SIGCONT');
    await more(writers, 20, 'writes are accepted again');
    await writers.stop();
    expect((await witness.judge()).missing).toEqual([]);
    for (const replica of fleet.replicas) expect((await replica.ready()).json.losses.found).toBe(0);
  });

  it('report what one gives up that was cut off for longer than the grace period, while the other one continued from an older file', async () => {
    servers = [];
    fleet = await Fleet.start(1);
    const proxy = await TcpFaultProxy.start(fleet.redis.port);
    proxies = [proxy];
    const cutOff = await fleet.add({ REDIS_URL: proxy.url });
    await cutOff.start();
    witness = new Witness(fleet);
    const other = fleet.at(0);
    const before = witness.write(2, fleet.replicas, 'before', 5);
    await more(before, 10, 'writes are accepted');
    await before.stop();
    await fleet.expectAgreement();
    fleet.redis.backUp('early');
    await other.end();
    const lost = witness.write(2, [cutOff], 'lost', 5);
    await more(lost, 10, 'writes are accepted by one alone');
    await lost.stop();
    proxy.setFault('black-hole');
    await untilTrue(async () => (await cutOff.ready()).json.store !== 'reachable', 'it has noticed');
    await fleet.redis.restore('early');
    await other.start();
    const kept = witness.write(2, [other], 'kept', 5);
    await more(kept, 20, 'the other one continues');
    proxy.setFault('none');
    proxy.cut();
    await more(kept, 20, 'it still continues');
    await kept.stop();
    const { missing } = await witness.judge();
    expect([...missing].sort()).toEqual([...lost.acknowledged.keys()].sort());
    expect((await cutOff.ready()).json.losses).toMatchObject({ current: null, givenUp: missing.length });
  });
});
