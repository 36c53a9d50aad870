import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PRIVATE_FILE_MODE } from '../stores/local/private-files.ts';
import type { StagedHistory, Staging } from '../stores/staging.ts';
import { type EventEntry, StoreError } from '../stores/store.ts';
import {
  type BackupEnd,
  type BackupHeader,
  decodeEvents,
  encodeEvents,
  encodeJsonSection,
  encodePreamble,
  encodeSection,
  readSections,
  SECTION,
} from './backup-format.ts';
import { TransferError } from './transfer-error.ts';

/** Reads a backup to its end. @throws TransferError unless it is whole: only then anything of it is used. */
export async function checkBackup(path: string): Promise<BackupHeader> {
  const found = { pieces: 0, batches: 0 };
  let [header, end]: [Buffer, Buffer] = [Buffer.alloc(0), Buffer.alloc(0)];
  let last = 0;
  for await (const { kind, content } of readSections(path)) {
    const isInOrder = kind >= last && (kind === SECTION.header) === (last === 0);
    if (!isInOrder) throw new TransferError(`${path} is damaged: its parts are not in order`);
    last = kind;
    if (kind === SECTION.header) header = content;
    else if (kind === SECTION.piece) found.pieces += 1;
    else if (kind === SECTION.events) found.batches += 1;
    else end = content;
  }
  // Only now are the bytes known to be those that were written.
  const { pieces, batches } = parseJson<BackupEnd>(end);
  if (pieces !== found.pieces || batches !== found.batches) {
    throw new TransferError(`${path} is damaged: some of its parts are missing`);
  }
  return parseJson<BackupHeader>(header);
}

function parseJson<T>(content: Buffer): T {
  return JSON.parse(content.toString('utf8')) as T;
}

/** The snapshot's pieces in a backup. @throws TransferError */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array, void, void> {
  for await (const { kind, content } of readSections(path)) {
    if (kind === SECTION.piece) yield content;
    else if (kind > SECTION.piece) return;
  }
}

/** The audit events in a backup, in the batches they were written in. @throws TransferError */
export async function* readEventBatches(path: string): AsyncGenerator<readonly EventEntry[], void, void> {
  for await (const { kind, content } of readSections(path)) if (kind === SECTION.events) yield decodeEvents(content);
}

/** Begins a backup beside the file that it becomes. @throws TransferError when that exists, or cannot be made. */
export async function stageInFile(path: string, history: StagedHistory): Promise<Staging> {
  await refuseExisting(path);
  const partialPath = `${path}.${process.pid}-${randomUUID().slice(0, 8)}.partial`;
  try {
    const file = await open(partialPath, 'wx', PRIVATE_FILE_MODE);
    const staging = new FileStaging(path, partialPath, file);
    await staging.begin(history);
    return staging;
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

class FileStaging implements Staging {
  readonly #path: string;
  readonly #partialPath: string;
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  readonly #counts: BackupEnd = { pieces: 0, batches: 0 };
  #isClosed = false;

  constructor(path: string, partialPath: string, file: FileHandle) {
    this.#path = path;
    this.#partialPath = partialPath;
    this.#file = file;
  }

  async begin(history: StagedHistory): Promise<void> {
    await this.#write(encodePreamble());
    await this.#write(encodeJsonSection(SECTION.header, history));
  }

  async putSnapshot(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of pieces) {
      this.#counts.pieces += 1;
      await this.#write(encodeSection(SECTION.piece, piece));
    }
  }

  async putEvents(events: readonly EventEntry[]): Promise<void> {
    this.#counts.batches += 1;
    await this.#write(encodeSection(SECTION.events, encodeEvents(events)));
  }

  async seal(): Promise<void> {
    await this.#write(encodeJsonSection(SECTION.end, this.#counts));
    await this.#write(this.#hash.digest(), false);
    await this.#guarded(() => this.#file.sync());
    await this.#closeFile();
    await checkBackup(this.#partialPath);
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

  async #write(bytes: Buffer, isHashed = true): Promise<void> {
    if (isHashed) this.#hash.update(bytes);
    await this.#guarded(() => this.#file.writeFile(bytes));
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

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function cannotWrite(path: string, error: unknown): unknown {
  if (error instanceof TransferError || error instanceof StoreError || !(error instanceof Error)) return error;
  return new TransferError(`cannot write ${path}: ${error.message}`, { cause: error });
}
