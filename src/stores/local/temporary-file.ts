import { type FileHandle, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
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

/** A new file under a temporary name. It gets its own name in one step, after all of it is on the disk: a crash leaves no half of a file. */
export class TemporaryFile {
  readonly #target: string;
  /** The name while the file is written. */
  readonly path: string;
  readonly #file: FileHandle;
  #isClosed = false;

  private constructor(target: string, path: string, file: FileHandle) {
    this.#target = target;
    this.path = path;
    this.#file = file;
  }

  static async create(target: string): Promise<TemporaryFile> {
    const path = temporaryPath(target);
    return new TemporaryFile(target, path, await openPrivateFile(path));
  }

  write(chunk: Uint8Array | string): Promise<void> {
    return this.#file.writeFile(chunk);
  }

  /** Writes everything to the disk. Nothing can be added afterwards. */
  async finish(): Promise<void> {
    await this.#file.sync();
    await this.#close();
  }

  /** Gives a finished file its own name. It replaces a file that has this name. */
  async publish(): Promise<void> {
    await rename(this.path, this.#target);
    await syncDirectory(dirname(this.#target));
  }

  /** Removes the file, unless it was published. */
  async discard(): Promise<void> {
    await this.#close();
    await rm(this.path, { force: true });
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#file.close();
  }
}

/**
 * Writes a new file that replaces the one at `path` in one step, after all of it is on the disk: a crash leaves the older file intact. The producer
 * of the chunks yields to the event loop between them. `check` reads the file back before it gets its name; if it throws, the older file stays.
 */
export async function replaceFile(
  path: string,
  chunks: AsyncIterable<Uint8Array | string>,
  check: (temporaryPath: string) => Promise<unknown> = async () => {},
): Promise<void> {
  const file = await TemporaryFile.create(path);
  try {
    for await (const chunk of chunks) await file.write(chunk);
    await file.finish();
    await check(file.path);
    await file.publish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

interface RemoveOptions {
  /** Whether a fresh file of another machine stays: then it is removed when it is not fresh any more. */
  readonly keepsFreshOfOthers?: boolean;
}

/**
 * Removes temporary files in `directory` that processes left when they were killed while writing. `target` matches the names of the files that were
 * to be written. A file that another process of this machine is writing stays. A process of another machine cannot be distinguished from a dead one:
 * if it is alive, its rename fails, and it writes the file again. Returns the number of files that stay because they are being written.
 *
 * This process must not be writing such a file at the same time.
 */
export async function removeLeftTemporaries(
  directory: string,
  target: RegExp,
  { keepsFreshOfOthers = false }: RemoveOptions = {},
): Promise<number> {
  const temporary = new RegExp(`^(?:${target.source})\\.(?<host>.+)\\.(?<pid>\\d+)\\.tmp$`);
  const names = await readdir(directory).catch(() => []);
  let stayingCount = 0;
  for (const name of names) {
    const { host, pid } = temporary.exec(name)?.groups ?? {};
    if (host === undefined) continue;
    const path = join(directory, name);
    const mayBeAlive = host === hostname() ? isAnotherAlive(Number(pid)) : keepsFreshOfOthers;
    if (mayBeAlive && (await isFresh(path))) stayingCount += 1;
    else await rm(path, { force: true }).catch(() => {});
  }
  return stayingCount;
}

/** Matches exactly this name, for `removeLeftTemporaries`. */
export function exactly(name: string): RegExp {
  return new RegExp(name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
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
