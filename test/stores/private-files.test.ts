import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { writeFramedFile } from '../../src/stores/local/framed-file.ts';
import { makeDirectory } from '../../src/stores/local/private-files.ts';
import { tell } from '../products/maintenance/store-command.ts';
import { BurgeeProcess } from '../support/programs/burgee-process.ts';
import { RedisServer } from '../support/programs/redis.ts';

const ADMIN = '*:*.private-files';

/** Path below `root` → mode, for everything that users other than its owner may access. */
function open(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string) => {
    const { mode } = lstatSync(path);
    if ((mode & 0o077) !== 0) found[path.slice(root.length)] = (mode & 0o7777).toString(8);
    if (statSync(path).isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
  };
  visit(root);
  return found;
}

describe('modes of stored files, with a umask of 0', () => {
  let root: string;
  let umask: number;
  const processes: BurgeeProcess[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'burgee-modes-'));
    umask = process.umask(0);
  });

  afterEach(async () => {
    process.umask(umask);
    for (const burgee of processes.splice(0)) await burgee.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const burgee = (environment: Record<string, string>) => {
    const started = new BurgeeProcess({ INIT_ADMIN_API_TOKENS: ADMIN, ...environment });
    processes.push(started);
    return started;
  };

  it('give access to the owner only, for the embedded store, a copy of it and a backup', async () => {
    const directory = join(root, 'above', 'data');
    const running = burgee({ DATA_DIR: directory });
    await running.url();
    expect(open(join(root, 'above'))).toEqual({});
    running.process.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    await tell('copy', '--from', `lmdb:${directory}`, '--to', `lmdb:${root}/copy`);
    await tell('backup', '--from', `lmdb:${directory}`, '--to', `${root}/saved.backup`);
    expect(open(root)).toEqual({});
    expect(readdirSync(directory).sort()).toEqual(
      expect.arrayContaining(['data.mdb', 'lock', 'lock.mdb', 'store.json']),
    );
  });

  it('give access to the owner only, for the local copy of a replica', async () => {
    const redis = await RedisServer.start();
    try {
      const directory = join(root, 'data');
      const running = burgee({ DATA_DIR: directory, REDIS_URL: redis.url, LOCAL_COPY_EVERY_MS: '20' });
      await running.url();
      running.process.kill('SIGTERM');
      expect(await running.exited).toBe(0);
      expect(readdirSync(directory)).toEqual(['replica.copy']);
      expect(open(root)).toEqual({});
    } finally {
      await redis.dispose();
    }
  });

  it('give access to the owner only, for a temporary file that an older Burgee left open to all users', async () => {
    const path = join(root, 'file');
    let temporary = '';
    await writeFramedFile(
      path,
      (async function* () {
        temporary = join(root, readdirSync(root)[0] as string);
        yield { kind: 1, bytes: Buffer.from('a') };
      })(),
    );
    writeFileSync(temporary, 'left over', { mode: 0o666 });
    await writeFramedFile(
      path,
      (async function* () {
        expect(open(root)).toEqual({});
        yield { kind: 1, bytes: Buffer.from('b') };
      })(),
    );
    expect(open(root)).toEqual({});
  });

  const openStore = async (directory: string) => {
    const lines: Record<string, unknown>[] = [];
    const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const store = new LmdbStore({ directory, logger });
    await store.open();
    await store.close();
    return lines.filter(({ directory: logged }) => logged === directory);
  };

  it('are tightened when a store that others could read is opened, and one line is logged', async () => {
    const directory = join(root, 'data');
    await openStore(directory);
    const names = ['data.mdb', 'lock.mdb', 'store.json', 'unsent-reports.json'];
    writeFileSync(join(directory, 'unsent-reports.json'), '{}');
    for (const name of names) chmodSync(join(directory, name), 0o644);
    writeFileSync(join(directory, 'notes.txt'), 'somebody else’s', { mode: 0o644 });
    chmodSync(directory, 0o2755);
    const lines = await openStore(directory);
    expect(lines).toMatchObject([{ tightened: ['.', ...names] }]);
    expect(open(root)).toEqual({ '/data/notes.txt': '644' });
    expect(await openStore(directory)).toEqual([]);
  });

  it('are left unchanged in a directory with the sticky bit, and this is logged', async () => {
    const directory = join(root, 'data');
    mkdirSync(directory);
    chmodSync(directory, 0o1777);
    expect(await openStore(directory)).toMatchObject([{ msg: expect.stringContaining('shared directory') }]);
    expect(open(root)).toEqual({ '/data': '1777' });
  });
});

describe('makeDirectory', () => {
  it('fails where no directory can be made', async () => {
    for (const path of ['/proc/burgee', '/proc/burgee/data'])
      await expect(makeDirectory(path)).rejects.toThrow(/ENOENT/);
    const store = new LmdbStore({ directory: '/proc/burgee', logger: silentLogger });
    await expect(store.open()).rejects.toThrow(/^cannot open the store in \/proc\/burgee: ENOENT[^\n]*$/);
  });

  it('makes missing parent directories, and accepts existing directories', async () => {
    const root = mkdtempSync(join(tmpdir(), 'burgee-directory-'));
    await Promise.all([1, 2, 3].map(() => makeDirectory(join(root, 'a', 'b', 'c'))));
    expect(statSync(join(root, 'a', 'b', 'c')).isDirectory()).toBe(true);
    writeFileSync(join(root, 'file'), '');
    await expect(makeDirectory(join(root, 'file', 'below'))).rejects.toThrow(/ENOTDIR/);
    await expect(makeDirectory(join(root, 'file'))).rejects.toThrow(/EEXIST/);
    rmSync(root, { recursive: true });
  });
});
