import { afterEach, describe, expect, it } from 'vitest';
import { parseConnectionString } from '../../../src/stores/redis/connection-string.ts';
import { locateServer } from '../../../src/stores/redis/locate-server.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { untilTrue } from '../../support/until.ts';
import { expectTruth, TestReplica } from './redis-replica.ts';

const TIMEOUTS = { connectMs: 60_000, commandMs: 60_000 };

describe('the server that is found', () => {
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

  const start = async (url: string) => {
    const replica = await TestReplica.start(url, { timeouts: { openMs: 60_000 } });
    replicas.push(replica);
    return replica;
  };

  const locate = (url: string) => locateServer(parseConnectionString(url), 'key', TIMEOUTS);

  it('is the one that a sentinel names, after one that does not answer', async () => {
    const primary = await startServer();
    const sentinel = await startServer({ sentinel: [`sentinel monitor flags 127.0.0.1 ${primary.port} 1`] });
    const url = `redis-sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/flags`;
    expect(await locate(url)).toEqual({ host: '127.0.0.1', port: primary.port });
    const replica = await start(url);
    expect(await replica.write('one')).toBe('acknowledged');
    expect((await primary.command('HGET', '{burgee}:meta', 'tip')).trim()).toBe('1');
    await expectTruth(replica.store, [replica]);
  });

  it('is the node of a cluster that holds the keys, after one that does not answer', async () => {
    const node = await startServer({ args: ['--cluster-enabled', 'yes'] });
    const url = `redis-cluster://127.0.0.1:1,127.0.0.1:${node.port}`;
    await expect(locate(url)).rejects.toThrow(
      /^no node knows the server \(127\.0\.0\.1:1: .*; .* no node holds slot 12539\)$/,
    );
    await node.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await untilTrue(async () => (await node.command('CLUSTER', 'INFO')).includes('cluster_state:ok'), 'it is formed');
    // The node does not know its own address, because no other node has named it.
    expect(await locate(url)).toEqual({ host: '127.0.0.1', port: node.port });
    await node.command('CONFIG', 'SET', 'cluster-announce-ip', '127.0.0.2');
    expect(await locate(url)).toEqual({ host: '127.0.0.2', port: node.port });
    await node.command('CONFIG', 'SET', 'cluster-announce-ip', '127.0.0.1');
    const replica = await start(url);
    expect(await replica.write('one')).toBe('acknowledged');
    await expectTruth(replica.store, [replica]);
  });
});
