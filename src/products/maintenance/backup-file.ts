import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type BackedUp, BackupTally, checkBackup, decodeEvents } from '../../stores/local/backup-format.ts';
import { type Frame, FramedFileError, Framing, KIND, readFrames } from '../../stores/local/framed-file.ts';
import { PRIVATE_FILE_MODE, syncDirectory } from '../../stores/local/private-files.ts';
import type { StagedHistory, Staging } from '../../stores/staging.ts';
import { type EventEntry, StoreError } from '../../stores/store.ts';
import { TransferError } from './transfer-error.ts';

/** Checks a backup and returns its description of the history. @throws TransferError if the backup is damaged or incomplete */
export function readBackup(path: string): Promise<BackedUp> {
  return forPeople(() => checkBackup(path));
}

/** The frames of a backup. @throws TransferError */
export async function* framesOf(path: string): AsyncGenerator<Frame, void, void> {
  const frames = readFrames(path);
  try {
    for (;;) {
      const next = await forPeople(() => frames.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await frames.return();
  }
}

async function forPeople<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FramedFileError) throw new TransferError(error.message, { cause: error });
    throw error;
  }
}

/** The audit events of a backup, in the same batches in which they were written. @throws TransferError */
export async function* readEventBatches(path: string): AsyncGenerator<readonly EventEntry[], void, void> {
  for await (const { kind, bytes } of framesOf(path)) if (kind === KIND.events) yield decodeEvents(bytes);
}

/** The pieces of the snapshot in a backup. @throws TransferError */
async function* readPieces(path: string): AsyncGenerator<Uint8Array, void, void> {
  for await (const { kind, bytes } of framesOf(path)) if (kind === KIND.piece) yield bytes;
}

/** Begins a backup in a temporary file beside `path`. @throws TransferError if `path` exists, or if the file cannot be created */
export async function stageInFile(path: string, history: StagedHistory): Promise<Staging> {
  await refuseExisting(path);
  const partialPath = `${path}.${process.pid}-${randomUUID().slice(0, 8)}.partial`;
  try {
    const file = await open(partialPath, 'wx', PRIVATE_FILE_MODE);
    const staging = new FileStaging(path, partialPath, file, history);
    await staging.begin();
    return staging;
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

class FileStaging implements Staging {
  readonly #path: string;
  readonly #partialPath: string;
  readonly #file: FileHandle;
  readonly #history: StagedHistory;
  readonly #framing = new Framing();
  readonly #tally = new BackupTally();
  #isClosed = false;

  constructor(path: string, partialPath: string, file: FileHandle, history: StagedHistory) {
    this.#path = path;
    this.#history = history;
    this.#partialPath = partialPath;
    this.#file = file;
  }

  begin(): Promise<void> {
    return this.#write(this.#framing.begin());
  }

  async putSnapshot(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const bytes of pieces) await this.#put(this.#tally.counted({ kind: KIND.piece, bytes }));
  }

  putEvents(events: readonly EventEntry[]): Promise<void> {
    return this.#put(this.#tally.events(events));
  }

  async seal(): Promise<void> {
    await this.#put(this.#tally.end(this.#history));
    await this.#write(this.#framing.end());
    await this.#guarded(() => this.#file.sync());
    await this.#closeFile();
    await readBackup(this.#partialPath);
  }

  readSnapshot(): AsyncIterable<Uint8Array> {
    return readPieces(this.#partialPath);
  }

  readEvents(): AsyncIterable<readonly EventEntry[]> {
    return readEventBatches(this.#partialPath);
  }

  async commit(): Promise<string> {
    await refuseExisting(this.#path);
    await this.#guarded(async () => {
      await rename(this.#partialPath, this.#path);
      await syncDirectory(dirname(this.#path));
    });
    return '';
  }

  async close(): Promise<void> {
    await this.#closeFile();
    await rm(this.#partialPath, { force: true });
  }

  async #put(frame: Frame): Promise<void> {
    for (const part of this.#framing.frame(frame)) await this.#write(part);
  }

  #write(bytes: Uint8Array): Promise<void> {
    return this.#guarded(() => this.#file.writeFile(bytes));
  }

  async #closeFile(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#file.close();
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw cannotWrite(this.#path, error);
    }
  }
}

async function refuseExisting(path: string): Promise<void> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new TransferError(`${path} exists already; a backup never replaces a file`);
}

function cannotWrite(path: string, error: unknown): unknown {
  if (error instanceof TransferError || error instanceof StoreError || !(error instanceof Error)) return error;
  if (error instanceof FramedFileError) return new TransferError(error.message, { cause: error });
  return new TransferError(`cannot write ${path}: ${error.message}`, { cause: error });
}
