import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';

const CHILD = fileURLToPath(new URL('../children/flip-child.mjs', import.meta.url));
const PAGE_BYTES = 4_096;
const TRANSACTION_AT = 152;

const bytes = (content: string) => new TextEncoder().encode(content);

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < 4; index += 1) yield bytes(`piece ${index} `.padEnd(3_000, 'p'));
}

/** Makes a small store with every table in use, free pages, records on overflow pages, and a tree of two levels. */
async function fill(directory: string): Promise<void> {
  const store = new LmdbStore({ directory, logger: silentLogger });
  await store.open();
  let tip = 0;
  const append = async (count: number) => {
    const seqs = Array.from({ length: count }, (_, index) => tip + 1 + index);
    const entries = seqs.map((seq) => ({
      seq,
      bytes: bytes(`entry ${seq} `.padEnd(seq % 20 === 0 ? 6_000 : 90, 'e')),
    }));
    const events = seqs.map((id) => ({ id, bytes: bytes(`event ${id} `.padEnd(60, 'v')) }));
    await store.append({ expectedTip: tip, writeId: `write-${tip}`, entries, events });
    tip += count;
  };
  const series = { name: 'test', spanMs: 1_000, bucketsMax: 9, namesMax: 100, nameBytesMax: 10_000 };
  await store.counters.add({ series, startMs: 0 }, new Map([['flag', 3]]), { recorder: 'r', number: 1 });
  for (let round = 0; round < 4; round += 1) await append(25);
  await store.saveSnapshot(50, pieces());
  await store.trim(50);
  await append(1);
  await store.close();
}

describe('an embedded store with a damaged data file', { timeout: 120_000 }, () => {
  let root: string;
  let original: string;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'burgee-damage-'));
    original = join(root, 'original');
    await fill(original);
  });

  const children: ChildProcess[] = [];
  // Ends the children of tests that timed out.
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** Makes a changed copy of the store. */
  const damaged = (name: string, change: (file: Buffer) => void): string => {
    const directory = join(root, name);
    cpSync(original, directory, { recursive: true, filter: (path) => !path.endsWith('lock') });
    const file = readFileSync(join(original, 'data.mdb'));
    change(file);
    writeFileSync(join(directory, 'data.mdb'), file);
    return directory;
  };

  const opening = async (directory: string) => {
    const store = new LmdbStore({ directory, logger: silentLogger });
    try {
      return await store.open();
    } finally {
      await store.close();
    }
  };

  const transactionOf = (file: Buffer, page: number) => file.readBigUInt64LE(page * PAGE_BYTES + TRANSACTION_AT);
  const newestMeta = (file: Buffer) => (transactionOf(file, 0) > transactionOf(file, 1) ? 0 : 1);

  /** `how` are arguments of the child. Each damage must be refused in one line with advice, or change nothing that is read. */
  const tryAll = async (...how: string[]) => {
    const child = spawn(process.execPath, [CHILD, original, join(root, `flipped-${how[0]}`), ...how], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const [code, signal] = await once(child, 'close');
    const lines = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const last = lines.at(-1);
    expect(last.done, `the process ended with ${code ?? signal} at ${JSON.stringify(last)}`).toBe(true);
    expect(lines.filter(({ differs, unclear }) => differs || unclear)).toEqual([]);
    expect(last.refused).toBeGreaterThan(50);
    expect(last.same).toBeGreaterThan(10);
    return last;
  };

  it('is refused in one line with advice, or keeps its content, whichever bit of an LMDB structure is flipped', async () => {
    await tryAll(process.env.BURGEE_FLIPS === 'all' ? '1' : '17');
  }, 900_000);

  it('is refused in one line with advice, or keeps its content, whichever bytes are damaged', async () => {
    // For a long run: BURGEE_DAMAGES=20000 BURGEE_SEED=7.
    const { BURGEE_SEED: seed = '1', BURGEE_DAMAGES: count = '300' } = process.env;
    expect(await tryAll('random', seed, count)).toMatchObject({ tried: Number(count) });
  }, 900_000);

  it('refuses to go back one commit when a meta page has the number of another transaction', async () => {
    for (const bit of [0n, 1n, 2n, 8n, 40n]) {
      const directory = damaged(`transaction-${bit}`, (file) => {
        const at = newestMeta(file) * PAGE_BYTES + TRANSACTION_AT;
        file.writeBigUInt64LE(file.readBigUInt64LE(at) ^ (1n << bit), at);
      });
      await expect(opening(directory)).rejects.toThrow(
        /meta pages do not follow each other.*Restore the data directory/,
      );
    }
  });

  it('refuses to go back one commit when the newest meta page has older content, as after a lost write', async () => {
    const before = readFileSync(join(original, 'data.mdb'));
    const directory = join(root, 'lost-write');
    cpSync(original, directory, { recursive: true, filter: (path) => !path.endsWith('lock') });
    const store = new LmdbStore({ directory, logger: silentLogger });
    const { tip } = await store.open();
    const entry = { seq: tip + 1, bytes: bytes('the last') };
    await store.append({ expectedTip: tip, writeId: 'last', entries: [entry], events: [] });
    await store.close();
    const path = join(directory, 'data.mdb');
    const file = readFileSync(path);
    const lost = newestMeta(file) * PAGE_BYTES;
    before.copy(file, lost, lost, lost + PAGE_BYTES);
    writeFileSync(path, file);
    const message = new RegExp(`commit ${tip + 1} was stored, but the file ends with commit ${tip}\\. Restore`);
    await expect(opening(directory)).rejects.toThrow(message);
    // An operator who restored an older copy on purpose removes this file.
    rmSync(join(directory, 'newest-commit'));
    expect((await opening(directory)).tip).toBe(tip);
  });

  it('records its newest commit in a second file soon, also while commits keep coming and before it is closed', async () => {
    const directory = damaged('noted', () => {});
    const store = new LmdbStore({ directory, logger: silentLogger });
    let { tip } = await store.open();
    try {
      for (let round = 0; round < 20; round += 1) {
        const entries = [{ seq: tip + 1, bytes: bytes('entry') }];
        await store.append({ expectedTip: tip, writeId: `write-${round}`, entries, events: [] });
        tip += 1;
      }
      const noted = () => readFileSync(join(directory, 'newest-commit'), 'utf8');
      await expect.poll(noted, { timeout: 10_000 }).toContain(`,${tip},"write-19"]`);
    } finally {
      await store.close();
    }
  });

  it('is refused when it has the same number of commits, but different ones', async () => {
    const [one, other] = [damaged('one', () => {}), damaged('other', () => {})];
    for (const directory of [one, other]) {
      const store = new LmdbStore({ directory, logger: silentLogger });
      const { tip } = await store.open();
      const entries = [{ seq: tip + 1, bytes: bytes(directory) }];
      await store.append({ expectedTip: tip, writeId: directory.slice(-20), entries, events: [] });
      await store.close();
    }
    copyFileSync(join(one, 'data.mdb'), join(other, 'data.mdb'));
    await expect(opening(other)).rejects.toThrow(/ends with another commit of that number/);
  });

  it('makes a start end with one line of advice, not with a signal, when a page is all zeros', async () => {
    const file = readFileSync(join(original, 'data.mdb'));
    let tried = 0;
    for (let page = 0; page < file.length / PAGE_BYTES; page += 1) {
      const directory = damaged(`zeros-${page}`, (copy) => copy.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES));
      const message = await opening(directory).then(
        () => null,
        (error: Error) => error.message,
      );
      if (message === null) continue;
      expect(message).toMatch(/^[^\n]*Restore the data directory from a backup[^\n]*$/);
      if (tried++ > 0) continue;
      const burgee = new BurgeeProcess({ DATA_DIR: directory });
      expect(await burgee.exited).toBe(1);
      expect(burgee.stderr).toMatch(/\nburgee cannot start: [^\n]*Restore the data directory from a backup[^\n]*\n$/);
    }
    expect(tried).toBeGreaterThan(10);
  });
});
