import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '../../base/logger.ts';
import { openPrivateFile, syncDirectory } from '../local/private-files.ts';
import { UnusableDataError } from '../store.ts';
import { checkPages, committedSizeBytes, PageError } from './page-check.ts';

/** LMDB's own names for its files in a directory. */
export const DATA_FILE = 'data.mdb';
export const LOCK_FILE = 'lock.mdb';
/** Every table of the environment. A new table needs a higher store format. */
export const TABLE_NAMES = ['counters', 'events', 'head', 'log', 'meta', 'pieces'] as const;
const MARKER_FILE = 'store.json';
/** The files of a store in its directory, also those of unfinished work. The directory may have others, which are not data of the store. */
export const STORE_FILES = [DATA_FILE, LOCK_FILE, MARKER_FILE, 'newest-commit', 'rewritten', 'incoming'] as const;

/** The advice to an operator whose store lost data. */
export const LOST_DATA_ADVICE =
  'Restore the data directory from a backup, or move it away to start with an empty store';

/** The content of `store.json`. This file remains when the data file is lost, so it distinguishes a store that lost its data from a new store. */
interface StoreMarker {
  readonly format: number;
  readonly epoch: string;
}

/**
 * Checks the files before LMDB maps them, and reports as errors what would lose data or end the process. LMDB handles an empty file as a new store.
 * A read beyond the end of a mapped file ends the process with SIGBUS. A damaged page may have the same effect. lmdb-js may crash when a file cannot
 * be opened.
 * @throws UnusableDataError with a message for people when the file cannot be opened safely.
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
    const expectedBytes = committedSizeBytes(file.fd, size);
    // The pages are checked before the padding, so that a refused file is not changed. `checkPages` gets zeros for missing pages, the same bytes that
    // the padding will contain.
    checkPages(file.fd, new Set<string>(TABLE_NAMES));
    if (size < expectedBytes) {
      // This is not damage: the missing pages at the end are free pages. But LMDB would read beyond the end of the file.
      logger.warn(
        { path, sizeBytes: size, expectedBytes },
        'the data file is shorter than its header says: it was extended with zeros. No data is lost',
      );
      await truncate(path, expectedBytes);
    }
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    throw new UnusableDataError(`${path} cannot be used: ${error.message}. ${LOST_DATA_ADVICE}`, {
      cause: error,
    });
  } finally {
    await file.close();
  }
}

async function refuseLostData(directory: string): Promise<void> {
  const marker = await readMarker(directory);
  if (!marker) return;
  throw new UnusableDataError(
    `${directory} contained the store ${marker.epoch}, but its ${DATA_FILE} is missing or empty. Restore it from a backup, or remove ${MARKER_FILE} to start with an empty store`,
  );
}

/** Whether the directory has, or had, a store. */
export async function holdsStore(directory: string): Promise<boolean> {
  return existsSync(join(directory, DATA_FILE)) || (await readMarker(directory)) !== null;
}

/** Returns null when the marker does not exist. A marker that cannot be read is returned as the marker of an unknown store. */
export async function readMarker(directory: string): Promise<StoreMarker | null> {
  try {
    return JSON.parse(await readFile(join(directory, MARKER_FILE), 'utf8')) as StoreMarker;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    return { format: 0, epoch: 'unknown' };
  }
}

/** Writes the marker durably. */
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
  // The directory itself may be new as well: without a sync of its parent, a crash could lose it with everything in it.
  await syncDirectory(dirname(directory));
}

async function openIfPresent(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
