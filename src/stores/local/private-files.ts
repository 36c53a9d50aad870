import { closeSync, openSync } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '../../base/logger.ts';

/** Stored files contain API tokens: only the user that Burgee runs as may read them, whatever the umask is. */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_DIRECTORY_MODE = 0o700;

/** The mode bits for the group and for all other users. */
const OTHERS_MODE_BITS = 0o077;
/** The mode bit of a shared directory, such as /tmp. */
const STICKY = 0o1000;

/** The names of the files that Burgee creates in a data directory. The modes of other files are not changed. */
const OWN_NAMES =
  /^(data\.mdb|lock\.mdb|store\.json|replica\.copy|divergent-|surplus-|backup-|newest-commit|incoming|rewritten|unsent-reports|lock$)/;

/** On Windows, modes have no meaning. */
const HAS_MODES = process.platform !== 'win32';

/**
 * Creates the data directory, if it is missing, and removes the rights of all other users from it and from Burgee's files in it: an older Burgee
 * left the modes to the umask, and copied files keep their own. One log line reports the changed modes. When modes cannot be changed (a volume
 * of another user), a log line reports that instead; files that are created from then on are private anyway.
 */
export async function makeDataDirectory(directory: string, logger: Logger): Promise<void> {
  await makeDirectory(directory);
  await tightenDataDirectory(directory, logger);
}

/** Same as `makeDataDirectory`, but does not create a missing directory. */
export async function tightenDataDirectory(directory: string, logger: Logger): Promise<void> {
  if (!HAS_MODES) return;
  const names = await readdir(directory).catch(() => null);
  if (names === null) return;
  const [tightened, refused]: [string[], string[]] = [[], []];
  for (const name of ['', ...names.filter((each) => OWN_NAMES.test(each))]) {
    const outcome = await tighten(join(directory, name));
    if (outcome === 'tightened') tightened.push(name || '.');
    else if (outcome === 'refused') refused.push(name || '.');
    else if (outcome === 'shared')
      logger.warn(
        { directory },
        'DATA_DIR is a shared directory (its mode has the sticky bit): other users see the names of the files in it, not their content',
      );
  }
  if (tightened.length > 0)
    logger.warn({ directory, tightened }, 'other users could read the stored files; now they cannot');
  if (refused.length > 0) {
    logger.warn(
      { directory, refused },
      'other users may be able to read the stored files: these modes cannot be changed, most likely because the files belong to another user',
    );
  }
}

async function tighten(path: string): Promise<'private' | 'tightened' | 'refused' | 'shared'> {
  try {
    const { mode } = await stat(path);
    if ((mode & OTHERS_MODE_BITS) === 0) return 'private';
    if ((mode & STICKY) !== 0) return 'shared';
    await chmod(path, mode & ~OTHERS_MODE_BITS & 0o7777);
    // Some file systems accept every mode and store none.
    return ((await stat(path)).mode & OTHERS_MODE_BITS) === 0 ? 'tightened' : 'refused';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'private' : 'refused';
  }
}

/**
 * Creates the directory and its missing parents, with rights for the owner only. Node's option `recursive` is not used: with it, the call never
 * returns if the parent directory exists but nothing can be created in it, as in /proc.
 */
export async function makeDirectory(path: string): Promise<void> {
  const error = await tryToMake(path);
  if (!error) return;
  const parent = dirname(path);
  if (error.code !== 'ENOENT' || parent === path) throw error;
  await makeDirectory(parent);
  const errorAfterParent = await tryToMake(path);
  if (errorAfterParent) throw errorAfterParent;
}

/** Creates one directory. Returns null when the directory exists afterwards, else the error. */
async function tryToMake(path: string): Promise<NodeJS.ErrnoException | null> {
  try {
    await mkdir(path, PRIVATE_DIRECTORY_MODE);
    return null;
  } catch (error) {
    return (await isDirectory(path)) ? null : (error as NodeJS.ErrnoException);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** Opens a file to write it from its beginning. A file that exists with another mode gets the private one. */
export async function openPrivateFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'w', PRIVATE_FILE_MODE);
  try {
    if (HAS_MODES) await file.chmod(PRIVATE_FILE_MODE);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Creates an empty private file, if the file does not exist: other code (LMDB) would create it with another mode. */
export function ensurePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE_MODE));
}

/**
 * Makes the names of a directory's files durable, so that a new file exists after a crash. Some platforms and directories do not allow it: then the
 * file system decides when the names are durable. Errors of a failed or full disk are thrown.
 */
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
