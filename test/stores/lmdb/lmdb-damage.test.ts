import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { open as openLmdb } from 'lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { LOST_DATA_ADVICE } from '../../../src/stores/lmdb/data-file.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { UnusableDataError } from '../../../src/stores/store.ts';
import { until } from '../../support/until.ts';
import { damagedCopy, fillSmall, opening, PAGE_BYTES } from './small-store.ts';

const bytes = (content: string) => new TextEncoder().encode(content);

/** The parts of a data file that a damage is made in. All offsets are from the beginning of the file. */
class DataFile {
  readonly file: Buffer;

  constructor(file: Buffer) {
    this.file = file;
  }

  /** The newer of the two meta pages. */
  get meta(): number {
    return transactionOf(this.file, 0) > transactionOf(this.file, 1) ? 0 : PAGE_BYTES;
  }

  /** The description of the tree of free pages: at 6 its depth, at 32 the number of its records, at 40 the number of its root. */
  get freeTree(): number {
    return this.meta + 48;
  }

  rootOf(tree: number): number {
    return Number(this.file.readBigUInt64LE(tree + 40));
  }

  /** Nodes of a page: at 0 the size of the value or the number of a page, at 4 flags, at 6 the size of the key, at 8 the key. */
  nodesOf(page: number): number[] {
    const count = this.file.readUInt16LE(page * PAGE_BYTES + 20) / 2;
    return Array.from({ length: count }, (_, index) => this.nodeAt(page, index));
  }

  nodeAt(page: number, index: number): number {
    return page * PAGE_BYTES + 24 + this.file.readUInt16LE(page * PAGE_BYTES + 24 + 2 * index);
  }

  valueAt(node: number): number {
    return node + 8 + this.file.readUInt16LE(node + 6);
  }

  /** The node of the table in the list of tables. */
  table(name: string): number {
    const nodes = this.nodesOf(this.rootOf(this.meta + 96));
    const found = nodes.find((node) => this.file.toString('latin1', node + 8, node + 8 + name.length) === name);
    if (found === undefined) throw new Error(`there is no table ${name}`);
    return found;
  }

  /** The description of the tree of a table. */
  treeOf(name: string): number {
    return this.valueAt(this.table(name));
  }

  leavesOf(name: string): number[] {
    const tree = this.treeOf(name);
    let pages = [this.rootOf(tree)];
    for (let depth = this.file.readUInt16LE(tree + 6); depth > 1; depth -= 1)
      pages = pages.flatMap((page) => this.nodesOf(page).map((node) => this.file.readUInt32LE(node)));
    return pages;
  }

  firstLeafOf(name: string): number {
    return this.leavesOf(name)[0] ?? 0;
  }

  /** The first of the pages of a value that has pages of its own. */
  firstOverflowPage(): number {
    const node = this.leavesOf('log')
      .flatMap((page) => this.nodesOf(page))
      .find((at) => this.file.readUInt16LE(at + 4) === 1);
    if (node === undefined) throw new Error('no value has pages of its own');
    return Number(this.file.readBigUInt64LE(this.valueAt(node)));
  }

  /** The list of free pages of one transaction: the number of its words, then the words. */
  get freeList(): number {
    return this.valueAt(this.nodeAt(this.rootOf(this.freeTree), 0));
  }
}

const transactionOf = (file: Buffer, page: number) => file.readBigUInt64LE(page * PAGE_BYTES + TRANSACTION_AT);
const TRANSACTION_AT = 152;

/** What is damaged; the damage, which returns the reason that is expected. */
const DAMAGES: Readonly<Record<string, (data: DataFile) => string>> = {
  'the number of pages': ({ file, meta }) => {
    file.writeBigUInt64LE(0n, meta + 144);
    return 'the number of its pages is damaged';
  },
  'the kind of an entry in the list of tables': (data) => {
    data.file.writeUInt16LE(0, data.table('head') + 4);
    return 'an entry of its list of tables does not describe a table';
  },
  'the name of a table': (data) => {
    data.file.write('heaf', data.table('head') + 8, 'latin1');
    return 'it has a table that this Burgee does not know: it is damaged, or a newer Burgee wrote it';
  },
  'the number of a record': (data) => {
    data.file.writeUInt8(1, data.nodeAt(data.firstLeafOf('events'), 0) + 8);
    return 'a record has no number';
  },
  'the root of a table': (data) => {
    data.file.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, data.treeOf('events') + 40);
    return 'a table has lost its records';
  },
  'the number of records of a table': (data) => {
    data.file.writeBigUInt64LE(99n, data.treeOf('events') + 32);
    return 'a table has 101 entries, and should have 99';
  },
  'the root of a table, which is the root of another one': (data) => {
    const [page, tree] = [data.rootOf(data.treeOf('events')), data.treeOf('log')];
    data.file.writeUInt16LE(data.file.readUInt16LE(data.treeOf('events') + 6), tree + 6);
    data.file.writeBigUInt64LE(BigInt(page), tree + 40);
    return `page ${page} is used twice, or does not exist`;
  },
  'the end of the list of nodes of a page': (data) => {
    const page = data.firstLeafOf('events');
    data.file.writeUInt16LE(data.file.readUInt16LE(page * PAGE_BYTES + 20) + 1, page * PAGE_BYTES + 20);
    return `page ${page} is damaged: its nodes do not fit`;
  },
  'the place of a node': (data) => {
    const page = data.firstLeafOf('events');
    data.file.writeUInt16LE(data.file.readUInt16LE(page * PAGE_BYTES + 22) - 2, page * PAGE_BYTES + 24);
    return `page ${page} is damaged: its nodes do not fit`;
  },
  'the size of a value': (data) => {
    const page = data.firstLeafOf('events');
    data.file.writeUInt32LE(PAGE_BYTES, data.nodeAt(page, 0));
    return `page ${page} is damaged: its nodes do not fit`;
  },
  'the beginning of the nodes of a page': (data) => {
    const page = data.firstLeafOf('events');
    data.file.writeUInt16LE(data.file.readUInt16LE(page * PAGE_BYTES + 22) - 2, page * PAGE_BYTES + 22);
    return `page ${page} is damaged: its nodes do not fit`;
  },
  'the number of pages of a value': (data) => {
    const page = data.firstOverflowPage();
    data.file.writeUInt32LE(3, page * PAGE_BYTES + 20);
    return `page ${page} is damaged`;
  },
  'the length of a list of free pages': ({ file, freeList }) => {
    file.writeBigUInt64LE(4_000n, freeList);
    return 'the list of free pages is damaged';
  },
  'a count in a list of free pages': ({ file, freeList }) => {
    file.writeBigInt64LE(-1_000_000n, freeList + 8);
    return 'the list of free pages is damaged';
  },
  'the end of a list of free pages, where a count has no page': ({ file, freeList }) => {
    file.writeBigInt64LE(-1n, freeList + 8 * Number(file.readBigUInt64LE(freeList)));
    return 'page 0 is used twice, or does not exist';
  },
};

describe('an embedded store with a damaged data file', () => {
  let root: string;
  let original: string;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'burgee-damaged-'));
    original = join(root, 'original');
    await fillSmall(original);
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const damaged = (name: string, change: (file: Buffer) => void) => damagedCopy(original, join(root, name), change);

  const newestMeta = (file: Buffer) => (transactionOf(file, 0) > transactionOf(file, 1) ? 0 : 1);

  it.each(Object.keys(DAMAGES))('is refused, and stays as it is: %s', async (what) => {
    let reason = '';
    // The name is short: the path of a socket is not longer than about a hundred bytes.
    const directory = damaged(`damage-${Object.keys(DAMAGES).indexOf(what)}`, (file) => {
      reason = DAMAGES[what]?.(new DataFile(file)) ?? 'no such damage';
    });
    const path = join(directory, 'data.mdb');
    const before = readFileSync(path);
    const error = await opening(directory).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UnusableDataError);
    expect((error as Error).message).toBe(`${path} cannot be used: ${reason}. ${LOST_DATA_ADVICE}`);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

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
    const directory = damaged('lost-write', () => {});
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
      await until(noted, (record) => record.includes(`,${tip},"write-19"]`));
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

  it('is refused when it has the recorded commit in another epoch, and used when another store was put in its place', async () => {
    const setEpoch = async (directory: string, epoch: string) => {
      const root = openLmdb({ path: directory, noSubdir: false, encoding: 'binary', overlappingSync: false });
      await root.openDB('meta', { encoding: 'binary' }).put('epoch', Buffer.from(epoch));
      await root.close();
    };
    const [changed, replaced] = [damaged('epoch', () => {}), damaged('replaced', () => {})];
    await setEpoch(changed, 'another');
    await expect(opening(changed)).rejects.toThrow(
      `has lost data: its epoch is not the recorded one, but its newest commit is. ${LOST_DATA_ADVICE}`,
    );
    const text = JSON.stringify(['another', 900, 'w']);
    writeFileSync(join(replaced, 'newest-commit'), `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`);
    expect((await opening(replaced)).tip).toBe(101);
  });

  it('is used when the record of its newest commit is damaged', async () => {
    const directory = damaged('record', () => {});
    const path = join(directory, 'newest-commit');
    const record = readFileSync(path, 'utf8');
    expect(record).toContain(',101,"write-100"]');
    writeFileSync(path, record.replace(',101,', ',901,'));
    expect((await opening(directory)).tip).toBe(101);
    expect(readFileSync(path, 'utf8')).toBe(record);
  });
});
