import { statfsSync } from 'node:fs';

/** Left free for what else writes to the disk between the look at it and the write. */
export const RESERVE_BYTES = 16 * 2 ** 20;
/** Removals may use most of the reserve: they make room. */
const REMOVAL_RESERVE_BYTES = 4 * 2 ** 20;
/** LMDB copies every page it changes: a few on the way from the root to a leaf, for every table, and its list of free pages. */
const TRANSACTION_OVERHEAD_BYTES = 256 * 1024;

/**
 * Says no to a transaction that the disk may have no room for, before LMDB finds out: lmdb-js 3.5.6 overwrites memory when it reports
 * that a page could not be written (docs/decisions/store-lmdb-durability.md). Free pages inside the data file are not counted, so this
 * errs on the safe side.
 *
 * The disk is looked at for every transaction, right before it begins: nothing that was known earlier is believed, whoever else fills the disk.
 */
export class DiskRoom {
  readonly #freeBytes: () => number;

  constructor(freeBytes: () => number) {
    this.#freeBytes = freeBytes;
  }

  /** True when `contentBytes` (or a removal) fit. */
  fits(contentBytes: number, isRemoval = false): boolean {
    const reserveBytes = isRemoval ? REMOVAL_RESERVE_BYTES : RESERVE_BYTES;
    // Values fill whole pages, and a page may be half full after a split: twice the content is more than enough.
    const neededBytes = TRANSACTION_OVERHEAD_BYTES + 2 * contentBytes;
    return this.#freeBytes() - neededBytes >= reserveBytes;
  }
}

/**
 * Bytes an unprivileged process can still write to the file system of `directory`; infinite where the platform does not tell. A local file system
 * answers from memory in two microseconds; by way of another thread it would be ten times that. LMDB reads its file on this thread, too: a
 * file system that hangs would hold the loop either way.
 */
export function freeBytesOf(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
