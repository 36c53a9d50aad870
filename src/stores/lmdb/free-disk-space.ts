import { RESERVE_BYTES } from '../local/disk-space.ts';

/** Removals may use most of the reserve: they free space. */
const REMOVAL_RESERVE_BYTES = 4 * 2 ** 20;
/**
 * The space for the pages that every transaction copies: the pages on the way from the root to a leaf, for every table, and the list of free pages.
 */
const TRANSACTION_OVERHEAD_BYTES = 256 * 1024;

/**
 * Refuses a transaction for which the disk may have no space, before LMDB detects that: lmdb-js 3.5.6 overwrites memory when it reports
 * that a page could not be written (docs/decisions/store-lmdb-durability.md). Free pages inside the data file are not counted, so this may refuse
 * a transaction that would fit. It never allows one that does not fit.
 *
 * The disk is checked right before every transaction. No earlier result is used, because other processes may fill the disk.
 */
export class FreeDiskSpace {
  readonly #freeBytes: () => number;

  constructor(freeBytes: () => number) {
    this.#freeBytes = freeBytes;
  }

  /** Whether the disk has space for a transaction that puts `contentBytes`, or for a removal. */
  fits(contentBytes: number, isRemoval = false): boolean {
    const reserveBytes = isRemoval ? REMOVAL_RESERVE_BYTES : RESERVE_BYTES;
    // Values fill whole pages, and a page may be half full after a split: twice the content is more than enough.
    const neededBytes = TRANSACTION_OVERHEAD_BYTES + 2 * contentBytes;
    return this.#freeBytes() - neededBytes >= reserveBytes;
  }
}
