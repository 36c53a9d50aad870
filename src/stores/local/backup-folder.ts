import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isoTime } from '../../base/clock.ts';
import { checkBackup } from './backup-format.ts';
import { FileSpace } from './disk-space.ts';
import { FramedFileError } from './framed-file.ts';
import { makeDirectory, syncDirectory } from './private-files.ts';
import { removeLeftTemporaries, replaceFile } from './temporary-file.ts';

/** The names of the backups of a folder. They contain the time of the backup, so the order of the names is the order of the backups. */
const NAME = /burgee-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.backup/;
const WHOLE_NAME = new RegExp(`^${NAME.source}$`);

/** A backup in a folder. */
export interface StoredBackup {
  readonly path: string;
  /** When the backup was begun, in milliseconds since the epoch. */
  readonly takenMs: number;
}

/**
 * A folder with backups, each in one file that is named after its time. Files with other names are left alone. A service, `burgee backup` and
 * several replicas can use the same folder.
 */
export class BackupFolder {
  readonly directory: string;
  readonly #space: FileSpace;
  /** The newest backup that was read to its end without a fault, by this process. */
  #goodPath = '';
  #damagedPaths: ReadonlySet<string> = new Set();

  constructor(directory: string, space = new FileSpace(directory)) {
    this.directory = directory;
    this.#space = space;
  }

  /** All backups, newest first. Empty if there is no such folder. @throws if the folder cannot be read */
  async list(): Promise<readonly StoredBackup[]> {
    const names = await readdir(this.directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names
      .filter((name) => WHOLE_NAME.test(name))
      .sort()
      .reverse()
      .map((name) => ({ path: join(this.directory, name), takenMs: timeOf(name) }))
      .filter(({ takenMs }) => !Number.isNaN(takenMs));
  }

  /**
   * The newest backup that is not later than `nowMs` and is read to its end without a fault; null if there is none. Each backup is read only once.
   * `onDamaged` is called once for each backup that is not as it was written.
   */
  async newestGood(nowMs: number, onDamaged: (message: string) => void): Promise<StoredBackup | null> {
    const backups = await this.list();
    this.#damagedPaths = new Set(backups.flatMap(({ path }) => (this.#damagedPaths.has(path) ? path : [])));
    for (const backup of backups) {
      const { path, takenMs } = backup;
      if (takenMs > nowMs || this.#damagedPaths.has(path)) continue;
      if (path === this.#goodPath) return backup;
      try {
        await checkBackup(path);
        this.#goodPath = path;
        return backup;
      } catch (error) {
        // Another process may have removed the file, because there were enough newer ones.
        if (!(error instanceof FramedFileError) || !(await exists(path))) continue;
        this.#damagedPaths = new Set([...this.#damagedPaths, path]);
        onDamaged(error.message);
      }
    }
    return null;
  }

  /**
   * Writes a backup, reads it back, and gives it its name. Asks for the space before the first byte, but after the file was created: other processes
   * see from then on that a backup is being written. Resolves with the path.
   * @param measure resolves with the expected size in bytes; 0 if it is not known
   * @throws NoSpaceError, FramedFileError, errors of the file system. Then there is no new file.
   */
  async add(takenMs: number, measure: () => Promise<number>, chunks: AsyncIterable<Uint8Array>): Promise<string> {
    await makeDirectory(this.directory);
    const path = join(this.directory, nameOf(takenMs));
    await replaceFile(path, this.#withSpace(measure, chunks), checkBackup);
    this.#goodPath = path;
    return path;
  }

  async *#withSpace(measure: () => Promise<number>, chunks: AsyncIterable<Uint8Array>) {
    this.#space.require(await measure());
    yield* this.#space.checked(chunks);
  }

  /**
   * Removes all backups except the newest `count` ones. Resolves with the number of removed files. Backups that are later than `nowMs` are not counted
   * and stay: a clock was wrong, and the one that was just written must not be removed because of them.
   */
  async keepNewest(count: number, nowMs: number): Promise<number> {
    const old = (await this.list()).filter(({ takenMs }) => takenMs <= nowMs).slice(count);
    for (const { path } of old) await rm(path, { force: true });
    if (old.length > 0) await syncDirectory(this.directory);
    return old.length;
  }

  /** Removes files that killed processes left half-written. Resolves with whether another process is writing a backup now. */
  async removeLeft(): Promise<boolean> {
    return (await removeLeftTemporaries(this.directory, NAME, { keepsFreshOfOthers: true })) > 0;
  }
}

function nameOf(takenMs: number): string {
  return `burgee-${isoTime(takenMs).replaceAll(':', '-')}.backup`;
}

function timeOf(name: string): number {
  return Date.parse(name.replace(/^burgee-(.{13})-(\d\d)-(.+)\.backup$/, '$1:$2:$3'));
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
