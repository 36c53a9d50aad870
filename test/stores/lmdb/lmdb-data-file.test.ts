import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type Key, open as openLmdb } from 'lmdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Logger, silentLogger } from '../../../src/base/logger.ts';
import { checkDataFile, LOST_DATA_ADVICE } from '../../../src/stores/lmdb/data-file.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { committedSizeBytes } from '../../../src/stores/lmdb/page-check.ts';
import { type LogEntry, StoreError, UnusableDataError } from '../../../src/stores/store.ts';
import { isDeep } from '../../support/tiers/depth.ts';

/** How many of the pages are damaged, one at a time. */
const PAGES_TRIED = isDeep ? 60 : 20;

const PAGE_BYTES = 4_096;
const bytes = (content: string) => new TextEncoder().encode(content);
const contentOf = (seq: number) => `entry ${seq} `.padEnd(200 + ((seq * 37) % 5_000), 'e');

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < 20; index += 1) yield bytes(`piece ${index} `.padEnd(50_000, 'p'));
}

async function fill(directory: string): Promise<void> {
  const store = new LmdbStore({ directory, logger: silentLogger });
  await store.open();
  for (let tip = 0; tip < 1_000; tip += 100) {
    const entries: LogEntry[] = Array.from({ length: 100 }, (_, index) => ({
      seq: tip + 1 + index,
      bytes: bytes(contentOf(tip + 1 + index)),
    }));
    await store.append({
      expectedTip: tip,
      writeId: 'w',
      entries,
      events: entries.map(({ seq }) => ({ id: seq, bytes: bytes('e') })),
    });
  }
  await store.saveSnapshot(500, pieces());
  await store.trim(300);
  await store.close();
}

describe('LmdbStore with a damaged or truncated data file', () => {
  let original: string;
  let directory: string;
  let dataFile: string;

  beforeAll(async () => {
    original = mkdtempSync(join(tmpdir(), 'burgee-lmdb-whole-'));
    await fill(original);
  });

  afterAll(() => rmSync(original, { recursive: true, force: true }));

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'burgee-lmdb-broken-'));
    dataFile = join(directory, 'data.mdb');
    for (const name of ['data.mdb', 'store.json']) cpSync(join(original, name), join(directory, name));
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** The size that the file has with all of its pages. */
  const committedBytes = () => {
    const file = openSync(dataFile, 'r');
    try {
      return committedSizeBytes(file, statSync(dataFile).size);
    } finally {
      closeSync(file);
    }
  };

  const refusal = async (): Promise<StoreError> => {
    const store = new LmdbStore({ directory, logger: silentLogger });
    const error = await store.open().then(
      () => undefined,
      (caught) => caught as StoreError,
    );
    await store.close();
    expect(error).toBeInstanceOf(StoreError);
    return error as StoreError;
  };

  /** Reads everything. Content that is missing must cause an error; the rest must be as written. Returns the errors. */
  const readEverything = async (): Promise<StoreError[]> => {
    const store = new LmdbStore({ directory, logger: silentLogger });
    const errors: StoreError[] = [];
    const attempt = async (read: () => Promise<void>) => read().catch((error) => void errors.push(error as StoreError));
    await attempt(async () => {
      const { tip, firstSeq } = await store.open();
      await attempt(async () => {
        const entries = await store.read(firstSeq, 2_000);
        expect(entries).toHaveLength(tip - firstSeq + 1);
        for (const entry of entries) expect(new TextDecoder().decode(entry.bytes)).toBe(contentOf(entry.seq));
      });
      await attempt(async () => {
        const loaded = await store.loadSnapshot();
        for await (const _ of loaded?.pieces ?? []);
      });
      await attempt(async () => void (await store.readEvents(2_000, 2_000)));
    });
    await store.close();
    return errors;
  };

  it('reads everything of an intact file', async () => {
    expect(await readEverything()).toEqual([]);
  });

  it('warns of no file that has all of its pages, also when it ends with the last of them', async () => {
    truncateSync(dataFile, committedBytes());
    const warnings: unknown[] = [];
    await checkDataFile(directory, { ...silentLogger, warn: (...line: unknown[]) => warnings.push(line) } as Logger);
    expect(warnings).toEqual([]);
    expect(await readEverything()).toEqual([]);
  });

  it('refuses garbage', async () => {
    writeFileSync(dataFile, 'this is not a data file, whatever its name says. '.repeat(1_000));
    expect((await refusal()).message).toMatch(/is not a data file of Burgee.*backup/);
  });

  it.each([
    [0, /missing or empty/],
    [10, /not a data file/],
    [PAGE_BYTES, /cut off/],
    [2 * PAGE_BYTES, /backup/],
  ])('refuses a file that is truncated to %i bytes', async (sizeBytes, expected) => {
    truncateSync(dataFile, sizeBytes);
    expect((await refusal()).message).toMatch(expected);
    // A refused file stays unchanged: an operator may want to recover data from it.
    expect(statSync(dataFile).size).toBe(sizeBytes);
  });

  it('leaves a truncated file unchanged when it refuses it', async () => {
    const { size } = statSync(dataFile);
    truncateSync(dataFile, Math.floor(size * 0.6));
    await refusal();
    expect(statSync(dataFile).size).toBe(Math.floor(size * 0.6));
  });

  it('refuses to start empty where the data file of a store is missing', async () => {
    unlinkSync(dataFile);
    expect((await refusal()).message).toMatch(/contained the store .* missing or empty/);
  });

  it('reports an error for every other truncation, and never crashes', async () => {
    const { size } = statSync(dataFile);
    for (const share of [0.05, 0.2, 0.4, 0.6, 0.8, 0.95]) {
      cpSync(join(original, 'data.mdb'), dataFile);
      truncateSync(dataFile, Math.floor(size * share));
      const errors = await readEverything();
      expect(errors.length).toBeGreaterThan(0);
      for (const error of errors) expect(error).toBeInstanceOf(StoreError);
    }
  });

  it('never returns a damaged page as data', async () => {
    const pageCount = Math.floor(statSync(dataFile).size / PAGE_BYTES);
    const noise = Buffer.alloc(PAGE_BYTES, 0xa5);
    let errorCount = 0;
    for (let page = 2; page < pageCount; page += Math.ceil(pageCount / PAGES_TRIED)) {
      cpSync(join(original, 'data.mdb'), dataFile);
      const descriptor = openSync(dataFile, 'r+');
      // The page keeps its header, so that LMDB accepts it.
      writeSync(descriptor, noise, 0, PAGE_BYTES - 512, page * PAGE_BYTES + 512);
      closeSync(descriptor);
      const errors = await readEverything();
      for (const error of errors) expect(error).toBeInstanceOf(StoreError);
      errorCount += errors.length;
    }
    expect(errorCount).toBeGreaterThan(2);
  });

  it('refuses a page in which two nodes have the same key', async () => {
    const file = readFileSync(dataFile);
    // The header of a page has 24 bytes: at 18 its kind, at 20 the end of the list of its nodes. A node has the size of its key at 6, and the key at 8.
    const keyOf = (page: number, index: number) => {
      const at = page * PAGE_BYTES + 24 + file.readUInt16LE(page * PAGE_BYTES + 24 + 2 * index);
      return file.subarray(at + 8, at + 8 + file.readUInt16LE(at + 6));
    };
    // Keys that are numbers have four bytes.
    const isOfNumbers = (page: number) =>
      file.readUInt16LE(page * PAGE_BYTES + 18) === 0x02 &&
      file.readUInt16LE(page * PAGE_BYTES + 20) >= 4 &&
      [0, 1].every((index) => keyOf(page, index).length === 4);
    const pages = Array.from({ length: Math.floor(file.length / PAGE_BYTES) }, (_, page) => page);
    for (const page of pages.filter(isOfNumbers)) keyOf(page, 0).copy(keyOf(page, 1));
    writeFileSync(dataFile, file);
    expect(String(await refusal())).toContain('its keys are not in order');
  });

  it('refuses a table that is said to be deeper than LMDB makes any', async () => {
    const descriptor = openSync(dataFile, 'r+');
    // Both meta pages begin with a header of 24 bytes, the size of the data, and the descriptions of two tables of 48 bytes.
    for (const page of [0, 1]) writeSync(descriptor, Uint8Array.of(0xff, 0xff), 0, 2, page * PAGE_BYTES + 96 + 6);
    closeSync(descriptor);
    expect(String(await refusal())).toContain('the depth of a table is damaged');
  });

  it('refuses files that cannot be opened, and names them', async () => {
    unlinkSync(dataFile);
    mkdirSync(dataFile);
    expect((await refusal()).message).toMatch(/cannot open the store in .*EISDIR.*data\.mdb/);
    rmSync(dataFile, { recursive: true });
    cpSync(join(original, 'data.mdb'), dataFile);
    mkdirSync(join(directory, 'lock.mdb'));
    expect((await refusal()).message).toMatch(/cannot open the store in .*EISDIR.*lock\.mdb/);
  });

  it('refuses a directory that is a file', async () => {
    directory = dataFile;
    expect((await refusal()).message).toMatch(/cannot open the store in .*data\.mdb/);
  });

  it.each(['1', '3'])('refuses another format: %s', async (format) => {
    const root = openLmdb({ path: directory, noSubdir: false, encoding: 'binary', overlappingSync: false });
    await root.openDB('meta', { encoding: 'binary' }).put('format', Buffer.from(format));
    await root.close();
    expect((await refusal()).message).toBe(
      `the store in ${directory} has format ${format}; this Burgee reads format 2. Start a version that reads it (docs/operate/upgrades.md)`,
    );
  });

  it.each([
    ['has entries and no marker', async () => unlinkSync(join(directory, 'store.json'))],
    [
      'has no entries and its marker',
      async (log: { clearAsync(): Promise<unknown> }) => {
        await log.clearAsync();
      },
    ],
  ])('refuses a store without its description that %s', async (_which, damage) => {
    const root = openLmdb({ path: directory, noSubdir: false, encoding: 'binary', overlappingSync: false });
    await damage(root.openDB('log', { encoding: 'binary' }));
    await root.openDB('meta', { encoding: 'binary' }).remove('format');
    await root.close();
    expect((await refusal()).message).toMatch(/has lost its description/);
  });

  it('refuses a log with a gap after the snapshot', async () => {
    const root = openLmdb({ path: directory, noSubdir: false, encoding: 'binary', overlappingSync: false });
    await root.openDB('meta', { encoding: 'binary' }).remove('snapshot');
    await root.close();
    expect((await refusal()).message).toMatch(/holds 301\.\.1000, its tip is 1000, the snapshot covers 0/);
  });

  type Table = Pick<Database<Buffer, Key>, 'put' | 'remove'>;
  /** Changes the records of a store that is closed. */
  const change = async (work: (table: (name: string) => Table) => Promise<unknown>) => {
    const root = openLmdb({ path: directory, noSubdir: false, encoding: 'binary', overlappingSync: false });
    await work((name) => root.openDB<Buffer, Key>(name, { encoding: 'binary' }));
    await root.close();
  };

  it.each<[string, (table: (name: string) => Table) => Promise<unknown>, () => string]>([
    ['the tip of its log', (table) => table('head').remove('tip'), () => `the log in ${directory} has no tip`],
    [
      'its epoch',
      (table) => table('meta').put('epoch', Buffer.alloc(0)),
      () => `the data file in ${directory} has lost its epoch`,
    ],
    [
      'the description of its snapshot',
      (table) => table('meta').put('snapshot', Buffer.from('{')),
      () => `the store in ${directory} has a damaged record of its snapshot`,
    ],
    [
      'its ancestors',
      (table) => table('meta').put('ancestors', Buffer.from('{')),
      () => `the store in ${directory} has a damaged record of its ancestors`,
    ],
    [
      'the number of an audit event',
      (table) => table('events').put(0.5, Buffer.from('event')),
      () => `the audit events in ${directory} are damaged: they begin at 0.5`,
    ],
  ])('refuses a store that has lost %s', async (_which, damage, expected) => {
    await change(damage);
    const error = await refusal();
    expect(error).toBeInstanceOf(UnusableDataError);
    expect(error.message).toBe(`${expected()}. ${LOST_DATA_ADVICE}`);
  });

  it('never returns entries around a gap', async () => {
    await change((table) => table('log').remove(700));
    const store = new LmdbStore({ directory, logger: silentLogger });
    await store.open();
    expect(await store.read(650, 50)).toHaveLength(50);
    await expect(store.read(650, 51)).rejects.toThrow(`log entry 700 is missing, the tip is 1000. ${LOST_DATA_ADVICE}`);
    await store.close();
  });

  it('opens a store with pieces under a key that no snapshot has, warns of it, and keeps its snapshot', async () => {
    await change((table) => table('pieces').put('piece', Buffer.from('x')));
    const errors: string[] = [];
    const warn = ({ err }: { err?: Error }) => errors.push(...(err ? [err.message] : []));
    const store = new LmdbStore({ directory, logger: { ...silentLogger, warn } as unknown as Logger });
    await store.open();
    expect(errors).toEqual([`the pieces of snapshots are damaged. ${LOST_DATA_ADVICE}`]);
    expect((await store.loadSnapshot())?.info.seq).toBe(500);
    await store.close();
  });

  it('refuses a file without the last page of a value, and leaves it unchanged', async () => {
    // The value at the end is a piece of the snapshot: only its first page has a header.
    const sizeBytes = committedBytes() - PAGE_BYTES;
    truncateSync(dataFile, sizeBytes);
    expect((await refusal()).message).toBe(
      `${dataFile} cannot be used: it is cut off: pages with data are missing. ${LOST_DATA_ADVICE}`,
    );
    expect(statSync(dataFile).size).toBe(sizeBytes);
  });

  it('extends a file without the free page at its end, and warns of it', async () => {
    const store = new LmdbStore({ directory, logger: silentLogger });
    await store.open();
    // The large entry is at the end, until a trim makes its pages free.
    await store.append({
      expectedTip: 1_000,
      writeId: 'w',
      entries: [{ seq: 1_001, bytes: new Uint8Array(2_000_000) }],
      events: [],
    });
    await store.append({
      expectedTip: 1_001,
      writeId: 'w',
      entries: [{ seq: 1_002, bytes: bytes(contentOf(1_002)) }],
      events: [],
    });
    await store.saveSnapshot(1_001, pieces());
    await store.trim(1_001);
    await store.close();
    const expectedBytes = committedBytes();
    const sizeBytes = expectedBytes - PAGE_BYTES;
    truncateSync(dataFile, sizeBytes);
    const warnings: unknown[][] = [];
    await checkDataFile(directory, { ...silentLogger, warn: (...line: unknown[]) => warnings.push(line) } as Logger);
    expect(warnings).toEqual([
      [
        { path: dataFile, sizeBytes, expectedBytes },
        'the data file is shorter than its header says: it was extended with zeros. No data is lost',
      ],
    ]);
    expect(statSync(dataFile).size).toBe(expectedBytes);
    expect(await readEverything()).toEqual([]);
  });

  it('writes its marker again if it is damaged, and reports a missing data file in spite of it', async () => {
    const marker = join(directory, 'store.json');
    const written = readFileSync(marker, 'utf8');
    writeFileSync(marker, '{');
    const store = new LmdbStore({ directory, logger: silentLogger });
    const { epoch } = await store.open();
    await store.close();
    expect(JSON.parse(readFileSync(marker, 'utf8'))).toEqual({ format: 2, epoch });
    expect(readFileSync(marker, 'utf8')).toBe(written);
    writeFileSync(marker, '{');
    unlinkSync(dataFile);
    expect((await refusal()).message).toContain('contained the store unknown, but its data.mdb is missing or empty');
  });
});
