import { statfsSync } from 'node:fs';

/** Space that writes leave free, because other processes may write to the disk between the check and the write. */
export const RESERVE_BYTES = 16 * 2 ** 20;

/**
 * The bytes that an unprivileged process can still write to the file system of `directory`; infinite if the platform does not report it. The call is
 * synchronous: a local file system answers from memory in two microseconds, and a call on another thread would need ten times that. LMDB reads its
 * file on this thread, too, so a file system that hangs would block the event loop anyway.
 */
export function freeBytesOf(directory: string): number {
  return diskOf(directory)?.freeBytes ?? Number.POSITIVE_INFINITY;
}

/** The file system of a directory; undefined if there is no such directory, or if the platform does not report it. Synchronous, see `freeBytesOf`. */
export function diskOf(directory: string): { readonly freeBytes: number; readonly sizeBytes: number } | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory);
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}

/**
 * Space that a new file leaves free: the reserve of writes, and the largest write. A start needs as much. Files that stay for long, or that only
 * copy data, must not take the space without which changes are refused.
 */
const FILE_RESERVE_BYTES = RESERVE_BYTES + 4 * 2 ** 20;

/** The disk has no space for a file. The message is for people. */
export class NoSpaceError extends Error {
  override readonly name = 'NoSpaceError';
}

/** The space on the disk of a directory, for files that may be large. Code that writes one asks for its space first, and again while it writes. */
export class FileSpace {
  readonly #directory: string;
  readonly #freeBytes: () => number;

  constructor(directory: string, freeBytes: () => number = () => freeBytesOf(directory)) {
    this.#directory = directory;
    this.#freeBytes = freeBytes;
  }

  /** Whether writes soon have too little space. */
  get isShort(): boolean {
    return this.#freeBytes() < FILE_RESERVE_BYTES;
  }

  /** @throws NoSpaceError if a file of this size would leave too little space for writes */
  require(sizeBytes: number): void {
    const freeBytes = this.#freeBytes();
    if (freeBytes - sizeBytes >= FILE_RESERVE_BYTES) return;
    throw new NoSpaceError(
      `there is no space for the backup on the disk of ${this.#directory}: it needs about ${megabytes(sizeBytes)}, ${megabytes(freeBytes)} are free, ` +
        `and ${megabytes(FILE_RESERVE_BYTES)} must stay free for changes`,
    );
  }

  /** The same chunks. Asks for the space of each before it is passed on. @throws NoSpaceError */
  async *checked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    for await (const bytes of chunks) {
      this.require(bytes.length);
      yield bytes;
    }
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MB`;
}
