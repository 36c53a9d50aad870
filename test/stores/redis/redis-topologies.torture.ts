import { afterEach, describe, expect, it } from 'vitest';
import { relate } from '../../../src/stores/lineage.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { untilTrue } from '../../support/until.ts';
import { expectTruth, TestReplica } from './redis-replica.ts';

describe('RedisStore in front of more than one server', () => {
  let servers: RedisServer[] = [];
  let replicas: TestReplica[] = [];

  afterEach(async () => {
    for (const replica of replicas) await replica.close();
    for (const server of servers) await server.dispose();
    servers = [];
    replicas = [];
  });

  const startServer = async (options: Parameters<typeof RedisServer.start>[0] = {}) => {
    const server = await RedisServer.start(options);
    servers.push(server);
    return server;
  };

  const start = async (url: string, options: Parameters<typeof TestReplica.start>[1] = {}) => {
    const replica = await TestReplica.start(url, options);
    replicas.push(replica);
    return replica;
  };

  const startReplicaOf = async (primary: RedisServer) => {
    const secondary = await startServer({ args: ['--replicaof', '127.0.0.1', String(primary.port)] });
    await inStep(primary);
    return secondary;
  };

  /** Waits until the replica has acknowledged everything to the primary: from then on, the primary counts it. */
  const inStep = (primary: RedisServer) =>
    untilTrue(async () => {
      const info = await primary.command('INFO', 'replication');
      const [, offset] = /state=online,offset=(\d+)/.exec(info) ?? [];
      return offset !== undefined && info.includes(`master_repl_offset:${offset}\r`);
    }, 'the replica is in step');

  it('finds its server through a sentinel, and loses no acknowledged write in a failover', async () => {
    const primary = await startServer();
    const secondary = await startReplicaOf(primary);
    const sentinel = await startServer({
      sentinel: [
        `sentinel monitor flags 127.0.0.1 ${primary.port} 1`,
        'sentinel down-after-milliseconds flags 300',
        'sentinel failover-timeout flags 2000',
      ],
    });
    await untilTrue(
      async () => (await sentinel.command('SENTINEL', 'replicas', 'flags')).includes(String(secondary.port)),
      'it lists both',
    );
    const url = `redis-sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/flags`;
    const options = { waitReplicas: 1, timeouts: { appendMs: 2_500 } };
    const [a, b] = [await start(url, options), await start(url, options)];
    let isOver = false;
    const writing = [a, b].map((replica, index) => replica.writeUntil(() => isOver, `writer-${index}`));
    await untilTrue(() => a.acknowledged.length > 20 && b.acknowledged.length > 20, 'writes are acknowledged');
    await primary.kill();
    await untilTrue(
      async () => (await secondary.command('INFO', 'replication')).includes('role:master'),
      'the sentinel has failed over',
    );
    // The new primary has no replica, so no replica can acknowledge a write.
    isOver = true;
    await Promise.all(writing);
    const survivor = await start(url);
    expect(await survivor.write('after')).toBe('acknowledged');
    await expectTruth(survivor.store, [a, b, survivor]);
  });

  it('begins a new epoch on a server that copied the data of another one, although its run id is the same', async () => {
    const primary = await startServer();
    const secondary = await startReplicaOf(primary);
    const first = await start(primary.url);
    expect(await first.write('one')).toBe('acknowledged');
    const copiedTip = async () => (await secondary.command('HGET', '{burgee}:meta', 'tip')).trim();
    await untilTrue(async () => (await copiedTip()) === '1', 'the other server has it');
    await secondary.command('REPLICAOF', 'NO', 'ONE');
    expect(await first.write('lost')).toBe('acknowledged');
    const known = first.store.position;
    await first.close();
    // It becomes a replica, copies the data of the other server, and becomes a primary again, without a restart: its run id is confirmed.
    await primary.command('REPLICAOF', '127.0.0.1', String(secondary.port));
    await untilTrue(
      async () => (await primary.command('INFO', 'replication')).includes('master_link_status:up'),
      'it is in step',
      60_000,
    );
    await primary.command('REPLICAOF', 'NO', 'ONE');
    const second = await start(primary.url);
    expect(await second.write('other')).toBe('acknowledged');
    const { epoch, seq, ancestors } = second.store.position;
    expect({ seq, ancestors }).toMatchObject({ seq: 2, ancestors: [{ epoch: known.epoch, seq: 1 }] });
    expect(epoch).not.toBe(known.epoch);
    expect(relate(known, second.store.position)).toEqual({ commonSeq: 1, leftDivergent: 1, rightDivergent: 1 });
  });

  it('notices that its server copied the data of another one, although it stays connected', async () => {
    const primary = await startServer();
    const secondary = await startReplicaOf(primary);
    const replica = await start(primary.url);
    expect(await replica.write('one')).toBe('acknowledged');
    const { epoch } = replica.store;
    await untilTrue(
      async () => (await secondary.command('HGET', '{burgee}:meta', 'tip')).trim() === '1',
      'the other server has it',
    );
    await secondary.command('REPLICAOF', 'NO', 'ONE');
    await primary.command('REPLICAOF', '127.0.0.1', String(secondary.port));
    await untilTrue(
      async () => (await primary.command('INFO', 'replication')).includes('master_link_status:up'),
      'it is in step',
      60_000,
    );
    await primary.command('REPLICAOF', 'NO', 'ONE');
    await untilTrue(() => replica.store.epoch !== epoch, 'it is confirmed again');
    expect(await replica.write('two')).toBe('acknowledged');
    await expectTruth(replica.store, [replica]);
  });

  it('finds the node of a cluster that holds its keys', async () => {
    const args = ['--cluster-enabled', 'yes'];
    const [empty, holder] = [await startServer({ args }), await startServer({ args })];
    await holder.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await empty.command('CLUSTER', 'MEET', '127.0.0.1', String(holder.port));
    for (const node of [empty, holder]) {
      await untilTrue(
        async () => (await node.command('CLUSTER', 'INFO')).includes('cluster_state:ok'),
        'the cluster is formed',
      );
    }
    await untilTrue(
      async () => (await empty.command('CLUSTER', 'SLOTS')).includes(String(holder.port)),
      'the empty node lists the other',
    );
    const url = `redis-cluster://127.0.0.1:1,127.0.0.1:${empty.port}`;
    const [a, b] = [await start(url), await start(url)];
    expect(await a.write('one')).toBe('acknowledged');
    expect(await b.write('two')).toBe('acknowledged');
    await untilTrue(() => a.seq === 2, 'the first one has the write of the second');
    expect(a.digest()).toBe(b.digest());
    await a.store.saveSnapshot(2, snapshot());
    await a.store.trim(2);
    await expectTruth(a.store, [], 3);
  });

  it('reports a write as unknown if too few replicas of the server acknowledged it', async () => {
    const primary = await startServer();
    const secondary = await startReplicaOf(primary);
    const writer = await start(primary.url, { waitReplicas: 1, timeouts: { appendMs: 2_500 } });
    expect(await writer.write('with a replica')).toBe('acknowledged');
    await secondary.kill();
    expect(await writer.write('without')).toBe('unknown');
    await secondary.start();
    await inStep(primary);
    // After a refusal each write has one try, and a replica on a busy machine may be late for that.
    let tries = 0;
    while ((await writer.write(`with it again, ${tries}`)) !== 'acknowledged') expect(++tries).toBeLessThan(50);
    await expectTruth(writer.store, [writer]);
  });

  it('reports writes as refused if the server refuses them (min-replicas-to-write)', async () => {
    const primary = await startServer({ args: ['--min-replicas-to-write', '1'] });
    const secondary = await startReplicaOf(primary);
    const writer = await start(primary.url, { timeouts: { appendMs: 400 } });
    expect(await writer.write('with a replica')).toBe('acknowledged');
    await secondary.kill();
    await untilTrue(
      async () => (await primary.command('INFO', 'replication')).includes('connected_slaves:0'),
      'the server has noticed',
    );
    expect(await writer.write('without')).toBe('refused');
    await expectTruth(writer.store, [writer]);
  });

  it('does not write to a server that became a replica', async () => {
    const [first, second] = [await startServer(), await startServer()];
    const writer = await start(first.url, { timeouts: { appendMs: 400 } });
    expect(await writer.write('before')).toBe('acknowledged');
    await first.command('REPLICAOF', '127.0.0.1', String(second.port));
    expect(await writer.write('during')).toBe('refused');
    await untilTrue(() => !writer.store.status().reachable, 'the store reports it');
    expect(writer.store.status()).toMatchObject({ reason: expect.stringContaining('replica') });
  });
});

async function* snapshot(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('state');
}
