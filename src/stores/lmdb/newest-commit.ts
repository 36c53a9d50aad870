import { type FileHandle, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '../../base/logger.ts';
import { openPrivateFile } from '../local/private-files.ts';
import { StoreError } from '../store.ts';
import { ADVICE } from './data-file.ts';

const FILE_NAME = 'newest-commit';
/** One write of the disk's smallest unit, so that it is there whole or not at all. */
const RECORD_BYTES = 256;

/**
 * How often it is put down, at most: at every commit that would be a fifth of what a commit costs. What is lost with it is nothing: the file is
 * not synced, so after a crash of the system it may be half a minute behind; after one of the process alone, LMDB's pages are all there.
 */
const EVERY_MS = 50;

/** The newest commit of a store, as it is known beside the data file. */
export interface NewestCommit {
  readonly epoch: string;
  readonly seq: number;
  /** Of the batch that it came in; empty when that is not known. */
  readonly writeId: string;
}

/**
 * Keeps the number of the newest commit in a file of its own. LMDB goes on from the newer one of two meta pages: when the disk loses that page, or
 * the write of it, everything fits together one transaction ago, and nothing in the data file tells of the commit that is missing.
 *
 * A commit is put down after it is durable in the data file, without being waited for or synced, and only the newest one when they come
 * fast: so the file may be behind, never ahead. When the store is closed in order, it is the newest.
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
   * Compares the newest commit of the data file with what was put down, and goes on from it.
   * @throws StoreError when the data file is behind
   */
  async begin(found: NewestCommit): Promise<void> {
    const path = join(this.#directory, FILE_NAME);
    const kept = await readKept(path);
    const problem = kept && problemOf(kept, found);
    if (problem) {
      throw new StoreError(
        `the data file in ${this.#directory} has lost what it held: ${problem}. ${ADVICE}. If you put an older copy there on purpose, remove ${FILE_NAME}`,
        'not-appended',
      );
    }
    this.#file = await openPrivateFile(path);
    this.note(found);
  }

  /** Puts the commit down, soon. Never fails: what it guards against is rare, and a commit that is durable is no failure. */
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
      this.#logger.warn({ err: error }, 'the newest commit could not be put down beside the data file');
    } finally {
      this.#writing = null;
      if (this.#next && !this.#isClosed) this.#writeLater(EVERY_MS);
    }
  }
}

/** What was put down is of a store that is not there any more. */
export async function forgetNewestCommit(directory: string): Promise<void> {
  await rm(join(directory, FILE_NAME), { force: true });
}

/** What the data file lacks, or null. A file of another history was put in place; what was put down is of the one before. */
function problemOf(kept: NewestCommit, found: NewestCommit): string | null {
  const areKnown = kept.writeId !== '' && found.writeId !== '';
  const isSame = kept.seq === found.seq && areKnown && kept.writeId === found.writeId;
  if (kept.epoch !== found.epoch) return isSame ? 'it says that it is of another history' : null;
  if (kept.seq > found.seq) return `commit ${kept.seq} was stored, but it ends with commit ${found.seq}`;
  const isAnother = kept.seq === found.seq && areKnown && !isSame;
  return isAnother ? `commit ${kept.seq} was stored, but it ends with another commit of that number` : null;
}

/** A line of text, readable by people, filled up with spaces. */
function encode({ epoch, seq, writeId }: NewestCommit): Buffer {
  const text = JSON.stringify([epoch, seq, writeId.slice(0, 64)]);
  return Buffer.from(`${crc32(text).toString(16).padStart(8, '0')} ${text}`.padEnd(RECORD_BYTES - 1).concat('\n'));
}

/** Null when there is none, or none that is whole: then nothing is known. */
async function readKept(path: string): Promise<NewestCommit | null> {
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
