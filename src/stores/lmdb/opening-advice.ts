import { statSync } from 'node:fs';
import { RESERVE_BYTES } from '../local/disk-space.ts';
import { LOST_DATA_ADVICE } from './data-file.ts';
import { CommitError, DISK_FULL } from './lmdb-environment.ts';

/** The errors with which LMDB reports that the file is damaged, or was not written by this LMDB. */
const DAMAGED = /MDB_(CORRUPTED|PAGE_NOTFOUND|INVALID|VERSION_MISMATCH)/;
/** System errors for a full disk. */
const DISK_FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
const NO_RIGHTS_CODES: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM']);
const MEGABYTE = 2 ** 20;
/** The reserve that is always left free, plus the size of the first content, rounded up. */
const FIRST_START_MEGABYTES = RESERVE_BYTES / MEGABYTE + 4;

/**
 * The advice for an error that prevented the opening of a store in `directory`: a sentence without its full stop; undefined when no advice is known.
 */
export function openingAdvice(error: unknown, directory: string): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (DISK_FULL_CODES.has(code) || (error instanceof CommitError && error.message.startsWith(DISK_FULL)))
    return `The disk is full: free some space (a new store needs at least ${FIRST_START_MEGABYTES} MB), or set DATA_DIR to a directory on another disk`;
  if (NO_RIGHTS_CODES.has(code))
    return `${ownersOf(directory)}: make that user its owner (chown), or set DATA_DIR to another directory`;
  if (code === 'EROFS') return 'The disk is mounted read-only: set DATA_DIR to a directory that can be written';
  // An error of the system has a system code; any other error is caused by the content of the file.
  const isSystemError = typeof code === 'string';
  const message = error instanceof Error ? error.message : String(error);
  return DAMAGED.test(message) || !isSystemError ? LOST_DATA_ADVICE : undefined;
}

function ownersOf(directory: string): string {
  const runsAs = `Burgee runs as user ${process.getuid?.() ?? 'unknown'}`;
  try {
    return `The directory belongs to user ${statSync(directory).uid}, and ${runsAs}`;
  } catch {
    return `${runsAs}, which may not reach the directory`;
  }
}
