import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { accepted, FORBIDDEN, flag, prepare, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { expectRefusal, tell } from './store-command.ts';

describe('a backup of a running service', () => {
  let root: string;
  const services: TestService[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'burgee-hot-'));
  });

  afterEach(async () => {
    for (const service of services.splice(0)) await service.close();
    rmSync(root, { recursive: true, force: true });
  });

  const start = async (store?: Store, clock: Clock = systemClock) => {
    const service = await startTestService(store ? { store } : { onDisk: true, clock });
    services.push(service);
    while ((await fetch(`${service.url}/ready`)).status !== 200) await sleep(5);
    return service;
  };

  /** Flags of 12 MB: more than sockets take. */
  const fill = async (service: TestService) => {
    const description = '.'.repeat(200_000);
    for (let part = 0; part < 10; part += 1)
      await prepare(service, (draft) => {
        for (let count = 0; count < 6; count += 1)
          draft.put('features', flag(`flag-${part}-${count}`, { description }));
      });
  };

  const createFlag = (service: TestService, name: string) =>
    accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name } });

  const backup = async (service: TestService, name: string): Promise<{ path: string; revision: number }> => {
    const answer = await fetch(`${service.url}/api/admin/backup`, { headers: { authorization: ADMIN_TOKEN } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const path = join(root, name);
    writeFileSync(path, Buffer.from(await answer.arrayBuffer()));
    return { path, revision: Number(answer.headers.get('burgee-revision')) };
  };

  const seen = async (service: TestService) => {
    const list = await service.call('getAllClientFeatures', { headers: { 'unleash-client-spec': '5.2.0' } });
    return { etag: list.headers.get('etag'), text: list.text };
  };

  const expectWhole = async (service: TestService) => {
    for (let count = 0; count < 100; count += 1) await createFlag(service, `flag-${count}`);
    let writing = true;
    let written = 100;
    const writes = (async () => {
      while (writing) await createFlag(service, `flag-${written++}`);
    })();
    const taken = [];
    for (let round = 0; round < 2; round += 1) taken.push(await backup(service, `backup-${round}`));
    writing = false;
    await writes;
    const [last] = [await backup(service, 'last')];
    for (const { path, revision } of [...taken, last]) {
      const [found] = await tell('digest', '--from', `file:${path}`);
      expect(found?.revision).toBe(revision);
      const [from, to] = await tell('restore', '--from', path, '--to', `lmdb:${path}-data`);
      expect(to).toMatchObject({ state: from?.state, events: from?.events, flags: from?.flags });
      // A flag and the event of its creation are of one commit.
      const restored = await startTestService({ directory: `${path}-data` });
      services.push(restored);
      const { body } = await restored.call('getEvents', { query: 'limit=1' });
      const names = [...restored.running.services.state.values('features')].map(({ name }) => name);
      expect(names.sort()).toEqual(Array.from({ length: names.length }, (_, at) => `flag-${at}`).sort());
      expect(body.events[0].featureName).toBe(`flag-${names.length - 1}`);
      if (path === last?.path) expect(await seen(restored)).toMatchObject({ text: (await seen(service)).text });
    }
    expect(taken[0]?.revision).toBeLessThan(last?.revision ?? 0);
  };

  it('has the state of one moment of an embedded store, while flags are written', async () => {
    const service = await start();
    await expectWhole(service);
    expect(await seen(services.at(-1) as TestService)).toEqual(await seen(service));
    expect(readdirSync(service.directory).filter((name) => name.startsWith('backup'))).toEqual([]);
  });

  it('has the state of one moment of a replica on Redis, while flags are written', async () => {
    const redis = await RedisServer.start();
    try {
      const timeouts = { graceMs: 50 };
      await expectWhole(
        await start(new RedisStore({ url: redis.url, logger: silentLogger, clock: systemClock, timeouts })),
      );
    } finally {
      for (const service of services.splice(0)) await service.close();
      await redis.dispose();
    }
  });

  it('requires an admin token', async () => {
    const service = await start();
    await refused(service, 'getBackup', UNAUTHENTICATED, { token: null });
    await refused(service, 'getBackup', FORBIDDEN, { token: CLIENT_TOKEN });
  });

  it('is taken by one request at a time, and leaves no file when its client disconnects', async () => {
    const service = await start();
    await fill(service);
    const { port, pathname } = new URL(`${service.url}/api/admin/backup`);
    const slow = request({ port, path: pathname, headers: { authorization: ADMIN_TOKEN } }).end();
    const [answer] = await once(slow, 'response');
    answer.pause();
    const second = await service.call('getBackup');
    expect([second.status, second.body.name]).toEqual([429, 'TooManyRequestsError']);
    slow.destroy();
    const statusOfNext = async () => {
      const next = await fetch(`${service.url}/api/admin/backup`, { headers: { authorization: ADMIN_TOKEN } });
      await next.arrayBuffer();
      return next.status;
    };
    await until(statusOfNext, (status) => status === 200);
    expect(readdirSync(service.directory).filter((name) => name.startsWith('backup'))).toEqual([]);
  });

  it('ends when its reader takes nothing for a minute', async () => {
    const clock = new ManualClock();
    const service = await start(undefined, clock);
    await fill(service);
    const { port, pathname } = new URL(`${service.url}/api/admin/backup`);
    const stalled = request({ port, path: pathname, headers: { authorization: ADMIN_TOKEN } }).end();
    const [answer] = await once(stalled, 'response');
    answer.pause();
    const broken = once(answer, 'error').catch((error: unknown) => error);
    const statusOfNext = async () => {
      const next = await fetch(`${service.url}/api/admin/backup`, { headers: { authorization: ADMIN_TOKEN } });
      await next.body?.cancel();
      return next.status;
    };
    expect(await statusOfNext()).toBe(429);
    for (let seconds = 0; (await statusOfNext()) !== 200; seconds += 5) {
      expect(seconds).toBeLessThan(3_600);
      clock.advance(5_000);
      await sleep(1);
    }
    answer.resume();
    expect(await broken).toBeDefined();
    expect(answer.complete).toBe(false);
  });

  it('is refused if it is cut off', async () => {
    const service = await start();
    const { path } = await backup(service, 'whole');
    const cut = join(root, 'cut');
    const whole = readFileSync(path);
    for (const bytes of [0, 10, 40, whole.length - 40, whole.length - 1]) {
      writeFileSync(cut, whole.subarray(0, bytes));
      await expectRefusal(['restore', '--from', cut, '--to', `lmdb:${root}/target`], /is cut off/);
    }
    expect(existsSync(join(root, 'target', 'data.mdb'))).toBe(false);
  });
});
