import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RedisServer } from '../../support/programs/redis.ts';
import { untilTrue } from '../../support/until.ts';
import { expectTruth, TestReplica } from './redis-replica.ts';

describe('a write that must reach a replica of the server', () => {
  let primary: RedisServer;
  let secondary: RedisServer | undefined;
  let writer: TestReplica | undefined;

  beforeEach(async () => {
    primary = await RedisServer.start();
    [secondary, writer] = [undefined, undefined];
  });

  afterEach(async () => {
    await writer?.close();
    await secondary?.dispose();
    await primary.dispose();
  });

  /** Waits until the replica has acknowledged everything to the primary: from then on, the primary counts it. */
  const inStep = () =>
    untilTrue(async () => {
      const info = await primary.command('INFO', 'replication');
      const [, offset] = /state=online,offset=(\d+)/.exec(info) ?? [];
      return offset !== undefined && info.includes(`master_repl_offset:${offset}\r`);
    }, 'the replica is in step');

  it('is unknown without one, then refused before it is sent, and acknowledged as soon as there is one', async () => {
    const timeouts = { openMs: 60_000, commandMs: 60_000, appendMs: 400, waitReplicasMs: 50 };
    writer = await TestReplica.start(primary.url, { waitReplicas: 1, timeouts });
    const { store } = writer;
    await expect(store.probe()).rejects.toMatchObject({
      message: '0 of 1 replicas of the server are connected',
      refusal: 'replicas-behind',
    });
    expect(await writer.write('without')).toBe('unknown');
    expect(await writer.write('not sent')).toBe('refused');
    expect((await primary.command('HGET', '{burgee}:meta', 'tip')).trim()).toBe('1');
    secondary = await RedisServer.start({ args: ['--replicaof', '127.0.0.1', String(primary.port)] });
    await inStep();
    // After a refusal each write has one try, and a replica on a busy machine may be late for that.
    let tries = 0;
    while ((await writer.write(`with it, ${tries}`)) !== 'acknowledged') expect(++tries).toBeLessThan(500);
    await untilTrue(
      () =>
        store.probe().then(
          () => true,
          () => false,
        ),
      'the probe is content',
    );
    await expectTruth(store, [writer]);
  });
});
