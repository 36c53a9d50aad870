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

interface Rewriting {
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
 * and in the unused parts of pages that are in use; a copy of pages would contain them, a copy of records does not. Writes continue meanwhile. They
 * wait only while the records that were added during the copy are copied, and while the files are replaced.
 *
 * Before the data file is renamed, a crash leaves the old one unchanged; after that, the new one is complete, durable and in use.
 */
export async function rewrite(rewriting: Rewriting): Promise<void> {
  const { environment, directory, openEnvironment } = rewriting;
  const aside = join(directory, REWRITING_DIRECTORY);
  await removeUnfinishedRewriting(directory);
  await makeDirectory(aside);
  const next = openEnvironment(aside);
  try {
    const copy = new Copy(environment, next, rewriting);
    await copy.begin();
    await environment.exchange(
      next,
      () => copy.finish(),
      () => install(aside, directory),
    );
  } catch (error) {
    // After the exchange, the files of `next` are the store's files, and must stay open.
    if (!environment.isBacked(next)) await next.close();
    await rm(aside, { recursive: true, force: true });
    throw error;
  }
  await rm(aside, { recursive: true, force: true });
}

/**
 * LMDB keeps its files open: a rename does not affect it. The lock file is moved as well, because its content belongs to its data file; after a crash
 * between the two renames, LMDB creates it again.
 */
async function install(aside: string, directory: string): Promise<void> {
  await syncDirectory(aside);
  await rename(join(aside, DATA_FILE), join(directory, DATA_FILE));
  await rename(join(aside, LOCK_FILE), join(directory, LOCK_FILE));
  await syncDirectory(directory);
}

class Copy {
  readonly #from: LmdbEnvironment;
  readonly #to: LmdbEnvironment;
  readonly #snapshot: SnapshotPointer | null;
  /** The key from which the copy of each table continues. */
  readonly #next: { events: number; log: number };

  constructor(from: LmdbEnvironment, to: LmdbEnvironment, { firstSeq, snapshot }: Rewriting) {
    this.#from = from;
    this.#to = to;
    this.#snapshot = snapshot;
    this.#next = { events: 0, log: firstSeq };
  }

  /** Copies the tables to which records are only added, up to their current end. */
  async begin(): Promise<void> {
    await this.#to.initialise(() => {});
    if (this.#snapshot) {
      const { id } = this.#snapshot;
      await writePieces(this.#to, id, readPieces(this.#from, id));
      await verifyPieces(this.#to, id, this.#snapshot);
    }
    await this.#numbered('events');
    await this.#numbered('log');
  }

  /** Copies the rest. Nothing is written to the old files meanwhile. */
  async finish(): Promise<void> {
    await this.#numbered('events');
    await this.#numbered('log');
    await this.#dropDroppedEvents();
    for (const name of Object.keys(this.#from.tables) as (keyof LmdbTables)[]) {
      if (!APPENDED_TABLES.has(name)) await this.#whole(name);
    }
    const tip = this.#from.readTip();
    const isMoved =
      tip !== null &&
      (await this.#to.append(
        { expectedTip: 0, newTip: tip, contentBytes: 0, writeId: this.#from.readWriteId() },
        () => {},
      ));
    if (!isMoved) throw new StoreError('the tip of the log could not be copied', 'not-appended');
  }

  async #numbered(name: 'events' | 'log'): Promise<void> {
    for (;;) {
      const start = this.#next[name];
      const records = sliceOf(this.#from.tables[name].getRange({ start }));
      const last = records.at(-1);
      if (!last) return;
      await this.#put(name, records);
      this.#next[name] = last.key + 1;
    }
  }

  /** Removes from the copy the oldest events, which were dropped from the store during the copy. */
  async #dropDroppedEvents(): Promise<void> {
    const [end = Number.MAX_SAFE_INTEGER] = this.#from.tables.events.getKeys({ limit: 1 });
    for (;;) {
      const dropped = [...this.#to.tables.events.getKeys({ end, limit: DROP_SLICE_RECORDS })];
      if (dropped.length === 0) return;
      await this.#to.write({}, (tables) => {
        for (const key of dropped) tables.events.remove(key);
      });
    }
  }

  /** Copies a table whose records change. Such tables are small. */
  async #whole(name: keyof LmdbTables): Promise<void> {
    const table = this.#from.tables[name] as unknown as Database<Buffer, Key>;
    for (let after: { start: Key; exclusiveStart: true } | undefined; ; ) {
      const slice = sliceOf(table.getRange(after ?? {}));
      const last = slice.at(-1);
      if (!last) return;
      await this.#put(
        name,
        slice.filter(({ key }) => name !== 'meta' || key !== RESIDUE_KEY),
      );
      after = { start: last.key, exclusiveStart: true };
    }
  }

  #put(name: keyof LmdbTables, records: readonly { key: Key; value: Buffer }[]): Promise<void> {
    if (this.#from.isClosing) throw new CommitError('the store is being closed', true);
    const contentBytes = records.reduce((sum, { value }) => sum + value.length + RECORD_OVERHEAD_BYTES, 0);
    return this.#to.write({ contentBytes }, (tables) => {
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
