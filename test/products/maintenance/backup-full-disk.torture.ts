import { once } from 'node:events';
import { readdirSync, statfsSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServiceProcess, spawnService, untilReady } from '../../support/programs/process.ts';
import { SmallDisk } from '../../support/programs/small-disk.ts';
import { ADMIN_TOKEN } from '../../support/service.ts';

const MEGABYTE = 2 ** 20;
/** Flags with descriptions of this length make a backup of 14 MB with their events. */
const DESCRIPTION_CHARS = 9_000;
const FLAGS = 720;

/** F1 and F2 of a review from outside: a backup of 14 MB on a disk with 22 MB and with 10 MB free. */
describe('a backup on a disk that fills', () => {
  let disk: SmallDisk;
  let service: ServiceProcess | undefined;

  beforeEach(() => {
    disk = new SmallDisk(160);
    if (!disk.isReal) console.warn('no file system can be mounted here: nothing is tested');
  });
  afterEach(async () => {
    await service?.end('SIGKILL');
    service = undefined;
    disk.dispose();
  });

  const start = async (env: Readonly<Record<string, string>> = {}) => {
    service = await spawnService(disk.directory, env);
    await untilReady(service);
    return service;
  };
  const create = async (name: string, description = '') => {
    const answer = await fetch(`${service?.url}/api/admin/projects/default/features`, {
      method: 'POST',
      headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({ name, description }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const fillStore = async () => {
    for (let count = 0; count < FLAGS; count += 24) {
      const names = Array.from({ length: 24 }, (_, at) => `large-${count + at}`);
      const statuses = await Promise.all(names.map((name) => create(name, 'd'.repeat(DESCRIPTION_CHARS))));
      expect(statuses).toEqual(names.map(() => 201));
    }
  };
  const download = () => fetch(`${service?.url}/api/admin/backup`, { headers: { authorization: ADMIN_TOKEN } });
  const freeMegabytes = () => {
    const { bavail, bsize } = statfsSync(disk.directory);
    return (bavail * bsize) / MEGABYTE;
  };
  const left = () => readdirSync(disk.directory).filter((name) => /backup|\.tmp$/.test(name));

  it('is refused with a sentence before it is written, and leaves what writes need', async () => {
    if (!disk.isReal) return;
    await start();
    await fillStore();
    const whole = await download();
    expect(whole.status).toBe(200);
    const sizeMegabytes = (await whole.arrayBuffer()).byteLength / MEGABYTE;
    expect(sizeMegabytes).toBeGreaterThan(12);
    for (const megabytes of [22, 17]) {
      disk.fill(megabytes * MEGABYTE);
      const refused = await download();
      const { message, name } = (await refused.json()) as { readonly message: string; readonly name: string };
      expect([refused.status, name]).toEqual([503, 'ServiceUnavailableError']);
      expect(message).toMatch(/no space for the backup.*needs about 1\d MB.*\d MB are free/);
      expect(await create(`small-${megabytes}`)).toBe(201);
      expect(freeMegabytes()).toBeGreaterThan(megabytes - 1);
      disk.free();
    }
    disk.fill(10 * MEGABYTE);
    expect((await download()).status).toBe(503);
    disk.free();
    expect((await download()).status).toBe(200);
    expect(left()).toEqual([]);
    expect(service?.log()).not.toMatch(/request failed|"stack"/);
  }, 120_000);

  it('is not written into AUTO_BACKUP_DIR, and is as soon as there is space', async () => {
    if (!disk.isReal) return;
    await start();
    await fillStore();
    await service?.end();
    disk.fill(22 * MEGABYTE);
    const folder = join(disk.directory, 'backups');
    await start({ AUTO_BACKUP_DIR: folder, AUTO_BACKUP_EVERY_MS: '500', AUTO_BACKUP_KEEP: '1' });
    while (!service?.log().includes('a backup could not be written')) await sleep(20);
    expect(await create('small')).toBe(201);
    expect(readdirSync(folder)).toEqual([]);
    expect(service?.log()).toMatch(/no space for the backup on the disk of [^"]*backups: it needs about 1\d MB/);
    expect(service?.log()).not.toContain('"stack"');
    disk.free();
    while (!readdirSync(folder).some((name) => name.endsWith('.backup'))) await sleep(20);
  }, 120_000);

  it('gives its space back when writes need it, although its reader reads nothing', async () => {
    if (!disk.isReal) return;
    await start();
    await fillStore();
    const slow = request(`${service?.url}/api/admin/backup`, { headers: { authorization: ADMIN_TOKEN } }).end();
    slow.on('error', () => {});
    const [answer] = (await once(slow, 'response')) as [IncomingMessage];
    answer.pause();
    try {
      // The file of the backup is on the disk now. Other programs then take the space that is left.
      disk.fill(17 * MEGABYTE);
      const before = freeMegabytes();
      while (freeMegabytes() < before + 10) await sleep(50);
      expect(await create('after')).toBe(201);
      const again = await download();
      expect(again.status).toBe(503);
      await again.arrayBuffer();
      // What was sent is not taken for a whole backup: the connection breaks.
      const broken = once(answer, 'error').catch((error: unknown) => error);
      answer.resume();
      expect(await broken).toBeDefined();
      expect(answer.complete).toBe(false);
    } finally {
      slow.destroy();
    }
    expect(left()).toEqual([]);
  }, 120_000);
});
