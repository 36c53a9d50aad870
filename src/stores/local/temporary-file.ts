import { readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { openPrivateFile, syncDirectory } from './private-files.ts';

/** Whoever writes a file touches it more often than this. One that is older is left over, though its owner's number may be in use again. */
const WRITING_MS = 600_000;

/**
 * Where this process writes what is to take the place of the file at `path`. Processes that share a directory do not write into each other's
 * files, not even from containers, where all are number 1.
 */
export function temporaryPath(path: string): string {
  return `${path}.${hostname()}.${process.pid}.tmp`;
}

/**
 * Writes a new file that takes the place of the one at `path` in one step, when all of it is on the disk: a crash leaves the older file whole. Who
 * makes the chunks gives the event loop back in between.
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
 * Removes what processes that were killed while they wrote have left beside the file at `path`: it holds what the file would have held, and
 * nobody would ever write over it. What another process of this machine is writing stays. One of another machine cannot be told from
 * one that is dead: if it is alive, it cannot put its file in place, and writes it again.
 *
 * Nothing of this process may be under way.
 */
export async function removeLeftTemporaries(path: string): Promise<void> {
  const directory = dirname(path);
  const names = await readdir(directory).catch(() => []);
  const begin = `${basename(path)}.`;
  for (const name of names) {
    if (!name.startsWith(begin)) continue;
    const [, host, process] = /^(.+)\.(\d+)\.tmp$/.exec(name.slice(begin.length)) ?? [];
    if (host === undefined) continue;
    const left = join(directory, name);
    const isBeingWritten = host === hostname() && isAnotherAlive(Number(process)) && (await isFresh(left));
    if (!isBeingWritten) await rm(left, { force: true }).catch(() => {});
  }
}

function isAnotherAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is there, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function isFresh(path: string): Promise<boolean> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < WRITING_MS,
    () => false,
  );
}
