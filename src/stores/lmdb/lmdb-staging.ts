import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { silentLogger } from '../../base/logger.ts';
import type { LogPosition } from '../lineage.ts';
import { makeDataDirectory, PRIVATE_DIRECTORY_MODE } from '../local/private-files.ts';
import { inBatches, lineOf, type StagedHistory, type Staging } from '../staging.ts';
import { type EventEntry, StoreError } from '../store.ts';
import { DATA_FILE, holdsStore, writeMarker } from './data-file.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { LmdbEnvironment } from './lmdb-environment.ts';
import { forgetNewestCommit } from './newest-commit.ts';
import { readSlices } from './read-slices.ts';
import { sealRecord, unsealRecord } from './record.ts';
import { ANCESTORS_KEY, STORE_FORMAT } from './recovery.ts';
import { readVerifiedPieces, type SnapshotPointer, writePieces } from './snapshot-pieces.ts';

/** The directory in which the data file is created. It is inside the data directory, so that one rename moves the file to its place. */
const STAGING_DIRECTORY = 'incoming';
const SNAPSHOT_ID = 1;
/** The bytes of a record's key and node header. */
const RECORD_OVERHEAD_BYTES = 32;

/**
 * Begins to fill an empty directory with a history. Creates the directory when it is missing.
 * @throws StoreError when the directory has a store, is in use, or cannot be written.
 */
export async function stageInDirectory(path: string, history: StagedHistory): Promise<Staging> {
  const directory = resolve(path);
  let lock: DirectoryLock | undefined;
  try {
    await makeDataDirectory(directory, silentLogger);
    lock = await lockDirectory(directory);
    if (await holdsStore(directory)) {
      throw new StoreError(`${directory} holds a store already; only an empty location is filled`, 'not-appended');
    }
    const stagingDirectory = join(directory, STAGING_DIRECTORY);
    // An earlier staging that did not finish may have left this directory.
    await rm(stagingDirectory, { recursive: true, force: true });
    await mkdir(stagingDirectory, PRIVATE_DIRECTORY_MODE);
    return new LmdbStaging(directory, lock, new LmdbEnvironment(stagingDirectory), history);
  } catch (error) {
    await lock?.release();
    throw asStoreError(directory, error);
  }
}

class LmdbStaging implements Staging {
  readonly #directory: string;
  readonly #lock: DirectoryLock;
  readonly #environment: LmdbEnvironment;
  readonly #history: StagedHistory;
  readonly #line: LogPosition;
  #pointer: SnapshotPointer | null = null;
  #isClosed = false;

  constructor(directory: string, lock: DirectoryLock, environment: LmdbEnvironment, history: StagedHistory) {
    this.#directory = directory;
    this.#lock = lock;
    this.#environment = environment;
    this.#history = history;
    this.#line = lineOf(history, randomUUID(), randomUUID());
  }

  putSnapshot(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#guarded(async (environment) => {
      await environment.initialise(({ meta }) => {
        meta.put('format', Buffer.from(String(STORE_FORMAT)));
        meta.put('epoch', Buffer.from(this.#line.epoch));
        meta.put(ANCESTORS_KEY, Buffer.from(JSON.stringify(this.#line.ancestors)));
      });
      const content = await writePieces(environment, SNAPSHOT_ID, pieces);
      this.#pointer = { id: SNAPSHOT_ID, seq: this.#history.seq, ...content };
    });
  }

  putEvents(events: readonly EventEntry[]): Promise<void> {
    const records = events.map(({ id, bytes }) => ({ id, value: sealRecord(bytes, id) }));
    const contentBytes = records.reduce((sum, { value }) => sum + value.length + RECORD_OVERHEAD_BYTES, 0);
    return this.#guarded((environment) =>
      environment.write({ contentBytes }, (tables) => {
        for (const { id, value } of records) tables.events.put(id, value);
      }),
    );
  }

  /** Moves the tip without adding entries: the log begins after the snapshot, as it does after a trim. */
  seal(): Promise<void> {
    const pointer = Buffer.from(JSON.stringify(this.#pointer));
    const { seq, writeId } = this.#line;
    const tipMove = { expectedTip: 0, newTip: seq, contentBytes: pointer.length, writeId };
    return this.#guarded(async (environment) => {
      const isTipMoved = await environment.append(tipMove, ({ meta }) => void meta.put('snapshot', pointer));
      if (!isTipMoved) throw new StoreError('another process changes the data at the same time', 'not-appended');
    });
  }

  readSnapshot(): AsyncIterable<Uint8Array> {
    if (!this.#pointer) throw new StoreError('there is no snapshot yet', 'not-appended');
    return readVerifiedPieces(this.#environment, this.#pointer);
  }

  readEvents(): AsyncIterable<readonly EventEntry[]> {
    return inBatches((start, limit) =>
      readSlices(
        () => this.#environment.tables.events,
        { start, limit },
        ({ key, value }) => ({ id: key, bytes: unsealRecord(value, `audit event ${key}`, key) }),
      ),
    );
  }

  commit(): Promise<string> {
    return this.#guarded(async () => {
      await this.#closeEnvironment();
      await forgetNewestCommit(this.#directory);
      await rename(join(this.#directory, STAGING_DIRECTORY, DATA_FILE), join(this.#directory, DATA_FILE));
      // This also makes the name of the data file durable.
      await writeMarker(this.#directory, { format: STORE_FORMAT, epoch: this.#line.epoch });
      return this.#line.epoch;
    });
  }

  async close(): Promise<void> {
    await this.#closeEnvironment();
    await rm(join(this.#directory, STAGING_DIRECTORY), { recursive: true, force: true });
    await this.#lock.release();
  }

  async #closeEnvironment(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#environment.close();
  }

  async #guarded<T>(work: (environment: LmdbEnvironment) => Promise<T>): Promise<T> {
    try {
      return await work(this.#environment);
    } catch (error) {
      throw asStoreError(this.#directory, error);
    }
  }
}

function asStoreError(directory: string, error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  return new StoreError(`cannot write to ${directory}: ${error.message}`, 'not-appended', { cause: error });
}
