import { type FileHandle, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '../../base/logger.ts';
import { openPrivateFile } from '../local/private-files.ts';
import { UnusableDataError } from '../store.ts';
import { LOST_DATA_ADVICE } from './data-file.ts';

const FILE_NAME = 'newest-commit';
/** The length of the record. It is not longer than the smallest unit that a disk writes, so a record is written as a whole or not at all. */
const RECORD_BYTES = 256;

/**
 * The shortest time between two writes of the record: a write at every commit would add a fifth to the cost of a commit. It is safe to skip commits:
 * the file is not synced, so after a crash of the system it may be half a minute behind; after a crash of the process alone, LMDB has all its pages.
 */
const EVERY_MS = 50;

/** The newest commit of a store, as it is recorded beside the data file. */
export interface NewestCommit {
  readonly epoch: string;
  readonly seq: number;
  /** The `writeId` of the batch that contains the commit; empty when it is not known. */
  readonly writeId: string;
}

/**
 * Records the newest commit in a separate file. LMDB continues from the newer of two meta pages: when the disk loses that page, or the write of it,
 * the data file is consistent, but one transaction older, and nothing in it shows that a commit is missing.
 *
 * A commit is recorded after it is durable in the data file. No caller waits for the record, the file is not synced, and of several commits in quick
 * succession only the newest one is recorded. So the file may be behind, but is never ahead. After an orderly close it has the newest commit.
 */
export class NewestCommitFile {
  readonly #directory: string;
  readonly #logger: Logger;
  #file: FileHandle | null = null;
  #next: NewestCommit | null = null;
  #writing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #writtenMs = Number.NEGATIVE_INFINITY;

  constructor(directory: string, logger: Logger) {
    this.#directory = directory;
    this.#logger = logger;
  }

  /**
   * Compares the newest commit of the data file with the recorded one, and records commits from then on.
   * @throws StoreError when the data file is behind
   */
  async begin(actual: NewestCommit): Promise<void> {
    const path = join(this.#directory, FILE_NAME);
    const record = await readRecord(path);
    const problem = record && problemOf(record, actual);
    if (problem) {
      throw new UnusableDataError(
        `the data file in ${this.#directory} has lost data: ${problem}. ${LOST_DATA_ADVICE}. If you put an older copy there on purpose, remove ${FILE_NAME}`,
      );
    }
    this.#file = await openPrivateFile(path);
    this.note(actual);
  }

  /** Records the commit soon. Never fails: a durable commit must not fail because of this file. */
  note(commit: NewestCommit): void {
    this.#next = commit;
    if (this.#timer || this.#writing) return;
    const dueMs = this.#writtenMs + EVERY_MS - performance.now();
    if (dueMs <= 0) this.#writing = this.#write();
    else this.#writeLater(dueMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    if (this.#next) await this.#write();
    await this.#file?.close();
    this.#file = null;
  }

  #writeLater(dueMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write();
    }, dueMs);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    const commit = this.#next;
    this.#next = null;
    this.#writtenMs = performance.now();
    try {
      if (commit) await this.#file?.write(encode(commit), 0, RECORD_BYTES, 0);
    } catch (error) {
      this.#logger.warn({ err: error }, 'the newest commit could not be recorded beside the data file');
    } finally {
      this.#writing = null;
      if (this.#next && !this.#isClosed) this.#writeLater(EVERY_MS);
    }
  }
}

/** Removes the file: the recorded commit is of a store that no longer exists. */
export async function forgetNewestCommit(directory: string): Promise<void> {
  await rm(join(directory, FILE_NAME), { force: true });
}

/**
 * Says why the data file does not have the recorded commit; returns null when it has. If the epochs differ, a data file of another history was put
 * into the directory, and the record belongs to the previous file. This is a problem only if both have the same newest commit: the epoch is damaged.
 */
function problemOf(record: NewestCommit, actual: NewestCommit): string | null {
  const areWritesKnown = record.writeId !== '' && actual.writeId !== '';
  const isSame = record.seq === actual.seq && areWritesKnown && record.writeId === actual.writeId;
  if (record.epoch !== actual.epoch)
    return isSame ? 'its epoch is not the recorded one, but its newest commit is' : null;
  if (record.seq > actual.seq) return `commit ${record.seq} was stored, but the file ends with commit ${actual.seq}`;
  const isAnother = record.seq === actual.seq && areWritesKnown && !isSame;
  return isAnother ? `commit ${record.seq} was stored, but the file ends with another commit of that number` : null;
}

/** The record: one line of readable text, padded with spaces. */
function encode({ epoch, seq, writeId }: NewestCommit): Buffer {
  const text = JSON.stringify([epoch, seq, writeId.slice(0, 64)]);
  return Buffer.from(`${crc32(text).toString(16).padStart(8, '0')} ${text}`.padEnd(RECORD_BYTES - 1).concat('\n'));
}

/** Returns null when the file has no complete record: then the newest commit is not known. */
async function readRecord(path: string): Promise<NewestCommit | null> {
  try {
    const line = (await readFile(path, 'utf8')).trimEnd();
    const text = line.slice(9);
    if (Number.parseInt(line.slice(0, 8), 16) !== crc32(text)) return null;
    const [epoch, seq, writeId] = JSON.parse(text) as [string, number, string];
    return { epoch, seq, writeId };
  } catch {
    return null;
  }
}
