import { type FileHandle, open, readFile, rename, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '../../base/logger.ts';
import { openPrivateFile } from '../local/private-files.ts';
import { StoreError } from '../store.ts';

/** LMDB's own names for its files in a directory. */
export const DATA_FILE = 'data.mdb';
export const LOCK_FILE = 'lock.mdb';
const MARKER_FILE = 'store.json';

/** Where LMDB keeps what in a meta page: a header of 24 bytes, then `MDB_meta`. */
const META = { magicAt: 24, versionAt: 28, pageSizeAt: 48, lastPageAt: 144, transactionAt: 152, endAt: 160 };
const LMDB_MAGIC = 0xbeefc0de;
const LMDB_DATA_VERSION = 2;

/** What to do about a store that lost something. */
export const ADVICE = 'Restore the data directory from a backup, or move it away to start with an empty store';

/** What `store.json` says. It outlives the data file, and so tells a store that lost its data from one that never had any. */
export interface StoreMarker {
  readonly format: number;
  readonly epoch: string;
}

/**
 * Looks at the files before LMDB maps them. LMDB takes an empty file for a new store, a read beyond the end of a mapped file ends the
 * process with SIGBUS, and lmdb-js may crash when a file cannot be opened; all three are turned into errors here.
 * @throws StoreError with a message for people when the file cannot be opened safely.
 */
export async function checkDataFile(directory: string, logger: Logger): Promise<void> {
  const path = join(directory, DATA_FILE);
  const lockFile = await openIfPresent(join(directory, LOCK_FILE));
  await lockFile?.close();
  const file = await openIfPresent(path);
  if (!file) return refuseLostData(directory);
  try {
    const { size } = await file.stat();
    if (size === 0) return await refuseLostData(directory);
    const expectedBytes = await committedSizeBytes(file, size, path);
    if (size < expectedBytes) {
      // Legitimate when the missing pages at the end are free ones. When they are not, zeros make LMDB and our checksums complain.
      logger.warn(
        { path, sizeBytes: size, expectedBytes },
        'data file is shorter than its header says; padded with zeros',
      );
      await truncate(path, expectedBytes);
    }
  } finally {
    await file.close();
  }
}

async function committedSizeBytes(file: FileHandle, sizeBytes: number, path: string): Promise<number> {
  const first = await metaPage(file, 0, path);
  if (sizeBytes < 2 * first.pageSize)
    throw new StoreError(`${path} is cut off: it has ${sizeBytes} bytes. ${ADVICE}`, 'not-appended');
  const second = await metaPage(file, first.pageSize, path);
  const current = first.transaction >= second.transaction ? first : second;
  return (current.lastPage + 1) * current.pageSize;
}

async function metaPage(file: FileHandle, offset: number, path: string) {
  const page = Buffer.alloc(META.endAt);
  const { bytesRead } = await file.read(page, 0, page.length, offset);
  const pageSize = page.readUInt32LE(META.pageSizeAt);
  const known =
    page.readUInt32LE(META.magicAt) === LMDB_MAGIC &&
    (page.readUInt32LE(META.versionAt) & 0xffff) === LMDB_DATA_VERSION;
  if (bytesRead < page.length || !known || pageSize < 512 || pageSize > 65_536) {
    throw new StoreError(`${path} is not a data file of Burgee, or it is damaged. ${ADVICE}`, 'not-appended');
  }
  return {
    pageSize,
    lastPage: Number(page.readBigUInt64LE(META.lastPageAt)),
    transaction: Number(page.readBigUInt64LE(META.transactionAt)),
  };
}

async function refuseLostData(directory: string): Promise<void> {
  const marker = await readMarker(directory);
  if (!marker) return;
  throw new StoreError(
    `${directory} held the store ${marker.epoch}, but its ${DATA_FILE} is missing or empty. Restore it from a backup, or remove ${MARKER_FILE} to start with an empty store`,
    'not-appended',
  );
}

/** Null when there is none; a marker that cannot be read counts as one of an unknown store. */
export async function readMarker(directory: string): Promise<StoreMarker | null> {
  try {
    return JSON.parse(await readFile(join(directory, MARKER_FILE), 'utf8')) as StoreMarker;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    return { format: 0, epoch: 'unknown' };
  }
}

/** Puts the marker in place, durably. */
export async function writeMarker(directory: string, marker: StoreMarker): Promise<void> {
  const path = join(directory, MARKER_FILE);
  const file = await openPrivateFile(`${path}.new`);
  try {
    await file.writeFile(`${JSON.stringify(marker)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncDirectory(directory);
  // The directory itself may be new as well, and be forgotten with everything in it when its parent is not synced.
  await syncDirectory(dirname(directory));
}

/** Makes names of files durable. Not every platform and directory allows it; then its file system decides. */
export async function syncDirectory(directory: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(directory, 'r');
    await handle.sync();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EIO' || code === 'ENOSPC') throw error;
  } finally {
    await handle?.close();
  }
}

async function openIfPresent(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
