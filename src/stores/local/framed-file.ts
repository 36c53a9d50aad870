import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { makeDirectory, openPrivateFile } from './private-files.ts';

/** One part of a framed file. What `kind` means is for those who write and read it. */
export interface Frame {
  readonly kind: number;
  readonly bytes: Uint8Array;
}

/** Frames are gathered into writes of about this size. */
const WRITE_BYTES = 256 * 1024;
const FRAME_HEAD_BYTES = 5;
const DIGEST_BYTES = 32;

/** The file is not what was written, or was written in a format that this Burgee does not read. */
export class FramedFileError extends Error {
  override readonly name = 'FramedFileError';
}

/**
 * Writes the frames to a new file that takes the place of the one at `path` in one step, when all of it is on the disk: a crash leaves the
 * older file whole. `signature` is the first line and names what it is, format included; a SHA-256 over everything is the end.
 */
export async function writeFramedFile(path: string, signature: string, frames: AsyncIterable<Frame>): Promise<void> {
  await makeDirectory(dirname(path));
  // Processes that share a directory do not write into each other's files, not even from containers, where all are number 1.
  const temporary = `${path}.${hostname()}.${process.pid}.tmp`;
  const file = await openPrivateFile(temporary);
  try {
    await writeAll(file, signature, frames);
    await file.sync();
  } catch (error) {
    await file.close();
    await rm(temporary, { force: true });
    throw error;
  }
  await file.close();
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

/** The frames, checked; null when there is no such file. @throws FramedFileError */
export async function readFramedFile(path: string, signature: string): Promise<Frame[] | null> {
  let content: Buffer;
  try {
    content = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new FramedFileError(`${path} cannot be read: ${(error as Error).message}`);
  }
  const head = Buffer.from(`${signature}\n`);
  if (content.compare(head, 0, head.length, 0, head.length) !== 0) {
    throw new FramedFileError(`${path} is not "${signature}"`);
  }
  const end = content.length - DIGEST_BYTES;
  const digest = createHash('sha256')
    .update(content.subarray(0, Math.max(0, end)))
    .digest();
  if (end < head.length || digest.compare(content, end) !== 0) {
    throw new FramedFileError(`${path} is damaged: its digest is another one`);
  }
  const frames: Frame[] = [];
  for (let at = head.length; at < end; ) {
    const start = at + FRAME_HEAD_BYTES;
    at = start + content.readUInt32LE(start - 4);
    frames.push({ kind: content[start - FRAME_HEAD_BYTES] as number, bytes: content.subarray(start, at) });
  }
  return frames;
}

async function writeAll(file: FileHandle, signature: string, frames: AsyncIterable<Frame>): Promise<void> {
  const hash = createHash('sha256');
  let gathered: Uint8Array[] = [Buffer.from(`${signature}\n`)];
  let gatheredBytes = 0;
  const flush = async () => {
    const bytes = Buffer.concat(gathered);
    gathered = [];
    gatheredBytes = 0;
    hash.update(bytes);
    await file.writeFile(bytes);
  };
  for await (const { kind, bytes } of frames) {
    const head = Buffer.alloc(FRAME_HEAD_BYTES);
    head[0] = kind;
    head.writeUInt32LE(bytes.byteLength, 1);
    gathered.push(head, bytes);
    gatheredBytes += bytes.byteLength;
    if (gatheredBytes >= WRITE_BYTES) await flush();
  }
  await flush();
  await file.writeFile(hash.digest());
}

/** A rename is durable when its directory is. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => undefined);
  await directory?.sync().catch(() => {});
  await directory?.close();
}
