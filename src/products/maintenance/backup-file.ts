import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type BackupHistory, BackupTally, checkBackup, decodeEvents } from '../../stores/local/backup-format.ts';
import { FileSpace, NoSpaceError } from '../../stores/local/disk-space.ts';
import { type Frame, FramedFileError, Framing, KIND, readFrames } from '../../stores/local/framed-file.ts';
import { exactly, removeLeftTemporaries, TemporaryFile } from '../../stores/local/temporary-file.ts';
import type { StagedHistory, Staging } from '../../stores/staging.ts';
import { type EventEntry, StoreError } from '../../stores/store.ts';
import { ProgramError } from '../program/subcommand.ts';

/** Reads a backup to its end and returns the description of its history. @throws ProgramError if the backup is damaged or incomplete */
export function readBackup(path: string): Promise<BackupHistory> {
  return asProgramErrors(() => checkBackup(path));
}

/** The frames of a backup. @throws ProgramError */
export async function* framesOf(path: string): AsyncGenerator<Frame, void, void> {
  const frames = readFrames(path);
  try {
    for (;;) {
      const next = await asProgramErrors(() => frames.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await frames.return();
  }
}

/** Converts errors about the file to ProgramErrors, which are shown to users. */
async function asProgramErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FramedFileError) throw new ProgramError(error.message, { cause: error });
    throw error;
  }
}

/** The audit events of a backup, in the same batches in which they were written. @throws ProgramError */
export async function* readEventBatches(path: string): AsyncGenerator<readonly EventEntry[], void, void> {
  for await (const { kind, bytes } of framesOf(path)) if (kind === KIND.events) yield decodeEvents(bytes);
}

/** The pieces of the snapshot in a backup. @throws ProgramError */
async function* readPieces(path: string): AsyncGenerator<Uint8Array, void, void> {
  for await (const { kind, bytes } of framesOf(path)) if (kind === KIND.piece) yield bytes;
}

/** Begins a backup in a temporary file beside `path`. @throws ProgramError if `path` exists, or if the file cannot be created */
export async function stageInFile(path: string, history: StagedHistory): Promise<Staging> {
  await refuseExisting(path);
  try {
    // An earlier command that was killed may have left its file.
    await removeLeftTemporaries(dirname(path), exactly(basename(path)), { keepsFreshOfOthers: true });
    const staging = new FileStaging(path, await TemporaryFile.create(path), history);
    await staging.begin();
    return staging;
  } catch (error) {
    throw writeError(path, error);
  }
}

class FileStaging implements Staging {
  readonly #path: string;
  readonly #file: TemporaryFile;
  readonly #space: FileSpace;
  readonly #history: StagedHistory;
  readonly #framing = new Framing();
  readonly #tally = new BackupTally();

  constructor(path: string, file: TemporaryFile, history: StagedHistory) {
    this.#path = path;
    this.#history = history;
    this.#file = file;
    this.#space = new FileSpace(dirname(path));
  }

  begin(): Promise<void> {
    return this.#write(this.#framing.begin());
  }

  async putSnapshot(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const bytes of pieces) await this.#put(this.#tally.pieceFrame(bytes));
  }

  putEvents(events: readonly EventEntry[]): Promise<void> {
    return this.#put(this.#tally.eventsFrame(events));
  }

  async seal(): Promise<void> {
    await this.#put(this.#tally.endFrame(this.#history));
    await this.#write(this.#framing.end());
    await this.#describingErrors(() => this.#file.finish());
    // Reads the file back: throws if it is damaged.
    await readBackup(this.#file.path);
  }

  readSnapshot(): AsyncIterable<Uint8Array> {
    return readPieces(this.#file.path);
  }

  readEvents(): AsyncIterable<readonly EventEntry[]> {
    return readEventBatches(this.#file.path);
  }

  async commit(): Promise<string> {
    await refuseExisting(this.#path);
    await this.#describingErrors(() => this.#file.publish());
    // The result is the epoch of the target. A backup has none of its own.
    return '';
  }

  close(): Promise<void> {
    return this.#file.discard();
  }

  async #put(frame: Frame): Promise<void> {
    for (const part of this.#framing.frame(frame)) await this.#write(part);
  }

  #write(bytes: Uint8Array): Promise<void> {
    return this.#describingErrors(() => {
      this.#space.require(bytes.length);
      return this.#file.write(bytes);
    });
  }

  async #describingErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw writeError(this.#path, error);
    }
  }
}

async function refuseExisting(path: string): Promise<void> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (exists)
    throw new ProgramError(`${path} exists already, and a backup never replaces a file: specify another name`);
}

function writeError(path: string, error: unknown): unknown {
  if (error instanceof ProgramError || error instanceof StoreError || !(error instanceof Error)) return error;
  if (error instanceof FramedFileError || error instanceof NoSpaceError)
    return new ProgramError(error.message, { cause: error });
  return new ProgramError(`cannot write ${path}: ${error.message}`, { cause: error });
}
