import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSource } from '../../../src/products/maintenance/source.ts';
import { type ServiceProcess, spawnService, untilReady } from '../../support/programs/process.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { ADMIN_TOKEN } from '../../support/service.ts';
import { stateDigest } from '../../support/state-digest.ts';
import { atDepth } from '../../support/tiers/depth.ts';
import { tell } from './store-command.ts';

/** How much of the file is there when the process is killed, as a share of the size of a whole one. */
const POINTS = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1];
const FLAGS_OF_ROUND = 24;
const DESCRIPTION_CHARS = 9_000;
const TEMPORARY = /\.tmp$/;

describe('a service that is killed while it writes a backup', () => {
  let root: string;
  let data: string;
  let folder: string;
  let service: ServiceProcess | undefined;
  let flagCount = 0;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'burgee-killed-'));
    data = join(root, 'data');
    folder = join(root, 'backups');
    flagCount = 0;
  });
  afterEach(async () => {
    await service?.end('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  });

  const start = async (env: Readonly<Record<string, string>> = {}) => {
    service = await spawnService(data, env);
    await untilReady(service);
    return service;
  };
  const startWithBackups = () => start({ AUTO_BACKUP_DIR: folder, AUTO_BACKUP_EVERY_MS: '1', AUTO_BACKUP_KEEP: '3' });
  const createFlag = async () => {
    const name = `flag-${flagCount++}`;
    const answer = await fetch(`${service?.url}/api/admin/projects/default/features`, {
      method: 'POST',
      headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({ name, description: 'd'.repeat(DESCRIPTION_CHARS) }),
    });
    await answer.arrayBuffer();
    expect(answer.status).toBe(201);
  };
  const names = () => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  const newest = () => {
    const backups = names().filter((name) => name.endsWith('.backup'));
    return join(folder, backups.sort().at(-1) ?? 'none');
  };
  const sizeOf = (path: string): number => {
    try {
      return statSync(path).size;
    } catch {
      return -1;
    }
  };
  /** Resolves when a backup is being written and has at least this share of the size of the newest whole one. */
  const untilWritten = async (share: number) => {
    for (const deadlineMs = performance.now() + 120_000; performance.now() < deadlineMs; await nextTurn()) {
      const temporary = names().find((name) => TEMPORARY.test(name));
      if (temporary === undefined) continue;
      const neededBytes = share * Math.max(0, sizeOf(newest()));
      if (sizeOf(join(folder, temporary)) >= neededBytes) return;
    }
    throw new Error(`no backup is written: ${service?.log()}`);
  };
  const stateOf = async (directory: string) => {
    const source = await openSource({ kind: 'lmdb', directory }, '');
    try {
      return stateDigest(source.state);
    } finally {
      await source.close();
    }
  };
  /** Restores the newest backup, and returns its history and the digest of its state. */
  const restoreNewest = async (name: string) => {
    const target = join(root, name);
    const [from, to] = await tell('restore', '--from', newest(), '--to', `lmdb:${target}`);
    expect({ ...to, place: '' }).toEqual({ ...from, place: '' });
    return { restored: to, state: await stateOf(target) };
  };

  it('has a newest backup that restores to exactly the state of its revision', async () => {
    /** What the store held at a revision, read from the store itself. */
    const known = new Map<number, { readonly state: string; readonly digest: string; readonly events: string }>();
    const remember = async () => {
      const [held] = await tell('digest', '--from', `lmdb:${data}`);
      if (!held) throw new Error('no digest');
      known.set(held.revision, { state: await stateOf(data), digest: held.state, events: held.events });
    };
    let [killed, left] = [0, 0];
    for (let round = 0; round < atDepth({ quick: POINTS.length, full: 2 * POINTS.length }); round += 1) {
      await start();
      await Promise.all(Array.from({ length: FLAGS_OF_ROUND }, createFlag));
      expect(await service?.end()).toBe(0);
      await remember();
      await startWithBackups();
      // The first backup of the first round has nothing to be compared with.
      if (round === 0) while (sizeOf(newest()) < 0) await nextTurn();
      await untilWritten(POINTS[round % POINTS.length] ?? 0);
      await service?.end('SIGKILL');
      killed += 1;
      left += names().filter((name) => TEMPORARY.test(name)).length;
      await remember();
      const { restored, state } = await restoreNewest(`restored-${round}`);
      const held = known.get(restored?.revision ?? 0);
      expect(restored).toMatchObject({ state: held?.digest, events: held?.events });
      expect(state).toBe(held?.state);
    }
    // Most kills hit a file that was being written; the next start removes it.
    expect(left).toBeGreaterThan(killed / 2);
    await startWithBackups();
    const before = newest();
    while (newest() === before) await nextTurn();
    expect(await service?.end()).toBe(0);
    expect(names().filter((name) => TEMPORARY.test(name))).toEqual([]);
    expect(names().length).toBeLessThanOrEqual(3);
  });

  it('while flags are written has a newest backup that restores as it was written', async () => {
    for (let round = 0; round < atDepth({ quick: 3, full: 6 }); round += 1) {
      await startWithBackups();
      let isWriting = true;
      const writing = (async () => {
        while (isWriting) await createFlag().catch(() => {});
      })();
      if (round === 0) while (sizeOf(newest()) < 0) await nextTurn();
      await untilWritten(POINTS[(3 * round) % POINTS.length] ?? 0);
      isWriting = false;
      await service?.end('SIGKILL');
      await writing;
      const [held] = await tell('digest', '--from', `lmdb:${data}`);
      const { restored } = await restoreNewest(`restored-${round}`);
      expect(restored?.revision).toBeLessThanOrEqual(held?.revision ?? 0);
    }
  });

  it('and shares its folder with another replica, takes turns with it', async () => {
    const redis = await RedisServer.start();
    const replicas: ServiceProcess[] = [];
    const everyMs = 2_000;
    try {
      for (const name of ['a', 'b']) {
        const env = { REDIS_URL: redis.url, AUTO_BACKUP_DIR: folder, AUTO_BACKUP_EVERY_MS: String(everyMs) };
        replicas.push(await spawnService(join(root, name), { ...env, AUTO_BACKUP_KEEP: '50', LOG_LEVEL: 'info' }));
      }
      for (const replica of replicas) await untilReady(replica);
      const backups = () => names().filter((name) => name.endsWith('.backup'));
      const untilCount = async (count: number) => {
        while (backups().length < count) await sleep(20);
      };
      await untilCount(8);
      const times = backups()
        .sort()
        .map((name) => Date.parse(name.slice(7, 31).replace(/T(..)-(..)-/, 'T$1:$2:')));
      // Alone, each would write one in every interval. Two that begin in the same moment do not see each other.
      const intervals = ((times.at(-1) ?? Number.NaN) - (times[0] ?? Number.NaN)) / everyMs;
      expect(times.length - 1).toBeLessThanOrEqual(1.5 * intervals);
      // One is killed: the other goes on.
      await replicas[0]?.end('SIGKILL');
      await untilCount(backups().length + 2);
      expect(await replicas[1]?.end()).toBe(0);
      expect(names().filter((name) => TEMPORARY.test(name))).toEqual([]);
      const { restored } = await restoreNewest('restored');
      expect(restored?.revision).toBeGreaterThan(0);
    } finally {
      for (const replica of replicas) await replica.end('SIGKILL');
      await redis.dispose();
    }
  });
});
