import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Key } from 'lmdb';
import { makeDirectory, syncDirectory } from '../local/private-files.ts';
import { StoreError } from '../store.ts';
import { DATA_FILE, LOCK_FILE } from './data-file.ts';
import { CommitError, type LmdbEnvironment, type LmdbTables } from './lmdb-environment.ts';
import { RESIDUE_KEY } from './recovery.ts';
import { readPieces, type SnapshotPointer, verifyPieces, writePieces } from './snapshot-pieces.ts';

/** The directory in which the new files are created. It is inside the data directory, so that one rename moves a file to its place. */
const REWRITING_DIRECTORY = 'rewritten';
/** A transaction of copied records ends at this size, like a transaction of pieces. */
const COPY_SLICE_BYTES = 1 << 18;
/** The number of records that a transaction removes from the copy. */
const DROP_SLICE_RECORDS = 256;
/** The bytes of a record's key and node header. */
const RECORD_OVERHEAD_BYTES = 32;

interface RewriteParts {
  readonly environment: LmdbEnvironment;
  readonly directory: string;
  readonly openEnvironment: (directory: string) => LmdbEnvironment;
  /** The oldest log entry that is kept. */
  readonly firstSeq: number;
  readonly snapshot: SnapshotPointer | null;
}

/** Removes the files of a rewrite that did not finish: they may contain data that was to be erased. */
export async function removeUnfinishedRewriting(directory: string): Promise<void> {
  await rm(join(directory, REWRITING_DIRECTORY), { recursive: true, force: true });
}

/**
 * Copies the store, record by record, into new files, which replace the old ones in one step. LMDB leaves the bytes of removed records in free pages,
 * and in the unused parts of pages that are in use. A copy of the pages would contain these bytes, a copy of the records does not. Writes continue
 * during the copy. They wait only while the records that were added in this time are copied, and while the files are replaced.
 *
 * A crash before the rename of the data file leaves the old file unchanged. After the rename, the new file is complete, durable and in use.
 */
export async function rewrite(parts: RewriteParts): Promise<void> {
  const { environment, directory, openEnvironment } = parts;
  const newDirectory = join(directory, REWRITING_DIRECTORY);
  await removeUnfinishedRewriting(directory);
  await makeDirectory(newDirectory);
  const next = openEnvironment(newDirectory);
  try {
    const copy = new Copy(environment, next, parts);
    await copy.begin();
    await environment.exchange(
      next,
      () => copy.finish(),
      () => install(newDirectory, directory),
    );
  } catch (error) {
    // After the exchange, the files of `next` are the store's files, and must stay open.
    if (!environment.usesFilesOf(next)) await next.close();
    await rm(newDirectory, { recursive: true, force: true });
    throw error;
  }
  await rm(newDirectory, { recursive: true, force: true });
}

/**
 * LMDB keeps its files open: a rename does not affect it. The lock file is moved as well, because its content belongs to its data file; after a crash
 * between the two renames, LMDB creates it again.
 */
async function install(newDirectory: string, directory: string): Promise<void> {
  await syncDirectory(newDirectory);
  await rename(join(newDirectory, DATA_FILE), join(directory, DATA_FILE));
  await rename(join(newDirectory, LOCK_FILE), join(directory, LOCK_FILE));
  await syncDirectory(directory);
}

class Copy {
  readonly #source: LmdbEnvironment;
  readonly #target: LmdbEnvironment;
  readonly #snapshot: SnapshotPointer | null;
  /** The key from which the copy of each table continues. */
  readonly #next: { events: number; log: number };

  constructor(source: LmdbEnvironment, target: LmdbEnvironment, { firstSeq, snapshot }: RewriteParts) {
    this.#source = source;
    this.#target = target;
    this.#snapshot = snapshot;
    this.#next = { events: 0, log: firstSeq };
  }

  /** Copies the tables to which records are only added, up to their current end. */
  async begin(): Promise<void> {
    await this.#target.initialise(() => {});
    if (this.#snapshot) {
      const { id } = this.#snapshot;
      await writePieces(this.#target, id, readPieces(this.#source, id));
      await verifyPieces(this.#target, id, this.#snapshot);
    }
    await this.#copyNumberedTable('events');
    await this.#copyNumberedTable('log');
  }

  /** Copies the rest. Nothing is written to the old files meanwhile. */
  async finish(): Promise<void> {
    await this.#copyNumberedTable('events');
    await this.#copyNumberedTable('log');
    await this.#removeDroppedEvents();
    for (const name of Object.keys(this.#source.tables) as (keyof LmdbTables)[]) {
      if (!APPENDED_TABLES.has(name)) await this.#copyChangingTable(name);
    }
    const tip = this.#source.readTip();
    const isMoved =
      tip !== null &&
      (await this.#target.append(
        { expectedTip: 0, newTip: tip, contentBytes: 0, writeId: this.#source.readWriteId() },
        () => {},
      ));
    if (!isMoved) throw new StoreError('the tip of the log could not be copied', 'not-appended');
  }

  async #copyNumberedTable(name: 'events' | 'log'): Promise<void> {
    for (;;) {
      const start = this.#next[name];
      const records = sliceOf(this.#source.tables[name].getRange({ start }));
      const last = records.at(-1);
      if (!last) return;
      await this.#put(name, records);
      this.#next[name] = last.key + 1;
    }
  }

  /** Removes from the copy the oldest events, which were dropped from the store during the copy. */
  async #removeDroppedEvents(): Promise<void> {
    const [end = Number.MAX_SAFE_INTEGER] = this.#source.tables.events.getKeys({ limit: 1 });
    for (;;) {
      const dropped = [...this.#target.tables.events.getKeys({ end, limit: DROP_SLICE_RECORDS })];
      if (dropped.length === 0) return;
      await this.#target.write({}, (tables) => {
        for (const key of dropped) tables.events.remove(key);
      });
    }
  }

  /** Copies a table whose records change. Such tables are small. */
  async #copyChangingTable(name: keyof LmdbTables): Promise<void> {
    const table = this.#source.tables[name] as unknown as Database<Buffer, Key>;
    for (let range: { start: Key; exclusiveStart: true } | undefined; ; ) {
      const slice = sliceOf(table.getRange(range ?? {}));
      const last = slice.at(-1);
      if (!last) return;
      await this.#put(
        name,
        slice.filter(({ key }) => name !== 'meta' || key !== RESIDUE_KEY),
      );
      range = { start: last.key, exclusiveStart: true };
    }
  }

  #put(name: keyof LmdbTables, records: readonly { key: Key; value: Buffer }[]): Promise<void> {
    if (this.#source.isClosing) throw new CommitError('the store is being closed', true);
    const contentBytes = records.reduce((sum, { value }) => sum + value.length + RECORD_OVERHEAD_BYTES, 0);
    return this.#target.write({ contentBytes }, (tables) => {
      const table = tables[name] as unknown as Database<Buffer, Key>;
      for (const { key, value } of records) table.put(key, value);
    });
  }
}

/** Tables whose records are put once and never changed. */
const APPENDED_TABLES: ReadonlySet<keyof LmdbTables> = new Set(['events', 'log', 'pieces']);

/** The first records: about as many as fit into one transaction. */
function sliceOf<T extends { value: Buffer }>(records: Iterable<T>): T[] {
  const slice: T[] = [];
  let sizeBytes = 0;
  for (const record of records) {
    slice.push(record);
    sizeBytes += record.value.length + RECORD_OVERHEAD_BYTES;
    if (sizeBytes >= COPY_SLICE_BYTES) break;
  }
  return slice;
}
