import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { isoTime, systemClock } from '../../base/clock.ts';
import { ensurePrivateFile } from '../local/private-files.ts';
import { DATA_FILE, LOCK_FILE, type TABLE_NAMES } from './data-file.ts';
import { FreeDiskSpace, freeBytesOf } from './free-disk-space.ts';

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

/** Starts a transaction. `tip` is the tip at that time. No other transaction is committed before this one. */
type Transaction = (opened: OpenTables, tip: number | null) => Promise<boolean>;

interface OpenTables {
  readonly root: RootDatabase<Buffer, string>;
  readonly head: Database<Buffer, string>;
  readonly tables: LmdbTables;
}

/** The transaction was not committed, or this is not known. `certain` is true when its changes will never appear. */
export class CommitError extends Error {
  override readonly name = 'CommitError';
  readonly certain: boolean;

  constructor(message: string, certain: boolean, cause?: unknown) {
    super(message, { cause });
    this.certain = certain;
  }
}

/**
 * One LMDB environment, its tables and its write queue.
 *
 * - Transactions are committed one after the other: lmdb-js locks up when it begins one after the meta page could not be written, so no transaction
 *   may be queued in lmdb-js behind a transaction that fails.
 * - A committed transaction is durable: `overlappingSync` is off (docs/decisions/store-lmdb-durability.md).
 * - After a transaction failed for another reason than a full disk, none is begun again: a second fsync would report lost data as written.
 */
export class LmdbEnvironment {
  readonly #directory: string;
  readonly #room: FreeDiskSpace;
  #opened: OpenTables;
  #queue: Promise<unknown> = Promise.resolve();
  /** The identity of the data file that is written to; undefined while the files are being exchanged. */
  #file: string | undefined;
  #failure: { since: string; reason: string } | null = null;
  #unreadable = false;
  #closing = false;
  readonly #readings = new Set<Promise<unknown>>();
  #retired: Promise<unknown> = Promise.resolve();

  /** Opens or creates the environment, without checking its content. */
  constructor(directory: string, room: FreeDiskSpace = new FreeDiskSpace(() => freeBytesOf(directory))) {
    this.#directory = directory;
    this.#room = room;
    this.#opened = openTables(directory, false);
    this.#file = fileIn(directory);
  }

  get tables(): LmdbTables {
    if (this.#unreadable) throw new Error('the data file cannot be trusted after a failed write');
    return this.#opened.tables;
  }

  /** Why nothing can be written any more, and since when; null when writes are possible. */
  get failure(): { readonly since: string; readonly reason: string } | null {
    return this.#failure;
  }

  /** Removes a table of an older version, if it exists. @throws CommitError */
  async dropTable(name: (typeof TABLE_NAMES)[number]): Promise<void> {
    const { root } = this.#opened;
    // The table is undefined when it does not exist, although the types of lmdb-js do not say so.
    const table = root.openDB(name, { encoding: 'binary', cache: false, create: false } as object) as
      | Database<Buffer>
      | undefined;
    if (!table) return;
    const drop = () => void table.drop();
    await this.#enqueue({}, () => root.batch(drop));
  }

  /** The current tip, even if another process has moved it; null before `initialise`. */
  readTip(): number | null {
    const { meta } = this.tables;
    meta.resetReadTxn();
    return tipOf(this.#opened);
  }

  /** The writeId of the newest batch, empty when it is not known. */
  readWriteId(): string {
    const value = this.#opened.head.getEntry(TIP_KEY)?.value ?? NO_WRITE_ID;
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
   * Commits `operations` in one durable transaction and moves the tip, or does nothing and returns false when the tip is not `expectedTip`. In both
   * cases, `operations` is called: `isNext` says whether the tip was the expected one when the transaction was begun, and it does not change in
   * between, because transactions come one after the other. @throws CommitError
   */
  append(
    { expectedTip, newTip, contentBytes, writeId = '' }: AppendSize,
    operations: (tables: LmdbTables, isNext: boolean) => void,
  ): Promise<boolean> {
    return this.#enqueue({ contentBytes }, ({ head, tables }, tip) =>
      head.ifVersion(TIP_KEY, expectedTip, () => {
        head.put(TIP_KEY, writeId === '' ? NO_WRITE_ID : Buffer.from(writeId), newTip);
        operations(tables, tip === expectedTip);
      }),
    );
  }

  /** Commits `operations` in one durable transaction. They put `contentBytes`, or only remove records. @throws CommitError */
  async write(size: TransactionSize, operations: (tables: LmdbTables) => void): Promise<void> {
    // These writes belong to snapshots and trims, which consist of many writes and can be done again later: `close` does not wait for them.
    if (this.#closing) throw new CommitError('the store is being closed', true);
    await this.#enqueue(size, ({ root, tables }) => root.batch(() => operations(tables)));
  }

  /**
   * Checks whether a small transaction could be started now. If the data file was removed or replaced, writes would be lost when this process ends:
   * then nothing is written any more. @throws CommitError when no transaction can be started
   */
  async probe(): Promise<void> {
    if (this.#file !== undefined && !this.#closing && fileIn(this.#directory) !== this.#file) {
      const reason = `${DATA_FILE} was removed or replaced. Its content can still be read: download a backup before this process ends`;
      this.#failure ??= { since: isoTime(systemClock.nowMs()), reason };
    }
    if (this.#failure) throw new CommitError(this.#failure.reason, true);
    if (!this.#room.fits(0)) throw new CommitError(`${DISK_FULL} on its disk`, true);
  }

  /**
   * Replaces its files by those of `next`. `finish` and then `install` run while nothing is written here; when `finish` fails, nothing has changed.
   * When `install` fails, it is not known which files the directory has, and nothing is written any more.
   * @throws CommitError, and the errors of `finish` and `install`
   */
  exchange(next: LmdbEnvironment, finish: () => Promise<void>, install: () => Promise<void>): Promise<void> {
    const exchange = async () => {
      if (this.#failure) throw new CommitError(this.#failure.reason, true);
      await finish();
      this.#file = undefined;
      try {
        await install();
        this.#file = fileIn(this.#directory);
      } catch (error) {
        this.#failure = { since: isoTime(systemClock.nowMs()), reason: String(error) };
        throw error;
      }
      const before = this.#opened;
      this.#opened = next.#opened;
      this.#retire(before);
    };
    const result = this.#queue.then(exchange);
    this.#queue = result.catch(() => {});
    return result;
  }

  /** Runs a read that may pause, and keeps the tables that it began with: files that are replaced meanwhile stay open until the read has ended. */
  async reading<T>(read: () => Promise<T>): Promise<T> {
    const reading = read();
    this.#readings.add(reading);
    try {
      return await reading;
    } finally {
      this.#readings.delete(reading);
    }
  }

  #retire({ root }: OpenTables): void {
    const retired = Promise.allSettled(this.#readings).then(() => root.close());
    this.#retired = Promise.allSettled([this.#retired, retired]);
  }

  /** Whether `close` was called. Then work that can be done again later should stop. */
  get isClosing(): boolean {
    return this.#closing;
  }

  /** Whether the files of `other` are the ones that are written to. */
  isBacked(other: LmdbEnvironment): boolean {
    return this.#opened === other.#opened;
  }

  /** Waits for the transactions under way, then closes the files. */
  async close(): Promise<void> {
    this.#closing = true;
    let last: unknown;
    while (last !== this.#queue) {
      last = this.#queue;
      await last;
    }
    this.#failure ??= { since: isoTime(systemClock.nowMs()), reason: 'the store is closed' };
    await this.#retired;
    await this.#opened.root.close();
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
    if (!this.#room.fits(size.contentBytes ?? 0, size.contentBytes === undefined)) {
      throw new CommitError(`${DISK_FULL} on its disk`, true);
    }
    let tipBefore: number | null = null;
    try {
      tipBefore = this.readTip();
      const tip = tipBefore;
      const applied = await this.commit(() => transaction(this.#opened, tip));
      // This promise is already resolved when `overlappingSync` is off. The line ensures that only durable data is acknowledged even if the option is
      // turned on.
      await this.#opened.root.flushed;
      return applied;
    } catch (error) {
      throw await this.#failed(await causeOf(error), tipBefore);
    }
  }

  async #failed(cause: unknown, tipBefore: number | null): Promise<CommitError> {
    const { message, code } = cause as { message: string; code?: unknown };
    const panicked = this.#hasPanicked();
    const mayPass = DISK_FULL_CODES.has(code) && !panicked && !message.includes(MEMORY_OVERWRITTEN);
    if (mayPass) return new CommitError(`${DISK_FULL}: ${message}`, true, cause);
    this.#failure = { since: isoTime(systemClock.nowMs()), reason: message };
    // If the write of the meta page did not fail, the written pages belong to no transaction, so no read will ever find them.
    if (!panicked) return new CommitError(message, true, cause);
    await this.#reopenForReading(tipBefore);
    return new CommitError(message, false, cause);
  }

  /** After the meta page could not be written, LMDB refuses everything, including reads. */
  #hasPanicked(): boolean {
    try {
      this.#opened.tables.meta.resetReadTxn();
      this.#opened.tables.meta.get('format');
      return false;
    } catch {
      return true;
    }
  }

  async #reopenForReading(tipBefore: number | null): Promise<void> {
    this.#unreadable = true;
    try {
      await this.#opened.root.close();
      this.#opened = openTables(this.#directory, true);
      // The failed transaction may be in the page cache but not on the disk. Then reads must not return its data, so they are refused.
      this.#unreadable = tipOf(this.#opened) !== tipBefore;
    } catch {
      // Reads remain refused; `failure` has the reason.
    }
  }
}

/** A text that identifies the data file in the directory, independent of its content; "" when the file does not exist. */
function fileIn(directory: string): string {
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

function tipOf({ head }: OpenTables): number | null {
  return head.getEntry(TIP_KEY)?.version ?? null;
}

function openTables(directory: string, readOnly: boolean): OpenTables {
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
