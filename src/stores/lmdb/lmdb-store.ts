import { resolve } from 'node:path';
import { SERVICE } from '../../base/asking/asker.ts';
import { assert } from '../../base/assert.ts';
import type { Logger } from '../../base/logger.ts';
import { inSlices, Slicer, yieldControl } from '../../base/yield-control.ts';
import type { Counters } from '../counters.ts';
import { type LogPosition, ROOT } from '../lineage.ts';
import { makeDataDirectory } from '../local/private-files.ts';
import {
  type AppendBatch,
  type AppendOutcome,
  type AuditLog,
  type EventEntry,
  type LogEntry,
  type SnapshotInfo,
  type Store,
  StoreError,
  type StoreOpening,
  type StoreStatus,
  TrimmedError,
  type TrimOptions,
  UnusableDataError,
} from '../store.ts';
import {
  firstEventId,
  measureAuditLog,
  readEvents,
  readEventsById,
  readEventsForward,
  trimAuditLog,
} from './audit-log.ts';
import { checkDataFile, LOST_DATA_ADVICE } from './data-file.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { LmdbCounters } from './lmdb-counters.ts';
import { CommitError, LmdbEnvironment, type LmdbTableParts } from './lmdb-environment.ts';
import { NewestCommitFile } from './newest-commit.ts';
import { openingAdvice } from './opening-advice.ts';
import { readSlices } from './read-slices.ts';
import { RecentWrites } from './recent-writes.ts';
import { unsealRecord } from './record.ts';
import { markResidue, recover } from './recovery.ts';
import { removeUnfinishedRewriting, rewrite } from './rewriting.ts';
import { sealBatch } from './sealed-batch.ts';
import {
  readVerifiedPieces,
  removePiecesExcept,
  type SnapshotPointer,
  verifyPieces,
  writePieces,
} from './snapshot-pieces.ts';

/** The number of log entries that one transaction of `trim` removes. */
const TRIM_SLICE_ENTRIES = 256;

interface LmdbStoreOptions {
  /** The data directory. It is created when missing, and only one process may use it at a time. */
  readonly directory: string;
  readonly logger: Logger;
  /** Replaced by tests. */
  readonly openEnvironment?: (directory: string) => LmdbEnvironment;
  readonly lock?: (directory: string) => Promise<DirectoryLock>;
}

/**
 * The embedded store: one LMDB environment in a directory that belongs to this process. Its promises are those of `Store`. In addition,
 * after a write failed for another reason than a full disk, nothing is written until the process starts again.
 */
export class LmdbStore implements Store {
  readonly #directory: string;
  readonly #logger: Logger;
  readonly #options: LmdbStoreOptions;
  readonly #tableParts: LmdbTableParts = {
    write: (size, operations) => this.#commit(() => this.#requireEnvironment().write(size, operations)),
    read: (read) => this.#runRead((environment) => read(environment.tables)),
  };
  readonly counters: Counters = new LmdbCounters(this.#tableParts);
  #lock: DirectoryLock | null = null;
  #environment: LmdbEnvironment | null = null;
  #snapshot: SnapshotPointer | null = null;
  #lastSnapshotId = 0;
  readonly #newestCommitFile: NewestCommitFile;
  #writes = new RecentWrites(ROOT);
  #firstSeq = 1;
  #isSavingSnapshot = false;
  #erasing: Promise<void> | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(options: LmdbStoreOptions) {
    this.#directory = resolve(options.directory);
    this.#logger = options.logger;
    this.#options = options;
    this.#newestCommitFile = new NewestCommitFile(this.#directory, options.logger);
  }

  async open(): Promise<StoreOpening> {
    assert(!this.#lock && !this.#isClosed, 'a store is opened once');
    try {
      await makeDataDirectory(this.#directory, this.#logger);
      this.#lock = await (this.#options.lock ?? lockDirectory)(this.#directory);
      await checkDataFile(this.#directory, this.#logger);
      await removeUnfinishedRewriting(this.#directory);
      this.#environment = this.#openEnvironment(this.#directory);
      const { line, hasResidue, ...recovered } = await recover(this.#environment, this.#directory);
      await this.#newestCommitFile.begin(line);
      this.#writes = new RecentWrites(line);
      this.#firstSeq = recovered.firstSeq;
      this.#snapshot = recovered.snapshot;
      this.#lastSnapshotId = recovered.lastSnapshotId;
      await this.#removeStalePieces(this.#environment);
      return { epoch: line.epoch, tip: line.seq, firstSeq: recovered.firstSeq, hasResidue };
    } catch (error) {
      await this.close();
      if (error instanceof StoreError) throw error;
      const advice = openingAdvice(error, this.#directory);
      const what = `cannot open the store in ${this.#directory}: ${messageOf(error)}`;
      const message = advice === undefined ? what : `${what}. ${advice}`;
      if (advice === LOST_DATA_ADVICE) throw new UnusableDataError(message, { cause: error });
      throw new StoreError(message, 'not-appended', { cause: error });
    }
  }

  async append(batch: AppendBatch): Promise<AppendOutcome> {
    const environment = this.#requireEnvironment();
    const { expectedTip, entries, events } = batch;
    assert(entries.length > 0, 'a batch has at least one entry');
    for (const [index, { seq }] of entries.entries()) {
      assert(seq === expectedTip + 1 + index, `entry ${seq} does not follow tip ${expectedTip} at index ${index}`);
    }
    // A batch that is sealed meanwhile may overtake this one. Then one of the two gets `conflict`, as if they came from two processes.
    const { contentBytes, ...sealedBatch } = await inSlices(sealBatch(entries, events), Slicer.of(SERVICE));
    const newTip = expectedTip + entries.length;
    const isAppended = await this.#commit(() =>
      environment.append({ expectedTip, newTip, contentBytes, writeId: batch.writeId }, (tables) => {
        for (const { key, value } of sealedBatch.log) tables.log.put(key, value);
        for (const { key, value } of sealedBatch.events) tables.events.put(key, value);
      }),
    );
    if (!isAppended) return { status: 'conflict', tip: await this.tip() };
    this.#newestCommitFile.note(this.#writes.add(newTip, batch.writeId));
    return { status: 'appended' };
  }

  async read(fromSeq: number, limit: number): Promise<LogEntry[]> {
    assert(fromSeq >= 1, 'log entries count from 1');
    this.#refuseTrimmed(fromSeq);
    const tip = await this.tip();
    const entries = await this.#runRead((environment) =>
      readSlices(
        () => environment.tables.log,
        { start: fromSeq, limit },
        ({ key, value }, index) => {
          if (key !== fromSeq + index) throw this.#missingEntryError(fromSeq + index, tip);
          return { seq: key, bytes: unsealRecord(value, `log entry ${key}`, key) };
        },
      ),
    );
    if (entries.length < Math.min(limit, tip - fromSeq + 1))
      throw this.#missingEntryError(fromSeq + entries.length, tip);
    return entries;
  }

  tip(): Promise<number> {
    return this.#runRead(async (environment) => {
      const tip = environment.readTip();
      if (tip === null) throw new UnusableDataError(`the log has no tip. ${LOST_DATA_ADVICE}`);
      return tip;
    });
  }

  lineAt(seq: number): LogPosition {
    return this.#writes.lineAt(seq);
  }

  readEvents(beforeId: number, limit: number): Promise<EventEntry[]> {
    return this.#runRead((environment) => readEvents(environment, beforeId, limit));
  }

  readEventsForward(fromId: number, limit: number): Promise<EventEntry[]> {
    return this.#runRead((environment) => readEventsForward(environment, fromId, limit));
  }

  readEventsById(ids: readonly number[]): Promise<EventEntry[]> {
    return this.#runRead((environment) => readEventsById(environment, ids));
  }

  firstEventId(): Promise<number | null> {
    return firstEventId(this.#tableParts);
  }

  measureAuditLog(): Promise<AuditLog> {
    return measureAuditLog(this.#tableParts, this.#writes.epoch);
  }

  trimAuditLog(auditLog: AuditLog, oldest: readonly EventEntry[]): Promise<boolean> {
    return trimAuditLog(this.#tableParts, auditLog, oldest);
  }

  async saveSnapshot(seq: number, pieces: AsyncIterable<Uint8Array>): Promise<SnapshotInfo> {
    const environment = this.#requireEnvironment();
    assert(!this.#isSavingSnapshot && !this.#erasing, 'one snapshot is saved at a time');
    assert(seq >= (this.#snapshot?.seq ?? 0), `snapshot ${seq} is older than the current one`);
    this.#isSavingSnapshot = true;
    const id = this.#lastSnapshotId + 1;
    this.#lastSnapshotId = id;
    try {
      assert(seq <= (await this.tip()), `snapshot ${seq} is newer than the log`);
      const pointer = await this.#storeSnapshot(environment, id, seq, pieces);
      this.#snapshot = pointer;
    } finally {
      this.#isSavingSnapshot = false;
      await this.#removeStalePieces(environment);
    }
    return infoOf(this.#snapshot);
  }

  async #storeSnapshot(
    environment: LmdbEnvironment,
    id: number,
    seq: number,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<SnapshotPointer> {
    const content = await this.#commit(() => writePieces(environment, id, pieces));
    await this.#runRead(() => verifyPieces(environment, id, content));
    const pointer: SnapshotPointer = { id, seq, ...content };
    // From here on the new snapshot is the current one: the pointer is one record, replaced in one durable transaction.
    const value = Buffer.from(JSON.stringify(pointer));
    await this.#commit(() =>
      environment.write({ contentBytes: value.length }, ({ meta }) => void meta.put('snapshot', value)),
    );
    return pointer;
  }

  async loadSnapshot(): Promise<{ info: SnapshotInfo; pieces: AsyncIterable<Uint8Array> } | null> {
    const environment = this.#requireEnvironment();
    if (!this.#snapshot) return null;
    return { info: infoOf(this.#snapshot), pieces: readVerifiedPieces(environment, this.#snapshot) };
  }

  async trim(throughSeq: number, { erase = false }: TrimOptions = {}): Promise<void> {
    const environment = this.#requireEnvironment();
    assert(throughSeq <= (this.#snapshot?.seq ?? 0), `cannot trim through ${throughSeq}: no snapshot covers it`);
    if (erase) {
      this.#erasing = this.#erase(environment, throughSeq).finally(() => {
        this.#erasing = undefined;
      });
      return this.#erasing;
    }
    while (this.#firstSeq <= throughSeq) {
      // The oldest entries are removed first, so that a crash between slices leaves a log without a gap.
      const start = this.#firstSeq;
      const end = Math.min(start + TRIM_SLICE_ENTRIES - 1, throughSeq);
      // `#firstSeq` changes before the entries are removed, so that a read meanwhile gets a TrimmedError.
      this.#firstSeq = end + 1;
      await this.#commit(() =>
        environment.write({}, ({ log }) => {
          for (let seq = start; seq <= end; seq += 1) log.remove(seq);
        }),
      ).catch((error: unknown) => {
        // Without this, the next trim would leave these entries in the log, before a gap.
        this.#firstSeq = start;
        throw error;
      });
      await yieldControl();
    }
  }

  async #erase(environment: LmdbEnvironment, throughSeq: number): Promise<void> {
    assert(!this.#isSavingSnapshot && !this.#erasing, 'nothing is erased while the snapshot is exchanged');
    const firstSeqBefore = this.#firstSeq;
    const firstSeq = Math.max(firstSeqBefore, throughSeq + 1);
    // Set before the entries are removed, as in `trim`.
    this.#firstSeq = firstSeq;
    try {
      await this.#commit(() =>
        rewrite({
          environment,
          directory: this.#directory,
          openEnvironment: (path) => this.#openEnvironment(path),
          firstSeq,
          snapshot: this.#snapshot,
        }),
      );
    } catch (error) {
      this.#firstSeq = firstSeqBefore;
      // The log must be trimmed anyway. The mark records that removed data must still be erased.
      await this.#commit(() => environment.write({}, markResidue));
      await this.trim(throughSeq);
      throw error;
    }
  }

  #openEnvironment(directory: string): LmdbEnvironment {
    return (this.#options.openEnvironment ?? ((path) => new LmdbEnvironment(path)))(directory);
  }

  /** Never calls the listener: no other process appends to this directory. */
  onTip(_listener: (tip: number) => void): () => void {
    return () => {};
  }

  status(): StoreStatus {
    const failure = this.#environment?.failure;
    return failure ? { reachable: false, ...failure, refusal: 'disk-failed' } : { reachable: true };
  }

  probe(): Promise<void> {
    return this.#commit(() => this.#requireEnvironment().probe());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    await this.#environment?.close();
    await this.#erasing?.catch(() => {});
    await this.#newestCommitFile.close();
    await this.#lock?.release();
  }

  /** Removes pieces that no snapshot uses. No caller depends on it: a failure is logged, and the next snapshot or start tries again. */
  async #removeStalePieces(environment: LmdbEnvironment): Promise<void> {
    try {
      const removedCount = await removePiecesExcept(environment, this.#snapshot?.id ?? null);
      this.#logger.debug({ removed: removedCount }, 'removed pieces of earlier snapshots');
    } catch (error) {
      this.#logger.warn({ err: error }, 'could not remove pieces of earlier snapshots');
    }
  }

  #requireEnvironment(): LmdbEnvironment {
    if (!this.#environment || this.#isClosed) throw new StoreError('the store is not open', 'not-appended');
    return this.#environment;
  }

  #refuseTrimmed(fromSeq: number): void {
    if (fromSeq >= this.#firstSeq) return;
    throw new TrimmedError(`log entry ${fromSeq} was trimmed; the log begins at ${this.#firstSeq}`);
  }

  #missingEntryError(seq: number, tip: number): StoreError {
    // A trim may have removed these entries while they were read in slices.
    if (seq < this.#firstSeq) return new TrimmedError(`log entry ${seq} was trimmed while it was read`);
    return new UnusableDataError(`log entry ${seq} is missing, the tip is ${tip}. ${LOST_DATA_ADVICE}`);
  }

  async #commit<T>(commit: () => Promise<T>): Promise<T> {
    const wasWritable = this.#environment?.failure === null;
    try {
      return await commit();
    } catch (error) {
      if (!(error instanceof CommitError)) throw error;
      const failure = this.#environment?.failure;
      if (failure && wasWritable && !this.#isClosed) {
        this.#logger.error(
          { err: error.cause, since: failure.since },
          'a write to the data file failed. Nothing more is written: check the disk, then start Burgee again',
        );
      }
      const advice = failure
        ? 'Nothing is written until Burgee is started again: check the disk, then restart'
        : 'Free some disk space';
      throw new StoreError(
        `cannot write to ${this.#directory}: ${error.message}. ${advice}`,
        error.isNotCommitted ? 'not-appended' : 'unknown',
        { cause: error, refusal: failure ? 'disk-failed' : 'disk-full' },
      );
    }
  }

  async #runRead<T>(read: (environment: LmdbEnvironment) => Promise<T>): Promise<T> {
    try {
      const environment = this.#requireEnvironment();
      return await environment.runRead(() => read(environment));
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw new StoreError(`cannot read from ${this.#directory}: ${messageOf(error)}`, 'not-appended', {
        cause: error,
      });
    }
  }
}

function infoOf({ seq, digest, sizeBytes }: SnapshotInfo): SnapshotInfo {
  return { seq, digest, sizeBytes };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
