import { statfs } from 'node:fs/promises';

/** Left free for what else writes to the disk between two looks at it. */
const RESERVE_BYTES = 16 * 2 ** 20;
/** Removals may use most of the reserve: they make room. */
const REMOVAL_RESERVE_BYTES = 4 * 2 ** 20;
/** LMDB copies every page it changes: a few on the way from the root to a leaf, for every table, and its list of free pages. */
const TRANSACTION_OVERHEAD_BYTES = 256 * 1024;
/** How long a look at the disk is believed: so short that no disk takes the reserve meanwhile, whoever else fills it. */
const BELIEVED_FOR_MS = 2;

/**
 * Says no to a transaction that the disk may have no room for, before LMDB finds out: lmdb-js 3.5.6 overwrites memory when it reports
 * that a page could not be written (docs/decisions/store-lmdb-durability.md). Free pages inside the data file are not counted, so this
 * errs on the safe side.
 */
export class DiskRoom {
  readonly #freeBytes: () => Promise<number>;
  #leftBytes = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(freeBytes: () => Promise<number>) {
    this.#freeBytes = freeBytes;
  }

  /** True when `contentBytes` (or a removal) fit; they are then counted as written. */
  async take(contentBytes: number, isRemoval = false): Promise<boolean> {
    const reserveBytes = isRemoval ? REMOVAL_RESERVE_BYTES : RESERVE_BYTES;
    // Values fill whole pages, and a page may be half full after a split: twice the content is more than enough.
    const neededBytes = TRANSACTION_OVERHEAD_BYTES + 2 * contentBytes;
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs >= BELIEVED_FOR_MS || this.#leftBytes - neededBytes < reserveBytes) {
      this.#leftBytes = await this.#freeBytes();
      this.#lookedAtMs = nowMs;
    }
    if (this.#leftBytes - neededBytes < reserveBytes) return false;
    this.#leftBytes -= neededBytes;
    return true;
  }

  /** Whether a small transaction would be taken now. Looks at the disk, and counts nothing as written. */
  async hasRoom(): Promise<boolean> {
    return (await this.#freeBytes()) - TRANSACTION_OVERHEAD_BYTES >= RESERVE_BYTES;
  }
}

/** Bytes an unprivileged process can still write to the file system of `directory`; infinite where the platform does not tell. */
export async function freeBytesOf(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
