import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { RedisServer } from '../support/programs/redis.ts';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('a replica whose writes are refused', () => {
  let fleet: Fleet;
  const others: RedisServer[] = [];
  afterEach(async () => {
    await fleet.dispose();
    for (const server of others.splice(0)) await server.dispose();
  });

  const refusal = async (replica: ReplicaProcess) => (await replica.ready()).json?.writesRefused;
  const untilRefused = (replica: ReplicaProcess, reason: string) =>
    untilTrue(async () => (await refusal(replica))?.reason === reason, `/ready reports ${reason}`);
  const untilTaken = (replica: ReplicaProcess) =>
    untilTrue(async () => (await refusal(replica)) === null, '/ready reports that writes are accepted');
  const gauges = (replica: ReplicaProcess) => replica.call('GET', '/internal-backstage/prometheus');

  /** For any reason, and with or without writes: the refusal is reported, reads continue, and the answer to a write states that nothing was changed. */
  const expectReported = async (replica: ReplicaProcess, reason: string, advice: RegExp) => {
    await untilRefused(replica, reason);
    const ready = await replica.ready();
    expect(ready.status).toBe(200);
    const { since, message, ...reported } = ready.json.writesRefused;
    expect(reported).toMatchObject({ reason, advice: expect.stringMatching(advice) });
    expect(since).toMatch(RFC_3339);
    expect(Math.abs(Date.now() - Date.parse(since))).toBeLessThan(60_000);
    expect(message).not.toBe('');
    const { headers, text } = await gauges(replica);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain(`burgee_writes_refused{reason="${reason}"} 1\n`);
    expect(text.match(/^burgee_writes_refused\{.*\} 1$/gm)).toHaveLength(1);
    expect(text).toContain(`burgee_writes_refused_since_seconds ${Date.parse(since) / 1_000}\n`);
    const refused = await replica.create(`refused-${reason}`);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.json.message).toContain('nothing was changed');
    expect((await replica.poll()).status).toBe(200);
  };

  const expectBack = async (replica: ReplicaProcess, reason: string) => {
    await untilTaken(replica);
    expect((await gauges(replica)).text).not.toMatch(/^burgee_writes_refused\{.*\} 1$/m);
    const written = await replica.create(`after-${reason}`);
    expect(written.status, written.text).toBe(201);
    const names: string[] = (await replica.poll()).json.features.map(({ name }: { name: string }) => name);
    expect(names).toContain(`after-${reason}`);
    expect(names).not.toContain(`refused-${reason}`);
  };

  it('reports it when Redis is full, cannot save, became a replica, revokes a permission, or is unreachable, and accepts writes again by itself', async () => {
    fleet = await Fleet.start(1);
    const [replica, { redis }] = [fleet.at(0), fleet];
    await untilTaken(replica);
    expect((await replica.ready()).json).toMatchObject({ store: 'reachable', writesRefused: null });

    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    await expectReported(replica, 'memory-full', /maxmemory/);
    expect((await replica.ready()).json.store).toBe('reachable');
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await expectBack(replica, 'memory-full');

    // A directory is at the path of the file, so that no user can write the file.
    mkdirSync(join(redis.directory, 'dump.rdb'));
    writeFileSync(join(redis.directory, 'dump.rdb', 'kept'), '');
    await redis.command('CONFIG', 'SET', 'save', '3600 100000', 'stop-writes-on-bgsave-error', 'yes');
    await redis.command('BGSAVE');
    await expectReported(replica, 'server-disk', /disk and the log of Redis/);
    expect((await replica.ready()).json.writesRefused.message).toContain('MISCONF');
    rmSync(join(redis.directory, 'dump.rdb'), { recursive: true });
    await untilTrue(async () => {
      await redis.command('BGSAVE');
      return (await redis.command('INFO', 'persistence')).includes('rdb_last_bgsave_status:ok');
    }, 'it can save');
    await expectBack(replica, 'server-disk');

    // A replica of a server that does not exist: it keeps what it has.
    await redis.command('REPLICAOF', '127.0.0.1', '1');
    await expectReported(replica, 'read-only', /REPLICAOF NO ONE/);
    await redis.command('REPLICAOF', 'NO', 'ONE');
    await expectBack(replica, 'read-only');

    await redis.command('ACL', 'SETUSER', 'default', '-xadd');
    await expectReported(replica, 'signed-out', /rights/);
    await untilTrue(async () => (await refusal(replica))?.message.includes('XADD'), 'the message names the command');
    await redis.command('ACL', 'SETUSER', 'default', '+@all');
    await expectBack(replica, 'signed-out');

    await redis.kill();
    await expectReported(replica, 'unreachable', /Bring Redis back/);
    await redis.start();
    await expectBack(replica, 'unreachable');
  });

  it('reports it when replicas of Redis lag; only the outcome of writes from before that may be unknown', async () => {
    fleet = await Fleet.start(0);
    const { redis } = fleet;
    const secondary = await RedisServer.start({ args: ['--replicaof', '127.0.0.1', String(redis.port)] });
    others.push(secondary);
    await untilTrue(
      async () => (await redis.command('INFO', 'replication')).includes('state=online'),
      'the secondary is in step',
    );
    const replica = await fleet.add({ REDIS_WAIT_REPLICAS: '1', REDIS_COMMAND_TIMEOUT_MS: '1000' });
    await replica.start();
    await untilTrue(async () => (await replica.create(`before-${Date.now()}`)).status === 201, 'it writes');
    secondary.signal('SIGSTOP');
    expect((await replica.create('perhaps')).json.message).toContain('not known');
    await expectReported(replica, 'replicas-behind', /REDIS_WAIT_REPLICAS/);
    secondary.signal('SIGCONT');
    await expectBack(replica, 'replicas-behind');
    // Also without a write.
    await secondary.kill();
    await untilRefused(replica, 'replicas-behind');
  });

  it('reports it at its first start, when it cannot write its first content', async () => {
    fleet = await Fleet.start(0);
    await fleet.redis.command('CONFIG', 'SET', 'maxmemory', '1');
    const replica = await fleet.add();
    await replica.spawn();
    const message = async () => (await replica.ready().catch(() => undefined))?.json?.message ?? '';
    await untilTrue(async () => /OOM.*Raise maxmemory/.test(await message()), '/ready reports why it is not ready');
    await fleet.redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await replica.untilReady();
    expect((await replica.create('first')).status).toBe(201);
  });

  it('writes its first tokens to their file although it was long unknown whether they were stored', async () => {
    fleet = await Fleet.start(0);
    const { redis } = fleet;
    const none = { INIT_ADMIN_API_TOKENS: '', INIT_CLIENT_API_TOKENS: '', INIT_FRONTEND_API_TOKENS: '' };
    const replica = await fleet.add({ ...none, REDIS_WAIT_REPLICAS: '1' });
    await replica.spawn();
    // They are in the log, and no replica of Redis has them.
    await untilTrue(
      () => replica.log.includes('whether the change was stored is not known'),
      'it gives up the first try',
    );
    others.push(await RedisServer.start({ args: ['--replicaof', '127.0.0.1', String(redis.port)] }));
    await replica.untilReady();
    const file = join(replica.directory, 'first-tokens.txt');
    await untilTrue(() => existsSync(file), 'it writes its first tokens');
    const text = readFileSync(file, 'utf8');
    const [, authorization = ''] = /^ {2}admin +(\S+)$/m.exec(text) ?? [];
    const asAdmin = { headers: { authorization } };
    expect((await replica.call('GET', '/api/admin/projects', asAdmin)).status).toBe(200);
    const { json } = await replica.call('GET', '/api/admin/api-tokens', asAdmin);
    expect(json.tokens.map(({ tokenName }: { tokenName: string }) => tokenName).sort()).toEqual([
      'first-admin',
      'first-client',
      'first-frontend',
    ]);
    await replica.end();
    rmSync(file);
    await replica.start();
    expect(existsSync(file)).toBe(false);
  });

  it('reports it when it halts, until an operator decides', async () => {
    fleet = await Fleet.start(1, { REDIS_ON_LOSS: 'halt' });
    const replica = fleet.at(0);
    expect((await replica.create('known')).status).toBe(201);
    await fleet.redis.command('FLUSHALL');
    await expectReported(replica, 'halted', /REDIS_ON_LOSS=refill/);
    await replica.end();
    await replica.start({ REDIS_ON_LOSS: 'refill' });
    await expectBack(replica, 'halted');
  });
});
