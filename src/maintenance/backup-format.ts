import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { StagedHistory } from '../stores/staging.ts';
import type { EventEntry } from '../stores/store.ts';
import { TransferError } from './transfer-error.ts';

/**
 * A backup is one file: the magic, the format as four bytes, sections, and the SHA-256 of everything before it. A section is its kind (one
 * byte), the length of its content (four bytes) and the content. In order: one header, pieces of a snapshot, batches of audit events, one
 * end. Numbers are little-endian.
 */
export const BACKUP_FORMAT = 1;
/** The line ends and the last byte come back changed from whatever takes the file for a text. */
export const MAGIC = Buffer.from('burgee-backup\r\n\x1a', 'latin1');
export const PREAMBLE_BYTES = MAGIC.length + 4;
const DIGEST_BYTES = 32;
const SECTION_HEAD_BYTES = 5;
/** Longer sections are not written: a length above is damage, not something to make room for. */
const SECTION_LIMIT_BYTES = 1 << 30;
/** What a read from the file asks for at least. */
const READ_BYTES = 1 << 18;

export const SECTION = { header: 1, piece: 2, events: 3, end: 4 } as const;

/** Content of the section `header`, as JSON. */
export type BackupHeader = StagedHistory;

/** Content of the section `end`, as JSON. */
export interface BackupEnd {
  /** Sections of each kind. */
  pieces: number;
  batches: number;
}

export interface Section {
  readonly kind: number;
  readonly content: Buffer;
}

export function encodePreamble(): Buffer {
  const preamble = Buffer.alloc(PREAMBLE_BYTES);
  MAGIC.copy(preamble);
  preamble.writeUInt32LE(BACKUP_FORMAT, MAGIC.length);
  return preamble;
}

export function encodeSection(kind: number, content: Uint8Array): Buffer {
  if (content.length > SECTION_LIMIT_BYTES) throw new TransferError('a part of the history is too large for a backup');
  const head = Buffer.alloc(SECTION_HEAD_BYTES);
  head.writeUInt8(kind, 0);
  head.writeUInt32LE(content.length, 1);
  return Buffer.concat([head, content]);
}

export function encodeJsonSection(kind: number, content: BackupHeader | BackupEnd): Buffer {
  return encodeSection(kind, Buffer.from(JSON.stringify(content)));
}

/** Each event is its id (eight bytes), its length (four bytes) and its bytes. */
export function encodeEvents(events: readonly EventEntry[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const { id, bytes } of events) {
    const head = Buffer.alloc(12);
    head.writeBigUInt64LE(BigInt(id), 0);
    head.writeUInt32LE(bytes.length, 8);
    parts.push(head, bytes);
  }
  return Buffer.concat(parts);
}

export function decodeEvents(content: Buffer): EventEntry[] {
  const events: EventEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const end = at + 12 + content.readUInt32LE(at + 8);
    events.push({ id: Number(content.readBigUInt64LE(at)), bytes: content.subarray(at + 12, end) });
    at = end;
  }
  return events;
}

/**
 * The sections of a backup, one after the other, whatever its size. Whoever reads to the end knows that every byte is as it was written.
 * @throws TransferError when it is no backup, of another format, cut off or damaged.
 */
export async function* readSections(path: string): AsyncGenerator<Section, void, void> {
  const file = await openBackup(path);
  try {
    const reader = new HashingReader(file, path);
    const preamble = await reader.take(PREAMBLE_BYTES);
    if (!preamble.subarray(0, MAGIC.length).equals(MAGIC)) throw new TransferError(`${path} is not a backup of Burgee`);
    const format = preamble.readUInt32LE(MAGIC.length);
    if (format !== BACKUP_FORMAT) {
      throw new TransferError(`${path} has format ${format}; this Burgee reads format ${BACKUP_FORMAT}`);
    }
    for (let kind = 0; kind !== SECTION.end; ) {
      const head = await reader.take(SECTION_HEAD_BYTES);
      kind = head.readUInt8(0);
      const lengthBytes = head.readUInt32LE(1);
      if (lengthBytes > SECTION_LIMIT_BYTES || kind < SECTION.header || kind > SECTION.end) throw damaged(path);
      yield { kind, content: await reader.take(lengthBytes) };
    }
    await reader.expectDigest();
  } finally {
    await file.close();
  }
}

async function openBackup(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw new TransferError(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function damaged(path: string): TransferError {
  return new TransferError(`${path} is damaged: it is not what was written`);
}

/** Reads a file from its beginning on and hashes what was taken. */
class HashingReader {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  async take(sizeBytes: number): Promise<Buffer> {
    const bytes = await this.#read(sizeBytes);
    this.#hash.update(bytes);
    return bytes;
  }

  /** The digest follows, and is that of everything taken, and nothing follows it. */
  async expectDigest(): Promise<void> {
    const digest = await this.#read(DIGEST_BYTES);
    const isLast = this.#rest.length === 0 && (await this.#more(1)).length === 0;
    if (!isLast || !digest.equals(this.#hash.digest())) throw damaged(this.#path);
  }

  async #read(sizeBytes: number): Promise<Buffer> {
    const parts = [this.#rest];
    let haveBytes = this.#rest.length;
    while (haveBytes < sizeBytes) {
      const part = await this.#more(Math.min(sizeBytes - haveBytes, 16 * READ_BYTES));
      if (part.length === 0) throw new TransferError(`${this.#path} is cut off: its end is missing`);
      parts.push(part);
      haveBytes += part.length;
    }
    const bytes = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    this.#rest = bytes.subarray(sizeBytes);
    return bytes.subarray(0, sizeBytes);
  }

  async #more(sizeBytes: number): Promise<Buffer> {
    try {
      const buffer = Buffer.allocUnsafe(Math.max(sizeBytes, READ_BYTES));
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length);
      return buffer.subarray(0, bytesRead);
    } catch (error) {
      throw new TransferError(`cannot read ${this.#path}: ${(error as Error).message}`, { cause: error });
    }
  }
}
