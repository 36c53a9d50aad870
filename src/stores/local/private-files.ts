import { closeSync, openSync } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '../../base/logger.ts';

/** What Burgee stores holds API tokens: it is for the user it runs as, and nobody else, whatever the umask says. */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_DIRECTORY_MODE = 0o700;

const OTHERS = 0o077;
/** A directory that says it is shared, as /tmp does. */
const STICKY = 0o1000;

/** What Burgee makes in a data directory. Whatever else is there is not ours to change. */
const OWN_NAMES =
  /^(data\.mdb|lock\.mdb|store\.json|replica\.copy|surplus-|backup-|newest-commit|incoming|rewritten|unsent-reports|lock$)/;

/** Modes mean nothing there. */
const HAS_MODES = process.platform !== 'win32';

/**
 * Makes the data directory, if it is missing, and takes everybody else's rights from it and from what Burgee keeps in it: an older Burgee
 * left them to the umask, and copied files bring their own. Told in one line when there was something to take. Where it cannot be done (a
 * volume that belongs to somebody else), that is told instead, and the files that are made from then on are private all the same.
 */
export async function makeDataDirectory(directory: string, logger: Logger): Promise<void> {
  await makeDirectory(directory);
  await tightenDataDirectory(directory, logger);
}

/** As `makeDataDirectory`, for one that may be missing. */
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
        'DATA_DIR is a shared directory (its mode has the sticky bit): other users see the names of the files in it, not what they hold',
      );
  }
  if (tightened.length > 0)
    logger.warn({ directory, tightened }, 'others could read what is stored; they cannot any more');
  if (refused.length > 0) {
    logger.warn(
      { directory, refused },
      'others may be able to read what is stored: these modes cannot be changed, most likely because the files belong to another user',
    );
  }
}

async function tighten(path: string): Promise<'private' | 'tightened' | 'refused' | 'shared'> {
  try {
    const { mode } = await stat(path);
    if ((mode & OTHERS) === 0) return 'private';
    if ((mode & STICKY) !== 0) return 'shared';
    await chmod(path, mode & ~OTHERS & 0o7777);
    // Some file systems take every mode and keep none.
    return ((await stat(path)).mode & OTHERS) === 0 ? 'tightened' : 'refused';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'private' : 'refused';
  }
}

/**
 * Makes the directory and those above it that are missing, each for its owner only. Node's own way never ends where a directory exists but
 * nothing can be made in it, as in /proc.
 */
export async function makeDirectory(path: string): Promise<void> {
  const error = await tryToMake(path);
  if (!error) return;
  const parent = dirname(path);
  if (error.code !== 'ENOENT' || parent === path) throw error;
  await makeDirectory(parent);
  const stillMissing = await tryToMake(path);
  if (stillMissing) throw stillMissing;
}

/** Null when it is there afterwards. */
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
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Opens a file to be written from its beginning. One that was left there with another mode loses that as well. */
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

/** Makes an empty file where there is none, for code that would choose a mode of its own. */
export function ensurePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE_MODE));
}

/**
 * Makes the names of a directory's files durable, so that one that was put there is there after a crash. Not every platform and directory allows it;
 * then its file system decides. A disk that fails, or is full, is no such thing.
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
