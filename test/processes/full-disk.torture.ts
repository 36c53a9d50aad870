import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../bench/support/free-port.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { StoreChild } from '../stores/children.ts';
import { type ServiceProcess, spawnService, untilReady } from '../support/programs/process.ts';
import { SmallDisk } from '../support/programs/small-disk.ts';
import { ADMIN_TOKEN, startTestService } from '../support/service.ts';
import { untilTrue } from '../support/until.ts';

/** 20 for the long run. */
const ROUNDS = Number(process.env.FULL_DISK_TEST_ROUNDS ?? 1);
const MEGABYTE = 2 ** 20;

describe('an embedded store whose disk fills', () => {
  let disk: SmallDisk;
  beforeEach(() => {
    disk = new SmallDisk();
    if (!disk.isReal) console.warn('no file system can be mounted here: the test simulates the free bytes of the disk');
  });
  afterEach(() => disk.dispose());

  const start = () => startTestService({ store: disk.store(), directory: disk.directory });
  const create = (service: Awaited<ReturnType<typeof start>>, name: string) =>
    service.call('createFeature', { params: { projectId: 'default' }, body: { name } });

  it('refuses writes with a message, loses nothing, and accepts writes again when there is space', async () => {
    let service = await start();
    try {
      const refused = async () => (await service.call('getReady')).body.writesRefused;
      expect((await create(service, 'before')).status).toBe(201);
      for (const round of [1, 2]) {
        disk.fill(12 * MEGABYTE);
        const answer = await create(service, `refused-${round}`);
        expect(answer.status).toBe(503);
        expect(answer.body.message).toMatch(/no space on the disk.*nothing was changed/);
        // The service checks the free space, also without writes.
        expect(await refused()).toMatchObject({ reason: 'disk-full', advice: expect.stringContaining('Free') });
        expect((await service.call('getReady')).body).toMatchObject({ status: 'READY', store: 'reachable' });
        expect((await service.call('getAllClientFeatures')).status).toBe(200);
        disk.free();
        await untilTrue(async () => (await refused()) === null, 'it accepts writes again');
        expect((await create(service, `after-${round}`)).status).toBe(201);
      }
      disk.fill(12 * MEGABYTE);
      await untilTrue(async () => (await refused())?.reason === 'disk-full', 'a full disk is detected without writes');
      disk.free();
      await service.close();
      service = await start();
      const { features } = (await service.call('getAllClientFeatures')).body;
      const names = features.map(({ name }: { name: string }) => name);
      expect(names).toEqual(['after-1', 'after-2', 'before']);
    } finally {
      await service.close();
    }
  });

  it('reports that a disk is read-only, for an existing and for a new directory', async () => {
    if (!disk.isReal) return;
    expect(spawnSync('mount', ['-o', 'remount,ro', disk.directory]).status).toBe(0);
    for (const directory of [disk.directory, join(disk.directory, 'new')]) {
      const store = new LmdbStore({ directory, logger: silentLogger });
      await expect(store.open()).rejects.toThrow('mounted read-only: set DATA_DIR');
      await store.close();
    }
  });

  it('loses nothing in a process that serves and writes while the disk is filled to the last byte', async () => {
    if (!disk.isReal) return;
    const acknowledged = new Set<string>();
    const port = String(await freePort());
    let service: ServiceProcess | undefined;
    const call = async (method: string, path: string, body?: unknown) => {
      const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
      // biome-ignore lint/suspicious/noExplicitAny: tests read any field of answers
      return { status: response.status, json: (await response.json()) as any };
    };
    const flags = '/api/admin/projects/default/features';
    const writeUntilRefused = async (prefix: string): Promise<string> => {
      for (let count = 0; ; count += 1) {
        const name = `${prefix}-${count}`;
        const { status, json } = await call('POST', flags, { name, description: 'd'.repeat(3_000) });
        if (status !== 201) return json.message;
        acknowledged.add(name);
      }
    };
    const start = async () => {
      service = await spawnService(disk.directory, { HTTP_PORT: port });
      await untilReady(service);
    };
    try {
      await start();
      for (let round = 0; round < ROUNDS; round += 1) {
        const writing = Array.from({ length: 8 }, (_, writer) => writeUntilRefused(`flag-${round}-${writer}`));
        await untilTrue(async () => acknowledged.size > 50 * (round + 1), 'it writes');
        disk.fill(0);
        for (const message of await Promise.all(writing)) expect(message).toMatch(/no space.*nothing was changed/);
        expect((await call('GET', '/ready')).json.writesRefused.reason).toBe('disk-full');
        disk.free();
        await untilTrue(
          async () => (await call('GET', '/ready')).json.writesRefused === null,
          'it accepts writes again',
        );
      }
      await service?.end();
      await start();
      const { features } = (await call('GET', flags)).json;
      expect(features.map(({ name }: { name: string }) => name).sort()).toEqual([...acknowledged].sort());
    } finally {
      await service?.end('SIGKILL');
    }
  }, 120_000);

  it('loses nothing when LMDB itself fails on a full disk, and acknowledges nothing afterwards', async () => {
    if (!disk.isReal) return;
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = new StoreChild('unaware', disk.directory, { argument: 'x'.repeat(20_000) });
      try {
        const { opening } = await child.line((line) => line.opening !== undefined);
        await child.line(({ tip }) => (tip ?? 0) > (opening?.tip ?? 0) + 20);
        disk.fill(0);
        // lmdb-js may overwrite memory when it reports a page that could not be written, and crash the process.
        await child.line(({ closed }) => closed === true).catch(() => undefined);
        await child.kill();
        const failed = child.lines.filter((line) => line.failed !== undefined);
        for (const line of failed) {
          expect(line).toMatchObject({
            name: 'StoreError',
            failed: expect.stringMatching(/Free some disk space|restart/),
          });
        }
        const afterwards = child.lines.slice(child.lines.findIndex((line) => line.failed !== undefined));
        if (failed.length > 0) expect(afterwards.filter(({ tip }) => tip !== undefined)).toEqual([]);
        disk.free();
        const acknowledged = Math.max(0, ...child.lines.map(({ tip }) => tip ?? 0));
        const store = new LmdbStore({ directory: disk.directory, logger: silentLogger });
        const { tip } = await store.open();
        const isCertain = failed.length > 0 && failed.every(({ outcome }) => outcome === 'not-appended');
        if (isCertain) expect(tip).toBe(acknowledged);
        expect(tip).toBeGreaterThanOrEqual(acknowledged);
        expect(await store.read(1, tip)).toHaveLength(tip);
        await store.close();
      } finally {
        await child.kill();
      }
    }
  }, 120_000);
});
