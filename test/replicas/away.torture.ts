import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';
import { expectKept, isUnknown, Poller, readLog, Writers } from './load.ts';

/** 20 for the long run. */
const STOPPED_SECONDS = Number(process.env.REPLICA_TEST_STOPPED_SECONDS ?? 4);

describe('a replica whose Redis is away', () => {
  let fleet: Fleet;
  afterEach(() => fleet.dispose());

  const readyBody = async (replica: ReplicaProcess) => (await replica.ready()).json;

  it('still answers reads, refuses writes in time, reports it, and recovers by itself', async () => {
    fleet = await Fleet.start(2);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    expect((await a.create('before')).status).toBe(201);
    await fleet.expectAgreement();
    fleet.redis.signal('SIGSTOP');
    const pollers = [new Poller(a), new Poller(b)];
    const stopped = sleep(STOPPED_SECONDS * 1_000).then(() => 'still stopped');
    for (let count = 0; count < 3; count++) {
      const refused = await Promise.race([a.create(`during-${count}`), stopped]);
      expect(refused).toMatchObject({ status: 503, json: { name: 'ServiceUnavailableError' } });
      const { text, headers } = refused as Awaited<ReturnType<typeof a.create>>;
      // The first write was under way when Redis stopped: it may have taken effect, so clients must not repeat it automatically.
      expect(headers.get('retry-after')).toEqual(isUnknown(text) ? null : expect.stringMatching(/^\d+$/));
    }
    for (const replica of fleet.replicas) {
      await untilTrue(async () => (await readyBody(replica)).store !== 'reachable', 'the outage is reported');
      expect(await readyBody(replica)).toMatchObject({
        status: 'READY',
        store: expect.stringMatching(/^unreachable since 20.*Z: /),
        stale: expect.stringMatching(/^since 20/),
      });
    }
    const unknown = await a.poll({ authorization: '*:development.made-elsewhere' });
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await a.call('GET', '/api/admin/events')).status).toBe(503);
    await stopped;
    for (const poller of pollers) await poller.stop();
    fleet.redis.signal('SIGCONT');
    await untilTrue(async () => (await b.create('after')).status === 201, 'writes are accepted again');
    const { names } = await fleet.expectAgreement();
    expect(names).toContain('before');
    expect(names).toContain('after');
    expect((await a.poll({ authorization: '*:development.made-elsewhere' })).status).toBe(401);
    expect(await readyBody(a)).toMatchObject({ store: 'reachable', stale: null, losses: { found: 0 } });
  });

  it('that starts without Redis and without a copy answers 503 and nothing else, and is ready when Redis is', async () => {
    fleet = await Fleet.start(0);
    const { redis } = fleet;
    await redis.kill();
    const replica = await fleet.add();
    await replica.spawn();
    await untilTrue(async () => (await replica.ready().catch(() => undefined)) !== undefined, 'it listens');
    const ready = await replica.ready();
    expect(ready.status).toBe(503);
    expect(ready.json.message).toMatch(/The store is unreachable since 20/);
    expect((await replica.call('GET', '/health')).status).toBe(200);
    for (const path of ['/api/client/features', '/api/frontend', '/api/admin/projects', '/api/nowhere']) {
      const answer = await replica.call('GET', path);
      expect([answer.status, answer.headers.get('retry-after')], path).toEqual([503, '1']);
    }
    expect((await replica.create('early')).status).toBe(503);
    await redis.start();
    await replica.untilReady();
    expect((await replica.poll()).json.features).toEqual([]);
    expect((await replica.create('first')).status).toBe(201);
  });

  it('that starts without Redis serves its local copy, with the same bytes and ETag, and catches up when Redis is back', async () => {
    fleet = await Fleet.start(2);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    for (let count = 0; count < 20; count++) await a.create(`kept-${count}`);
    await fleet.expectAgreement();
    const before = await a.poll();
    await a.end();
    expect((await b.create('missed')).status).toBe(201);
    await fleet.redis.kill();
    await a.start();
    const served = await a.poll();
    expect([served.text, served.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
    expect(await readyBody(a)).toMatchObject({
      store: expect.stringMatching(/^unreachable since/),
      stale: expect.stringMatching(/^since 20.*local copy$/),
    });
    expect((await a.create('no')).status).toBe(503);
    expect((await a.poll({ authorization: '*:development.made-elsewhere' })).status).toBe(503);
    await fleet.redis.start();
    await untilTrue(async () => (await readyBody(a)).stale === null, 'it has caught up');
    const { names } = await fleet.expectAgreement();
    expect(names).toContain('missed');
    expect((await a.poll()).headers.get('etag')).toBe((await b.poll()).headers.get('etag'));
  });

  it('that was killed while it saved copies under load has a complete copy, of one moment', async () => {
    fleet = await Fleet.start(1, { LOCAL_COPY_EVERY_MS: '5' });
    const replica = fleet.at(0);
    for (let round = 0; round < 3; round++) {
      const writers = new Writers(8, [replica], `round-${round}`);
      await sleep(400 + Math.random() * 300);
      await replica.end('SIGKILL');
      await writers.stop();
      await fleet.redis.kill();
      await replica.start();
      const { revision } = (await replica.ready()).json;
      const served: string[] = (await replica.poll()).json.features.map(({ name }: { name: string }) => name);
      await fleet.redis.start();
      const { created } = await readLog(fleet.redis.url, revision);
      expect(served).toEqual([...created].sort());
      await untilTrue(async () => (await replica.ready()).json.stale === null, 'it has caught up');
      expectKept((await fleet.expectAgreement()).names, writers);
    }
  });

  it('does not serve a copy that is damaged', async () => {
    fleet = await Fleet.start(1);
    const replica = fleet.at(0);
    await replica.create('kept');
    await replica.end();
    const path = join(replica.directory, 'replica.copy');
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    await fleet.redis.kill();
    await replica.spawn();
    await untilTrue(async () => (await replica.ready().catch(() => undefined)) !== undefined, 'it listens');
    await sleep(1_500);
    expect((await replica.ready()).status).toBe(503);
    expect((await replica.poll()).status).toBe(503);
    expect(replica.log).toContain('is damaged');
    await fleet.redis.start();
    await replica.untilReady();
    expect((await replica.poll()).text).toContain('"kept"');
  });

  it('refuses to start when waiting will not help', async () => {
    fleet = await Fleet.start(0, {}, { args: ['--appendfsync', 'everysec'] });
    const strict = await fleet.add({ REDIS_STRICT: 'true' });
    await strict.spawn();
    expect(await strict.exited).toBe(1);
    expect(strict.log).toContain('burgee cannot start');
    expect(strict.log).toContain('appendfsync');
    const misspelt = await fleet.add({ REDIS_URL: 'redis//:secret@host' });
    await misspelt.spawn();
    expect(await misspelt.exited).toBe(1);
    expect(misspelt.log).toContain('REDIS_URL: not a connection string');
    expect(misspelt.log).not.toContain('secret');
  });

  it('stops at once on SIGTERM while it waits for Redis', async () => {
    fleet = await Fleet.start(0);
    await fleet.redis.kill();
    const replica = await fleet.add();
    await replica.spawn();
    await untilTrue(async () => (await replica.ready().catch(() => undefined)) !== undefined, 'it listens');
    replica.signal('SIGTERM');
    expect(await replica.exited).toBe(0);
  });
});
