import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { otherFormat } from '../../state/stored-schema.ts';
import { makeDirectory } from './private-files.ts';
import { replaceFile } from './temporary-file.ts';

/**
 * The format of backups and local copies: one state, with its commits and audit events. A file is the magic, the format as four bytes, frames, and
 * the SHA-256 of everything before it. A frame is its kind (one byte), the length of its content (four bytes) and the content. Frames in order:
 * pieces of a snapshot, commits that follow it, batches of audit events, one end. Numbers are little-endian.
 */
export const FILE_FORMAT = 2;

/** The kinds of frames. Frames are written in this order. */
export const KIND = { piece: 1, commit: 2, events: 3, end: 4 } as const;

export interface Frame {
  readonly kind: number;
  readonly bytes: Uint8Array;
}

/** The first bytes of a file. They detect a program that handled the file as text, because it changes line ends or the byte `\x1a`. */
export const MAGIC = Buffer.from('burgee-backup\r\n\x1a', 'latin1');
const PREAMBLE_BYTES = MAGIC.length + 4;
const DIGEST_BYTES = 32;
const FRAME_HEAD_BYTES = 5;
/** The most bytes of a frame. Longer frames are not written, so a greater length is damage, and no memory is allocated for it. */
const FRAME_LIMIT_BYTES = 1 << 30;
/** Frames are gathered into writes of about this size, and read with reads of at least this size. */
const CHUNK_BYTES = 1 << 18;

/** The beginning of local copies of format 1, to refuse them by their format. Backups of format 1 have the magic. */
const COPY_OF_FORMAT_1 = Buffer.from('burgee local copy, f');

/** The file is damaged, or has a format that this Burgee does not read. The message is for people. */
export class FramedFileError extends Error {
  override readonly name = 'FramedFileError';
}

/** Makes the bytes of a file, from its beginning to its end. A part is at most a chunk: hashing a longer one would block the event loop. */
export class Framing {
  readonly #hash: Hash = createHash('sha256');

  begin(): Buffer {
    const preamble = Buffer.alloc(PREAMBLE_BYTES);
    MAGIC.copy(preamble);
    preamble.writeUInt32LE(FILE_FORMAT, MAGIC.length);
    return this.#addToHash(preamble);
  }

  /** The parts of a frame. Each part is hashed when it is requested. @throws FramedFileError */
  *frame({ kind, bytes }: Frame): Generator<Uint8Array, void, void> {
    if (bytes.length > FRAME_LIMIT_BYTES) throw new FramedFileError('a part is too large for a file');
    const head = Buffer.alloc(FRAME_HEAD_BYTES);
    head.writeUInt8(kind, 0);
    head.writeUInt32LE(bytes.length, 1);
    yield this.#addToHash(head);
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
      yield this.#addToHash(bytes.subarray(start, start + CHUNK_BYTES));
  }

  end(): Buffer {
    return this.#hash.digest();
  }

  #addToHash<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
    this.#hash.update(bytes);
    return bytes;
  }
}

/** The bytes of a file with these frames, in chunks large enough for a write. The caller yields to the event loop between the chunks. */
export async function* framedChunks(frames: AsyncIterable<Frame>): AsyncGenerator<Buffer, void, void> {
  const framing = new Framing();
  let gatheredParts: Uint8Array[] = [framing.begin()];
  let gatheredBytes = 0;
  for await (const frame of frames) {
    for (const part of framing.frame(frame)) {
      gatheredParts.push(part);
      gatheredBytes += part.length;
      if (gatheredBytes < CHUNK_BYTES) continue;
      yield Buffer.concat(gatheredParts);
      gatheredParts = [];
      gatheredBytes = 0;
    }
  }
  yield Buffer.concat([...gatheredParts, framing.end()]);
}

/** See `replaceFile`. */
export async function writeFramedFile(path: string, frames: AsyncIterable<Frame>): Promise<void> {
  await makeDirectory(dirname(path));
  await replaceFile(path, framedChunks(frames));
}

/**
 * The frames of a file, one after the other, so that a file of any size can be read. When the last frame has been returned, it is certain that every
 * byte is as it was written, and that no byte is missing.
 * @throws FramedFileError when the file cannot be read, is another kind of file, has another format, is cut off or is damaged.
 */
export async function* readFrames(path: string): AsyncGenerator<Frame, void, void> {
  const file = await openToRead(path);
  try {
    const reader = new HashingReader(file, path);
    checkFormat(await reader.take(PREAMBLE_BYTES), path);
    for (let last: number = KIND.piece; last !== KIND.end; ) {
      const head = await reader.take(FRAME_HEAD_BYTES);
      const kind = head.readUInt8(0);
      const lengthBytes = head.readUInt32LE(1);
      if (lengthBytes > FRAME_LIMIT_BYTES || kind < last || kind > KIND.end) throw damagedError(path);
      last = kind;
      yield { kind, bytes: await reader.take(lengthBytes) };
    }
    await reader.expectDigest();
  } finally {
    await file.close();
  }
}

/** @throws FramedFileError */
function checkFormat(preamble: Buffer, path: string): void {
  const hasMagic = preamble.subarray(0, MAGIC.length).equals(MAGIC);
  if (!hasMagic && !preamble.equals(COPY_OF_FORMAT_1))
    throw new FramedFileError(`${path} is neither a backup nor a local copy of Burgee`);
  const format = hasMagic ? preamble.readUInt32LE(MAGIC.length) : 1;
  if (format !== FILE_FORMAT) throw new FramedFileError(otherFormat(path, format, FILE_FORMAT));
}

async function openToRead(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw new FramedFileError(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function damagedError(path: string): FramedFileError {
  return new FramedFileError(`${path} is damaged: its bytes are not those that were written`);
}

/** Reads a file from its beginning, and hashes the bytes that it returned. */
class HashingReader {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #unusedBytes: Buffer = Buffer.alloc(0);

  constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  async take(sizeBytes: number): Promise<Buffer> {
    const bytes = await this.#read(sizeBytes);
    this.#hash.update(bytes);
    return bytes;
  }

  /** Checks that the digest of all returned bytes follows, and that the file ends after it. */
  async expectDigest(): Promise<void> {
    const digest = await this.#read(DIGEST_BYTES);
    const isLast = this.#unusedBytes.length === 0 && (await this.#readMore(1)).length === 0;
    if (!isLast || !digest.equals(this.#hash.digest())) throw damagedError(this.#path);
  }

  async #read(sizeBytes: number): Promise<Buffer> {
    const parts = [this.#unusedBytes];
    let availableBytes = this.#unusedBytes.length;
    while (availableBytes < sizeBytes) {
      const part = await this.#readMore(Math.min(sizeBytes - availableBytes, 16 * CHUNK_BYTES));
      if (part.length === 0) throw new FramedFileError(`${this.#path} is cut off: its end is missing`);
      parts.push(part);
      availableBytes += part.length;
    }
    const bytes = parts.length === 1 ? this.#unusedBytes : Buffer.concat(parts);
    this.#unusedBytes = bytes.subarray(sizeBytes);
    return bytes.subarray(0, sizeBytes);
  }

  async #readMore(sizeBytes: number): Promise<Buffer> {
    try {
      const buffer = Buffer.allocUnsafe(Math.max(sizeBytes, CHUNK_BYTES));
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length);
      return buffer.subarray(0, bytesRead);
    } catch (error) {
      throw new FramedFileError(`cannot read ${this.#path}: ${(error as Error).message}`, { cause: error });
    }
  }
}
