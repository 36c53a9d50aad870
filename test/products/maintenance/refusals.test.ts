import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { runCommand } from '../../../src/products/maintenance/store-commands.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { writeHistory } from './histories.ts';
import { expectRefusal, runStore, runStoreScript, tell } from './store-command.ts';

let redis: RedisServer;
/** Has a history in `source` and a backup of it in `backup`; new for every test. */
let root: string;
let made: string;

const lmdb = (directory: string) => new LmdbStore({ directory, logger: silentLogger });

beforeAll(async () => {
  redis = await RedisServer.start();
  made = mkdtempSync(join(tmpdir(), 'burgee-made-'));
  const store = lmdb(join(made, 'source'));
  await store.open();
  await writeHistory(store, { snapshot: true, commits: 20 });
  await store.close();
  await tell('backup', '--from', `lmdb:${join(made, 'source')}`, '--to', join(made, 'backup'));
});
afterAll(async () => {
  await redis.dispose();
  rmSync(made, { recursive: true, force: true });
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'burgee-refusals-'));
  mkdirSync(at('source'));
  for (const name of ['data.mdb', 'store.json']) copyFileSync(join(made, 'source', name), at('source', name));
  copyFileSync(join(made, 'backup'), at('backup'));
});
afterEach(async () => {
  await redis.command('FLUSHALL');
  rmSync(root, { recursive: true, force: true });
});

const at = (...names: string[]) => join(root, ...names);
const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
const keys = async () => (await redis.command('KEYS', '*')).trim();

describe('a target that is not empty', () => {
  it('is refused if it is an LMDB directory, even an old copy, and stays unchanged', async () => {
    await tell('copy', '--from', `lmdb:${at('source')}`, '--to', `lmdb:${at('full')}`);
    const before = hashOf(at('full', 'data.mdb'));
    for (const args of [
      ['copy', '--from', `lmdb:${at('source')}`],
      ['restore', '--from', at('backup')],
    ]) {
      await expectRefusal([...args, '--to', `lmdb:${at('full')}`], /full holds a store already; only an empty/);
    }
    expect(hashOf(at('full', 'data.mdb'))).toBe(before);
  });

  it('is refused if its data file is missing, but the directory had a store', async () => {
    mkdirSync(at('lost'));
    copyFileSync(at('source', 'store.json'), at('lost', 'store.json'));
    await expectRefusal(['restore', '--from', at('backup'), '--to', `lmdb:${at('lost')}`], /holds a store already/);
  });

  it('is refused if it is a Redis with a log, and stays unchanged', async () => {
    await tell('copy', '--from', `lmdb:${at('source')}`, '--to', redis.url);
    const before = [(await keys()).split('\n').sort(), await redis.command('HGETALL', '{burgee}:meta')];
    await expectRefusal(['copy', '--from', `lmdb:${at('source')}`, '--to', redis.url], /holds a log already/);
    await expectRefusal(['restore', '--from', at('backup'), '--to', redis.url], /holds a log already/);
    expect([(await keys()).split('\n').sort(), await redis.command('HGETALL', '{burgee}:meta')]).toEqual(before);
  });

  it('is refused if it is a file', async () => {
    const before = hashOf(at('backup'));
    await expectRefusal(['backup', '--from', `lmdb:${at('source')}`, '--to', at('backup')], /never replaces a file/);
    expect(hashOf(at('backup'))).toBe(before);
    expect(readdirSync(root).sort()).toEqual(['backup', 'source']);
  });

  it('is refused while replicas are about to refill the Redis, and staged content is removed', async () => {
    await redis.command('HSET', '{burgee}:election', 'about', 'x');
    await expectRefusal(
      ['copy', '--from', `lmdb:${at('source')}`, '--to', redis.url],
      /running replicas of Burgee are about to refill it/,
    );
    expect(await keys()).toBe('{burgee}:election');
  });

  it('is refused if it is the location of the source', async () => {
    await expectRefusal(['copy', '--from', redis.url, '--to', redis.url], /same location/);
  });
});

describe('a location in use', () => {
  it('is refused, as source and as target, with the id of the process that uses it', async () => {
    mkdirSync(at('held'));
    const [source, target] = [lmdb(at('source')), lmdb(at('held'))];
    await source.open();
    await target.open();
    const inUse = new RegExp(`in use by process ${process.pid} `);
    try {
      await expectRefusal(['digest', '--from', `lmdb:${at('source')}`], inUse);
      await expectRefusal(['backup', '--from', `lmdb:${at('source')}`, '--to', at('new')], inUse);
      await expectRefusal(['restore', '--from', at('backup'), '--to', `lmdb:${at('held')}`], inUse);
    } finally {
      await source.close();
      await target.close();
    }
    expect(readdirSync(root).sort()).toEqual(['backup', 'held', 'source']);
  });
});

describe('a missing source', () => {
  it('is refused, and nothing is created at its location', async () => {
    await expectRefusal(['digest', '--from', `lmdb:${at('nowhere')}`], /there is no store in .*nowhere/);
    await expectRefusal(['digest', '--from', redis.url], /there is no log of Burgee in redis:/);
    await expectRefusal(
      ['restore', '--from', at('nothing'), '--to', `lmdb:${at('new')}`],
      /cannot read .*nothing: ENOENT/,
    );
    await expectRefusal(
      ['digest', '--from', 'redis://127.0.0.1:1'],
      /cannot use redis:\/\/127.0.0.1:1: .*ECONNREFUSED/,
    );
    expect(await keys()).toBe('');
    expect(readdirSync(root).sort()).toEqual(['backup', 'source']);
  });

  it('is refused if it is a store that was never written to', async () => {
    const store = new RedisStore({
      url: redis.url,
      logger: silentLogger,
      clock: systemClock,
      timeouts: { graceMs: 0 },
    });
    await store.open();
    await store.close();
    await expectRefusal(['digest', '--from', redis.url], /is empty/);
  });
});

describe('a target that cannot be written', () => {
  it('is reported in one line, and no file is left', async () => {
    writeFileSync(at('plain'), 'text');
    const from = ['--from', `lmdb:${at('source')}`];
    await expectRefusal(['copy', ...from, '--to', `lmdb:${at('plain', 'below')}`], /cannot write to .*below: ENOTDIR/);
    await expectRefusal(['backup', ...from, '--to', at('plain', 'below')], /cannot write .*below: ENOTDIR/);
    await expectRefusal(['backup', ...from, '--to', at('no', 'such')], /cannot write .*such: ENOENT/);
    expect(readdirSync(root).sort()).toEqual(['backup', 'plain', 'source']);
  });

  it('is reported if it is a Redis that refuses writes', async () => {
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    try {
      await expectRefusal(['restore', '--from', at('backup'), '--to', redis.url], /OOM/);
    } finally {
      await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    }
    expect(await keys()).toBe('');
  });
});

describe('a damaged backup', () => {
  const restore = () => ['restore', '--from', at('backup'), '--to', `lmdb:${at('new')}`];

  it('is refused wherever it is cut off, before anything is written', async () => {
    const whole = readFileSync(at('backup'));
    for (const sizeBytes of [0, 5, 18, 22, 200, whole.length >> 1, whole.length - 33, whole.length - 1]) {
      writeFileSync(at('backup'), whole.subarray(0, sizeBytes));
      await expectRefusal(restore(), /is cut off: its end is missing/);
    }
    expect(readdirSync(root).sort()).toEqual(['backup', 'source']);
  });

  it('is refused wherever a bit is flipped, or if bytes follow, before anything is written', async () => {
    const whole = readFileSync(at('backup'));
    const offsets = [3, 20, 23, 26, 60, whole.length >> 1, whole.length - 40, whole.length - 1];
    for (const offset of offsets) {
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(offset) ^ 0x10, offset);
      writeFileSync(at('backup'), changed);
      await expectRefusal(restore(), /is damaged|is cut off|is neither a backup|has format/);
    }
    writeFileSync(at('backup'), Buffer.concat([whole, Buffer.from('x')]));
    await expectRefusal(restore(), /is damaged/);
    writeFileSync(at('backup'), 'something else altogether');
    await expectRefusal(restore(), /is neither a backup/);
    expect(readdirSync(root).sort()).toEqual(['backup', 'source']);
  });
});

describe('the command line', () => {
  it('exits 1 with one line on standard error when it is refused', async () => {
    for (const run of [runStore, runStoreScript])
      expect(await run(['digest', '--from', `lmdb:${at('nowhere')}`])).toEqual({
        code: 1,
        stdout: '',
        stderr: `burgee store: there is no store in ${at('nowhere')}\n`,
      });
  });

  it('shows its help', async () => {
    const stdout = await runCommand(['--help'], () => {});
    for (const word of ['copy', 'backup', 'restore', 'digest', '--new-revisions', '--key-prefix']) {
      expect(stdout).toContain(word);
    }
  });

  it('refuses unknown arguments and impossible combinations', async () => {
    await expectRefusal([], /specify one of copy, backup, restore, digest and reapply/);
    await expectRefusal(['move'], /specify one of/);
    await expectRefusal(['copy', 'x', '--from', 'lmdb:a', '--to', 'lmdb:b'], /specify one of/);
    await expectRefusal(['copy', '--to', redis.url], /copy needs --from/);
    await expectRefusal(['backup', '--from', redis.url], /backup needs --to/);
    await expectRefusal(['copy', '--from', 'lmdb:a', '--to', 'lmdb:b', '--replace'], /an option is unknown/);
    await expectRefusal(['copy', '--from', 'lmdb:a', '--to', 'file:b'], /backup writes files/);
    await expectRefusal(['backup', '--from', 'lmdb:a', '--to', 'b', '--new-revisions'], /keeps its revisions/);
    await expectRefusal(['backup', '--from', 'lmdb:a', '--to', redis.url], /--to is not a file/);
    await expectRefusal(['restore', '--from', 'lmdb:a', '--to', redis.url], /--from is not a file/);
    for (const text of ['./data', 'lmdb:', 'http://x', '']) {
      await expectRefusal(['digest', '--from', text], /--from is not a location/);
    }
  });

  it('never shows a password, in whichever argument it is and whatever the error', async () => {
    const secret = 'hush-7';
    const url = (scheme: string, rest = '') => `${scheme}://user:${secret}@127.0.0.1:${redis.port}${rest}`;
    for (const args of [
      ['digest', '--from', url('redis')],
      ['copy', '--from', `lmdb:${at('source')}`, '--to', url('redis')],
      ['digest', '--from', url('rdis')],
      ['digest', '--from', url('redis', '/not-a-number')],
      ['digest', '--from', `redis://user:${secret}%@h`],
      ['backup', '--from', `lmdb:${at('source')}`, '--to', url('redis')],
      [`--password=${secret}`],
      [url('redis')],
    ]) {
      const shown: string[] = [];
      await runCommand(args, (line) => void shown.push(line)).then(
        (text) => expect.fail(`it did not fail: ${text}`),
        (error: Error) => shown.push(String(error.stack)),
      );
      expect(shown.join()).not.toContain(secret);
    }
    await redis.command('CONFIG', 'SET', 'requirepass', secret);
    try {
      const shown: string[] = [];
      const args = ['copy', '--from', `lmdb:${at('source')}`, '--to', url('redis').replace('user', '')];
      const stdout = await runCommand(args, (line) => void shown.push(line));
      expect(shown).toEqual([]);
      expect(stdout).toContain(`to redis://127.0.0.1:${redis.port}\n`);
      expect(stdout).not.toContain(secret);
    } finally {
      await redis.commandAs({ password: secret }, 'CONFIG', 'SET', 'requirepass', '');
    }
  });

  it('warns of a Redis that may lose what was written to it', async () => {
    await redis.command('CONFIG', 'SET', 'appendfsync', 'everysec');
    try {
      const { code, stderr } = await runStore(['restore', '--from', at('backup'), '--to', redis.url]);
      expect(code).toBe(0);
      expect(stderr).toMatch(/^warning: redis:\S+: appendfsync is everysec.*\n$/);
    } finally {
      await redis.command('CONFIG', 'SET', 'appendfsync', 'always');
    }
  });
});

describe('a command that is killed', () => {
  it('leaves a target that is either complete or empty, and the next command succeeds', async () => {
    const source = lmdb(at('large'));
    await source.open();
    await writeHistory(source, { commits: 10, eventsPerCommit: 1_000, eventBytes: 500 });
    await source.close();
    const from = ['--from', `lmdb:${at('large')}`];
    for (const killAfterMs of [220, 320]) {
      const name = `target-${killAfterMs}`;
      const database = `${redis.url}/${(killAfterMs - 20) / 100}`;
      for (const [command, to, location] of [
        ['copy', `lmdb:${at(name)}`, `lmdb:${at(name)}`],
        ['copy', database, database],
        ['backup', at(`${name}.backup`), `file:${at(`${name}.backup`)}`],
      ] as const) {
        const killed = await runStore([command, ...from, '--to', to], killAfterMs);
        const found = await tell('digest', '--from', location).catch((error: Error) => error.message);
        if (typeof found === 'string') {
          expect(found).toMatch(/there is no|ENOENT/);
          expect(killed.code).toBeNull();
        }
        const histories = typeof found === 'string' ? await tell(command, ...from, '--to', to) : found;
        expect(histories.at(-1)).toMatchObject({ revision: 10, eventCount: 10_000 });
      }
    }
    expect(statSync(at('target-220', 'data.mdb')).size).toBeGreaterThan(5_000_000);
  });
});
