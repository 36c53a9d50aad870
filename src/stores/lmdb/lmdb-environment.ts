import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { isoTime, systemClock } from '../../base/clock.ts';
import { freeBytesOf } from '../local/disk-space.ts';
import { ensurePrivateFile } from '../local/private-files.ts';
import { DATA_FILE, LOCK_FILE, type TABLE_NAMES } from './data-file.ts';
import { FreeDiskSpace } from './free-disk-space.ts';

/**
 * The size of the memory map. It uses address space, not disk space: the file is only as long as its data. When the map is full, LMDB makes a new one
 * of twice the size.
 */
const MAP_SIZE_BYTES = 64 * 2 ** 30;
const LIMITED_MAP_SIZE_BYTES = 2 ** 28;

/** Codes of temporary failures: the transaction was dropped, and will succeed when the disk has space. */
const DISK_FULL_CODES: ReadonlySet<unknown> = new Set([28 /* ENOSPC */, 122 /* EDQUOT */, -30792 /* MDB_MAP_FULL */]);

/** The beginning of the message of every `CommitError` for a full disk. */
export const DISK_FULL = 'there is no space left';

/** lmdb-js writes this text beyond the end of a buffer of 100 bytes. After that, the process must not write to the data file again. */
const MEMORY_OVERWRITTEN = 'Attempting to write page';

/** The only key of `head`. Its version is the log's tip, so that LMDB compares it inside the transaction. */
const TIP_KEY = 'tip';
/** The value under `TIP_KEY` is the writeId of the newest batch. When it is not known, the value is one zero byte. */
const NO_WRITE_ID = Buffer.alloc(1);

export type NumberedTable = Database<Buffer, number>;

export interface LmdbTables {
  readonly meta: Database<Buffer, string>;
  readonly log: NumberedTable;
  readonly events: NumberedTable;
  /** The key is the snapshot id and the index of the piece. */
  readonly pieces: Database<Buffer, [number, number]>;
  /** See LmdbCounters. Unlike the records of other tables, counters are changed in place. */
  readonly counters: Database<Buffer, Buffer>;
}

/** The expected and the new tip of an append, and the number of bytes that it puts. */
interface AppendSize {
  readonly expectedTip: number;
  readonly newTip: number;
  readonly contentBytes: number;
  readonly writeId?: string;
}

/** The bytes of the values that are put; left out for removals. */
interface TransactionSize {
  readonly contentBytes?: number;
}

/** Access to the tables for a part of the store. Both functions throw StoreError. */
export interface LmdbTableParts {
  /** Commits the operations in one durable transaction. */
  readonly write: (size: TransactionSize, operations: (tables: LmdbTables) => void) => Promise<void>;
  readonly read: <T>(read: (tables: LmdbTables) => Promise<T>) => Promise<T>;
}

/** Starts a transaction. `tip` is the log's tip at the start. It stays valid: no other transaction is committed in between. */
type Transaction = (handles: LmdbHandles) => Promise<boolean>;

/** The open files of an environment, and its tables. */
interface LmdbHandles {
  readonly root: RootDatabase<Buffer, string>;
  readonly head: Database<Buffer, string>;
  readonly tables: LmdbTables;
}

/** The transaction was not committed, or it is not known whether it was. `isNotCommitted`: it was certainly not committed. */
export class CommitError extends Error {
  override readonly name = 'CommitError';
  readonly isNotCommitted: boolean;

  constructor(message: string, isNotCommitted: boolean, cause?: unknown) {
    super(message, { cause });
    this.isNotCommitted = isNotCommitted;
  }
}

/**
 * One LMDB environment, its tables and its write queue.
 *
 * - Transactions are committed one after the other. lmdb-js hangs if a transaction starts after a failed write of the meta page. So each transaction
 *   is given to lmdb-js only after the previous one has ended.
 * - A committed transaction is durable: `overlappingSync` is off (docs/decisions/store-lmdb-durability.md).
 * - After a transaction failed for another reason than a full disk, no further transaction is started, because a second fsync would succeed although
 *   data was lost.
 */
export class LmdbEnvironment {
  readonly #directory: string;
  readonly #freeDiskSpace: FreeDiskSpace;
  #handles: LmdbHandles;
  #queue: Promise<unknown> = Promise.resolve();
  /** Identifies the data file that is written to; undefined while the files are being exchanged. */
  #fileId: string | undefined;
  #failure: { since: string; reason: string } | null = null;
  #isUnreadable = false;
  #isClosing = false;
  readonly #runningReads = new Set<Promise<unknown>>();
  #replacedFilesClosed: Promise<unknown> = Promise.resolve();

  /** Opens or creates the environment, without checking its content. */
  constructor(directory: string, freeDiskSpace: FreeDiskSpace = new FreeDiskSpace(() => freeBytesOf(directory))) {
    this.#directory = directory;
    this.#freeDiskSpace = freeDiskSpace;
    this.#handles = openHandles(directory, false);
    this.#fileId = fileIdIn(directory);
  }

  get tables(): LmdbTables {
    if (this.#isUnreadable) throw new Error('the data file cannot be trusted after a failed write');
    return this.#handles.tables;
  }

  /** Why no write will succeed until a restart, and since when; null if there is no such failure (a full disk is none). */
  get failure(): { readonly since: string; readonly reason: string } | null {
    return this.#failure;
  }

  /** The current tip, even if another process has moved it; null before `initialise`. */
  readTip(): number | null {
    const { meta } = this.tables;
    meta.resetReadTxn();
    return tipOf(this.#handles);
  }

  /** The writeId of the newest batch, empty when it is not known. */
  readWriteId(): string {
    const value = this.#handles.head.getEntry(TIP_KEY)?.value ?? NO_WRITE_ID;
    return value.equals(NO_WRITE_ID) ? '' : value.toString('utf8');
  }

  /** Commits `operations` in one transaction that also sets the tip to 0. @throws CommitError */
  async initialise(operations: (tables: LmdbTables) => void): Promise<void> {
    await this.#enqueue({ contentBytes: 0 }, ({ root, head, tables }) =>
      root.batch(() => {
        head.put(TIP_KEY, NO_WRITE_ID, 0);
        operations(tables);
      }),
    );
  }

  /**
   * Commits `operations` in one durable transaction and moves the tip, or changes nothing and returns false when the tip is not `expectedTip`.
   * `operations` is called in both cases. @throws CommitError
   */
  append(
    { expectedTip, newTip, contentBytes, writeId = '' }: AppendSize,
    operations: (tables: LmdbTables) => void,
  ): Promise<boolean> {
    return this.#enqueue({ contentBytes }, ({ head, tables }) =>
      head.ifVersion(TIP_KEY, expectedTip, () => {
        head.put(TIP_KEY, writeId === '' ? NO_WRITE_ID : Buffer.from(writeId), newTip);
        operations(tables);
      }),
    );
  }

  /** Commits `operations` in one durable transaction. They put `contentBytes`, or only remove records. @throws CommitError */
  async write(size: TransactionSize, operations: (tables: LmdbTables) => void): Promise<void> {
    // These writes belong to snapshots and trims, which consist of many writes and can be done again later: `close` does not wait for them.
    if (this.#isClosing) throw new CommitError('the store is being closed', true);
    await this.#enqueue(size, ({ root, tables }) => root.batch(() => operations(tables)));
  }

  /**
   * Checks whether a small transaction could be started now. If the data file was removed or replaced, writes would be lost when this process ends:
   * nothing is written any more in that case. @throws CommitError when no transaction can be started
   */
  async probe(): Promise<void> {
    if (this.#fileId !== undefined && !this.#isClosing && fileIdIn(this.#directory) !== this.#fileId) {
      const reason = `${DATA_FILE} was removed or replaced. Its content can still be read: download a backup before this process ends`;
      this.#failure ??= { since: isoTime(systemClock.nowMs()), reason };
    }
    if (this.#failure) throw new CommitError(this.#failure.reason, true);
    if (!this.#freeDiskSpace.fits(0)) throw new CommitError(`${DISK_FULL} on its disk`, true);
  }

  /**
   * Replaces the files of this environment by those of `next`. `finish` and then `install` run while this environment writes nothing. When `finish`
   * fails, nothing has changed. When `install` fails, it is not known which files the directory has, and nothing is written any more.
   * @throws CommitError, and the errors of `finish` and `install`
   */
  exchange(next: LmdbEnvironment, finish: () => Promise<void>, install: () => Promise<void>): Promise<void> {
    const exchange = async () => {
      if (this.#failure) throw new CommitError(this.#failure.reason, true);
      await finish();
      this.#fileId = undefined;
      try {
        await install();
        this.#fileId = fileIdIn(this.#directory);
      } catch (error) {
        this.#failure = { since: isoTime(systemClock.nowMs()), reason: String(error) };
        throw error;
      }
      const previous = this.#handles;
      this.#handles = next.#handles;
      this.#closeAfterReads(previous);
    };
    const result = this.#queue.then(exchange);
    this.#queue = result.catch(() => {});
    return result;
  }

  /** Runs a read that may pause, and keeps the tables that it began with: files that are replaced meanwhile stay open until the read has ended. */
  async runRead<T>(read: () => Promise<T>): Promise<T> {
    const result = read();
    this.#runningReads.add(result);
    try {
      return await result;
    } finally {
      this.#runningReads.delete(result);
    }
  }

  #closeAfterReads({ root }: LmdbHandles): void {
    const closing = Promise.allSettled(this.#runningReads).then(() => root.close());
    this.#replacedFilesClosed = Promise.allSettled([this.#replacedFilesClosed, closing]);
  }

  /** Whether `close` was called. Work that can be done again later should stop in that case. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Whether this environment writes to the files of `other`, as it does after an exchange. */
  usesFilesOf(other: LmdbEnvironment): boolean {
    return this.#handles === other.#handles;
  }

  /** Waits for the transactions under way, then closes the files. */
  async close(): Promise<void> {
    this.#isClosing = true;
    let last: unknown;
    while (last !== this.#queue) {
      last = this.#queue;
      await last;
    }
    this.#failure ??= { since: isoTime(systemClock.nowMs()), reason: 'the store is closed' };
    await this.#replacedFilesClosed;
    await this.#handles.root.close();
  }

  /** Starts a transaction. Tests override this method to make commits fail that a real disk would accept. */
  protected commit(transaction: () => Promise<boolean>): Promise<boolean> {
    return transaction();
  }

  #enqueue(size: TransactionSize, transaction: Transaction): Promise<boolean> {
    const result = this.#queue.then(() => this.#commitDurably(size, transaction));
    this.#queue = result.catch(() => {});
    return result;
  }

  async #commitDurably(size: TransactionSize, transaction: Transaction): Promise<boolean> {
    if (this.#failure) throw new CommitError(this.#failure.reason, true);
    if (!this.#freeDiskSpace.fits(size.contentBytes ?? 0, size.contentBytes === undefined)) {
      throw new CommitError(`${DISK_FULL} on its disk`, true);
    }
    let tipBefore: number | null = null;
    try {
      tipBefore = this.readTip();
      const isCommitted = await this.commit(() => transaction(this.#handles));
      // This promise is already resolved when `overlappingSync` is off. The line ensures that only durable data is acknowledged even if the option is
      // turned on.
      await this.#handles.root.flushed;
      return isCommitted;
    } catch (error) {
      throw await this.#commitErrorOf(await causeOf(error), tipBefore);
    }
  }

  async #commitErrorOf(cause: unknown, tipBefore: number | null): Promise<CommitError> {
    const { message, code } = cause as { message: string; code?: unknown };
    const hasPanicked = this.#hasPanicked();
    const isTemporary = DISK_FULL_CODES.has(code) && !hasPanicked && !message.includes(MEMORY_OVERWRITTEN);
    if (isTemporary) return new CommitError(`${DISK_FULL}: ${message}`, true, cause);
    this.#failure = { since: isoTime(systemClock.nowMs()), reason: message };
    // If the write of the meta page did not fail, the written pages belong to no transaction, so no read will ever find them.
    if (!hasPanicked) return new CommitError(message, true, cause);
    await this.#reopenForReading(tipBefore);
    return new CommitError(message, false, cause);
  }

  /** After the meta page could not be written, LMDB refuses everything, including reads. */
  #hasPanicked(): boolean {
    try {
      this.#handles.tables.meta.resetReadTxn();
      this.#handles.tables.meta.get('format');
      return false;
    } catch {
      return true;
    }
  }

  async #reopenForReading(tipBefore: number | null): Promise<void> {
    this.#isUnreadable = true;
    try {
      await this.#handles.root.close();
      this.#handles = openHandles(this.#directory, true);
      // The failed transaction may be in the page cache but not on the disk. Reads must not return such data, so they are refused.
      this.#isUnreadable = tipOf(this.#handles) !== tipBefore;
    } catch {
      // Reads remain refused; `failure` has the reason.
    }
  }
}

/** A text that identifies the data file in the directory, independent of its content; "" when the file does not exist. */
function fileIdIn(directory: string): string {
  const stats = statSync(join(directory, DATA_FILE), { throwIfNoEntry: false });
  return stats ? `${stats.dev} ${stats.ino}` : '';
}

/** The reason of an error. lmdb-js rejects with an error that contains only a promise of the reason. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  if (!commitError) return error;
  return commitError.then(
    () => error,
    (cause: unknown) => cause,
  );
}

function tipOf({ head }: LmdbHandles): number | null {
  return head.getEntry(TIP_KEY)?.version ?? null;
}

function openHandles(directory: string, readOnly: boolean): LmdbHandles {
  // `checkDataFile` would report a table that is not in TABLE_NAMES as damage.
  const table = (name: (typeof TABLE_NAMES)[number]) => name;
  const root = openRoot(directory, readOnly);
  const binary = { encoding: 'binary', cache: false } as const;
  const head: Database<Buffer, string> = root.openDB(table('head'), { ...binary, useVersions: true });
  const tables: LmdbTables = {
    meta: root.openDB(table('meta'), binary),
    log: root.openDB(table('log'), binary),
    events: root.openDB(table('events'), binary),
    pieces: root.openDB(table('pieces'), binary),
    counters: root.openDB(table('counters'), { ...binary, keyEncoding: 'binary' }),
  };
  return { root, head, tables };
}

function openRoot(directory: string, readOnly: boolean): RootDatabase<Buffer, string> {
  // LMDB would let the umask decide the modes of its files, so they are created here. LMDB accepts an empty file as a new store.
  if (!readOnly) for (const name of [DATA_FILE, LOCK_FILE]) ensurePrivateFile(join(directory, name));
  return open<Buffer, string>({
    path: directory,
    noSubdir: false,
    encoding: 'binary',
    mapSize: addressSpaceIsLimited() ? LIMITED_MAP_SIZE_BYTES : MAP_SIZE_BYTES,
    readOnly,
    overlappingSync: false,
    // Each transaction is one explicit batch. With batches per event turn, lmdb-js makes promises that no caller can get, and they reject.
    eventTurnBatching: false,
    // Without this option, pages would contain data that was in the memory of the process before.
    noMemInit: false,
  });
}

/** Whether `ulimit -v` is set. This is checked before LMDB is opened, because lmdb-js ends the process when the map cannot be created. */
function addressSpaceIsLimited(): boolean {
  try {
    return !/^Max address space\s+unlimited/m.test(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return false;
  }
}
