import { fstatSync, readSync } from 'node:fs';

/** The header of a page. The offsets of its nodes follow; they count from the end of the header. */
const HEADER = { bytes: 24, numberAt: 0, transactionAt: 8, flagsAt: 18, lowerAt: 20, upperAt: 22, overflowPagesAt: 20 };
/** The bytes before the key in a node: the size of the value (or the number of a page), flags, the size of the key. */
const NODE_BYTES = 8;
const BRANCH = 0x01;
const LEAF = 0x02;
const OVERFLOW = 0x04;
const META_FLAG = 0x08;
/** The value is stored on separate pages. */
const BIG = 0x01;
/** The value is the description of a table. */
const TABLE = 0x02;
const TABLE_BYTES = 48;
const OVERFLOW_POINTER_BYTES = 24;
/** LMDB refuses deeper tables. */
const DEPTH_MAX = 32;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

const LMDB_MAGIC = 0xbeefc0de;
const LMDB_DATA_VERSION = 2;

/** Tables whose keys are positive numbers. The first byte of such a key is at least `POSITIVE_KEY`. */
const NUMBERED_TABLES: ReadonlySet<string> = new Set(['events', 'log']);
const POSITIVE_KEY = 0x10;

/** Free pages at the end of a file may be missing. But a file is refused if it would be more than this many times as large with the missing pages. */
const MISSING_PAGES_FACTOR = 16;

/** The bytes of a block, and the number of blocks that are kept in memory. */
const BLOCK_BYTES = 1 << 18;
const BLOCKS_MAX = 256;

/** The file is not a data file as LMDB writes it. */
export class PageError extends Error {
  override readonly name = 'PageError';
}

/** A meta page: one committed transaction, and the roots of its trees. */
interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: number;
  readonly free: Tree;
  readonly main: Tree;
}

interface Tree {
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** The page number of the tree's root; null when the tree is empty. */
  readonly root: number | null;
}

/** The size that the file must have for its newest transaction. @throws PageError when the file does not begin like a data file. */
export function committedSizeBytes(file: number, sizeBytes: number): number {
  const { pageSize, lastPage } = newestMeta(file, sizeBytes);
  const committedBytes = (lastPage + 1) * pageSize;
  if (committedBytes > MISSING_PAGES_FACTOR * sizeBytes)
    throw new PageError('it is cut off, or the number of its pages is damaged');
  return committedBytes;
}

/**
 * Checks that LMDB could have written every page of the file. LMDB trusts the pages: with a wrong number in a page, it reads or writes anywhere in
 * memory, or ends the process. A page may be reached only once, from a table or from the list of free pages; its nodes must fill it exactly, in
 * the order of their keys; and the numbers of pages and entries must agree. The content of records is not checked here: they have checksums.
 * @param tableNames The names that tables may have.
 * @throws PageError
 */
export function checkPages(file: number, tableNames: ReadonlySet<string>): void {
  const { size } = fstatSync(file);
  new PageWalk(file, size, newestMeta(file, size)).run(tableNames);
}

/** LMDB continues from the newer of two meta pages. If the newer page is damaged, LMDB silently continues one transaction earlier. */
function newestMeta(file: number, sizeBytes: number): Meta {
  const first = readMeta(file, 0, 0);
  if (sizeBytes < 2 * first.pageSize) throw new PageError(`it is cut off: it has ${sizeBytes} bytes`);
  const second = readMeta(file, 1, first.pageSize);
  const isNew = first.transaction === 0 && second.transaction === 0;
  const areInTurn = first.transaction % 2 === 0 && second.transaction % 2 === 1;
  const areNeighbours = Math.abs(first.transaction - second.transaction) === 1;
  if (first.pageSize !== second.pageSize || !(isNew || (areInTurn && areNeighbours))) {
    throw new PageError(`its two meta pages do not follow each other (${first.transaction}, ${second.transaction})`);
  }
  return first.transaction > second.transaction ? first : second;
}

function readMeta(file: number, number: number, offset: number): Meta {
  const page = Buffer.alloc(HEADER.bytes + 136);
  const bytesRead = readSync(file, page, 0, page.length, offset);
  const pageSize = page.readUInt32LE(48);
  const isMeta =
    bytesRead === page.length &&
    page.readBigUInt64LE(HEADER.numberAt) === BigInt(number) &&
    page.readUInt16LE(HEADER.flagsAt) === META_FLAG &&
    page.readUInt32LE(24) === LMDB_MAGIC &&
    (page.readUInt32LE(28) & 0xffff) === LMDB_DATA_VERSION;
  const hasPageSize = pageSize >= 512 && pageSize <= 65_536 && Number.isInteger(Math.log2(pageSize));
  if (!isMeta || !hasPageSize) throw new PageError('it is not a data file of Burgee, or its beginning is damaged');
  return {
    pageSize,
    free: readTree(page, 48),
    main: readTree(page, 48 + TABLE_BYTES),
    lastPage: Number(page.readBigUInt64LE(144)),
    transaction: Number(page.readBigUInt64LE(152)),
  };
}

function readTree(bytes: Buffer, at: number): Tree {
  const number = (offset: number) => Number(bytes.readBigUInt64LE(at + offset));
  const root = bytes.readBigUInt64LE(at + 40);
  return {
    depth: bytes.readUInt16LE(at + 6),
    branchPages: number(8),
    leafPages: number(16),
    overflowPages: number(24),
    entries: number(32),
    root: root === NO_PAGE ? null : Number(root),
  };
}

/** A node of a page: its offset, and the fields of its head. */
interface Node {
  readonly at: number;
  readonly low: number;
  readonly flags: number;
  readonly keyBytes: number;
}

/** What a walk through a tree has counted, to compare with the numbers in the tree's description. */
interface PageCounts {
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
}

class PageWalk {
  readonly #file: number;
  readonly #sizeBytes: number;
  readonly #meta: Meta;
  readonly #isUsed: Uint8Array;
  readonly #blocks = new Map<number, Buffer>();

  constructor(file: number, sizeBytes: number, meta: Meta) {
    this.#file = file;
    this.#sizeBytes = sizeBytes;
    this.#meta = meta;
    if (meta.lastPage < 1 || meta.lastPage > 2 ** 40) throw new PageError('the number of its pages is damaged');
    this.#isUsed = new Uint8Array(meta.lastPage + 1);
    this.#isUsed.fill(1, 0, 2);
  }

  run(tableNames: ReadonlySet<string>): void {
    this.#checkTree(this.#meta.main, (page, node) => {
      if ((node.flags & TABLE) === 0) throw new PageError('an entry of its list of tables does not describe a table');
      const name = page
        .toString('latin1', node.at + NODE_BYTES, node.at + NODE_BYTES + node.keyBytes)
        .replace(/\0$/, '');
      // If the name of a table were damaged, LMDB would create a table with the correct name, without records.
      if (!tableNames.has(name))
        throw new PageError('it has a table that this Burgee does not know: it is damaged, or a newer Burgee wrote it');
      const isNumbered = NUMBERED_TABLES.has(name);
      this.#checkTree(readTree(page, node.at + NODE_BYTES + node.keyBytes), (leaf, { at }) => {
        // A record with any other key would never be found.
        if (isNumbered && (leaf[at + NODE_BYTES] ?? 0) < POSITIVE_KEY) throw new PageError('a record has no number');
      });
    });
    this.#checkTree(this.#meta.free, (page, node) => this.#markFreePages(this.#valueOf(page, node)));
  }

  /** Checks a tree, and calls `each` with every record of the tree. */
  #checkTree(tree: Tree, each: (page: Buffer, node: Node) => void): void {
    const counts: PageCounts = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
    if (tree.root === null) {
      if (tree.entries !== 0) throw new PageError('a table has lost its records');
      return;
    }
    if (tree.depth > DEPTH_MAX) throw new PageError('the depth of a table is damaged');
    this.#checkPage(tree.root, tree.depth, counts, each);
    for (const name of ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const) {
      if (counts[name] !== tree[name])
        throw new PageError(`a table has ${counts[name]} ${name}, and should have ${tree[name]}`);
    }
  }

  #checkPage(number: number, depth: number, counts: PageCounts, each: (page: Buffer, node: Node) => void): void {
    const page = this.#readUnused(number, depth > 1 ? BRANCH : LEAF);
    const nodes = this.#nodesOf(page, number, depth > 1);
    if (depth > 1) {
      counts.branchPages += 1;
      for (const { low, flags } of nodes) this.#checkPage(flags * 2 ** 32 + low, depth - 1, counts, each);
      return;
    }
    counts.leafPages += 1;
    counts.entries += nodes.length;
    for (const node of nodes) {
      if (node.flags & BIG) counts.overflowPages += this.#markOverflowPages(page, node);
      each(page, node);
    }
  }

  /** Reads a page, and checks that it was not reached before and has the expected kind. */
  #readUnused(number: number, kind: number): Buffer {
    this.#markUsed(number);
    const page = this.#readPage(number);
    const isSame = page.readBigUInt64LE(HEADER.numberAt) === BigInt(number);
    const isOld = page.readBigUInt64LE(HEADER.transactionAt) <= BigInt(this.#meta.transaction);
    if (!isSame || !isOld || page.readUInt16LE(HEADER.flagsAt) !== kind)
      throw new PageError(`page ${number} is damaged`);
    return page;
  }

  #markUsed(number: number): void {
    if (this.#isUsed[number] !== 0) throw new PageError(`page ${number} is used twice, or does not exist`);
    this.#isUsed[number] = 1;
  }

  /** The nodes of a page in order. Together they must fill its used part. */
  #nodesOf(page: Buffer, number: number, isBranch: boolean): Node[] {
    const spaceBytes = this.#meta.pageSize - HEADER.bytes;
    const lower = page.readUInt16LE(HEADER.lowerAt);
    const upper = page.readUInt16LE(HEADER.upperAt);
    const nodeError = () => new PageError(`page ${number} is damaged: its nodes do not fit`);
    if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > spaceBytes) throw nodeError();
    const nodes: Node[] = [];
    let usedBytes = 0;
    let keyBefore: Buffer | undefined;
    for (let index = 0; index < lower / 2; index += 1) {
      const offset = page.readUInt16LE(HEADER.bytes + 2 * index);
      if (offset < upper || offset + NODE_BYTES > spaceBytes) throw nodeError();
      const at = HEADER.bytes + offset;
      const node = {
        at,
        low: page.readUInt32LE(at),
        flags: page.readUInt16LE(at + 4),
        keyBytes: page.readUInt16LE(at + 6),
      };
      if (!isBranch && (node.flags & ~(BIG | TABLE)) !== 0) throw nodeError();
      const sizeBytes =
        NODE_BYTES + node.keyBytes + (isBranch ? 0 : node.flags & BIG ? OVERFLOW_POINTER_BYTES : node.low);
      if (offset + sizeBytes > spaceBytes) throw nodeError();
      usedBytes += sizeBytes + (sizeBytes % 2);
      const key = page.subarray(at + NODE_BYTES, at + NODE_BYTES + node.keyBytes);
      // The first key of a branch stands for all smaller keys.
      if (keyBefore && !(isBranch && index === 1) && !this.#isAscending(keyBefore, key)) {
        throw new PageError(`page ${number} is damaged: its keys are not in order`);
      }
      keyBefore = key;
      nodes.push(node);
    }
    if (usedBytes !== spaceBytes - upper) throw nodeError();
    return nodes;
  }

  #isAscending(left: Buffer, right: Buffer): boolean {
    // Keys of the list of free pages are numbers in the byte order of the machine.
    if (left.length === 8 && right.length === 8 && left.readBigUInt64LE() < right.readBigUInt64LE()) return true;
    return left.compare(right) < 0;
  }

  /** Marks the separate pages of a value as used. Returns the number of these pages. */
  #markOverflowPages(page: Buffer, node: Node): number {
    const pointerAt = node.at + NODE_BYTES + node.keyBytes;
    const first = Number(page.readBigUInt64LE(pointerAt));
    const count = Math.floor((HEADER.bytes - 1 + node.low) / this.#meta.pageSize) + 1;
    const storedCount = Number(page.readBigUInt64LE(pointerAt + 16));
    const head = this.#readUnused(first, OVERFLOW);
    if (storedCount !== count || head.readUInt32LE(HEADER.overflowPagesAt) !== count)
      throw new PageError(`page ${first} is damaged`);
    // All pages but the first one contain nothing that could be checked: if they were missing, their zeros would look like data.
    if ((first + count) * this.#meta.pageSize > this.#sizeBytes)
      throw new PageError('it is cut off: pages with data are missing');
    for (let offset = 1; offset < count; offset += 1) this.#markUsed(first + offset);
    return count;
  }

  #valueOf(page: Buffer, node: Node): Buffer {
    const at = node.at + NODE_BYTES + node.keyBytes;
    if ((node.flags & BIG) === 0) return page.subarray(at, at + node.low);
    const value = Buffer.alloc(node.low);
    const offset = Number(page.readBigUInt64LE(at)) * this.#meta.pageSize + HEADER.bytes;
    readSync(this.#file, value, 0, value.length, offset);
    return value;
  }

  /** A list of free pages: the number of words, then the words. A word is a page, or minus a count (the first of so many pages follows), or zero. */
  #markFreePages(list: Buffer): void {
    const length = Number(list.readBigUInt64LE(0));
    if (8 * (length + 1) > list.length) throw new PageError('the list of free pages is damaged');
    for (let index = 1; index <= length; index += 1) {
      const word = list.readBigInt64LE(8 * index);
      if (word === 0n) continue;
      let [count, first] = [1, Number(word)];
      if (word < 0n) {
        index += 1;
        [count, first] = [Number(-word), index <= length ? Number(list.readBigInt64LE(8 * index)) : 0];
      }
      if (count > this.#isUsed.length) throw new PageError('the list of free pages is damaged');
      for (let offset = 0; offset < count; offset += 1) this.#markUsed(first + offset);
    }
  }

  #readPage(number: number): Buffer {
    const { pageSize } = this.#meta;
    const blockBytes = Math.max(BLOCK_BYTES, pageSize);
    const block = Math.floor((number * pageSize) / blockBytes);
    let bytes = this.#blocks.get(block);
    if (!bytes) {
      bytes = Buffer.alloc(blockBytes);
      readSync(this.#file, bytes, 0, blockBytes, block * blockBytes);
      if (this.#blocks.size >= BLOCKS_MAX)
        for (const oldest of this.#blocks.keys()) if (this.#blocks.delete(oldest)) break;
      this.#blocks.set(block, bytes);
    }
    const start = number * pageSize - block * blockBytes;
    return bytes.subarray(start, start + pageSize);
  }
}
