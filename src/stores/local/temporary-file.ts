import { readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { openPrivateFile, syncDirectory } from './private-files.ts';

/**
 * A process that is writing a file changes it more often than this. An older file was left by a process that ended, even if its process id is in use
 * again.
 */
const WRITING_MS = 600_000;

/**
 * The path at which this process writes the file that will replace the one at `path`. Processes that share a directory use different paths, even in
 * containers, where every process may have the id 1.
 */
export function temporaryPath(path: string): string {
  return `${path}.${hostname()}.${process.pid}.tmp`;
}

/**
 * Writes a new file that replaces the one at `path` in one step, after all of it is on the disk: a crash leaves the older file intact. The producer
 * of the chunks yields to the event loop between them.
 */
export async function replaceFile(path: string, chunks: AsyncIterable<Uint8Array | string>): Promise<void> {
  const temporary = temporaryPath(path);
  try {
    const file = await openPrivateFile(temporary);
    try {
      for await (const chunk of chunks) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Removes temporary files beside `path` that processes left when they were killed while writing. These files contain the same data as the file
 * itself, and they would never be overwritten. A file that another process of this machine is writing stays. A process of another machine cannot be
 * distinguished from a dead one: if it is alive, its rename fails, and it writes the file again.
 *
 * This process must not be writing the file at the same time.
 */
export async function removeLeftTemporaries(path: string): Promise<void> {
  const directory = dirname(path);
  const names = await readdir(directory).catch(() => []);
  const begin = `${basename(path)}.`;
  for (const name of names) {
    if (!name.startsWith(begin)) continue;
    const [, host, process] = /^(.+)\.(\d+)\.tmp$/.exec(name.slice(begin.length)) ?? [];
    if (host === undefined) continue;
    const leftPath = join(directory, name);
    const isBeingWritten = host === hostname() && isAnotherAlive(Number(process)) && (await isFresh(leftPath));
    if (!isBeingWritten) await rm(leftPath, { force: true }).catch(() => {});
  }
}

function isAnotherAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function isFresh(path: string): Promise<boolean> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < WRITING_MS,
    () => false,
  );
}
