import { randomUUID } from 'node:crypto';
import { constants, type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asker } from '../../../base/asking/asker.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { Rejection, RejectionError, unavailable } from '../../../base/rejection.ts';
import { FileSpace } from '../../../stores/local/disk-space.ts';
import { makeDirectory, PRIVATE_FILE_MODE } from '../../../stores/local/private-files.ts';
import type { BackupContent } from './backup-content.ts';
import { failureOf } from './backup-failure.ts';

/** Number of bytes of a backup that are read from its file at a time. */
const CHUNK_BYTES = 64 * 1024;
const RETRY_AFTER_S = 10;
/** How often a backup that is being sent checks whether writes need its space. */
const SPACE_CHECK_MS = 1_000;

/** Linux' O_TMPFILE, which Node.js does not name. It contains O_DIRECTORY. */
const TEMPORARY = 0o20000000 | constants.O_DIRECTORY;
/** The names of the files. Such a file has its name only for a moment, so one that is found was left by a process that was killed. */
const FILE_NAME = /^backup-[0-9a-f-]{36}\.tmp$/;

/** The rejection if the client has disconnected. */
const CLIENT_DISCONNECTED = unavailable('The client disconnected before the backup was complete.', RETRY_AFTER_S);

/** The rejection if the file was closed while the client received it. */
const GAVE_WAY = unavailable('The backup was ended, because writes need its disk space.', RETRY_AFTER_S);

const ANOTHER_IS_RUNNING = new Rejection(
  'TooManyRequestsError',
  'Another backup is running. Only one backup can run at a time: try again later.',
  [],
  RETRY_AFTER_S,
);

interface BackupsParts {
  readonly content: BackupContent;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The directory in which the file of a backup is written. */
  readonly directory: string;
  /** The space on its disk; replaced by tests. */
  readonly space?: FileSpace;
}

interface Backup {
  /** The revision of the state in the backup. */
  readonly seq: number;
  /** The bytes of the file. They are read when the client requests them, until the signal is aborted. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Backups that clients download. A backup is first written to the disk, so that a slow client does not keep an old state in memory. The file is
 * unlinked before it is written, so that it never stays on the disk after a crash. Only one backup runs at a time. It asks for its space before it is
 * written. While it is sent, it ends if writes need the space: otherwise a slow reader would stop all writes.
 */
export class Backups {
  readonly #parts: BackupsParts;
  readonly #space: FileSpace;
  #isRunning = false;

  constructor(parts: BackupsParts) {
    this.#parts = parts;
    this.#space = parts.space ?? new FileSpace(parts.directory);
  }

  /**
   * Takes a backup. Only after the signal is aborted, another backup can start.
   * @param signal Aborted when the client has disconnected, or when it has received the whole backup.
   * @param asker Who waits for the backup.
   */
  async take(signal: AbortSignal, asker: Asker): Promise<Backup | Rejection> {
    if (this.#isRunning) return ANOTHER_IS_RUNNING;
    this.#isRunning = true;
    let file: BackupFile | undefined;
    let isReleased = false;
    const release = async () => {
      if (isReleased) return;
      isReleased = true;
      this.#isRunning = false;
      await file?.close();
    };
    try {
      await this.removeLeft();
      file = await BackupFile.create(this.#parts.directory);
      const seq = await this.#write(file, signal, asker);
      signal.throwIfAborted();
      // Releases the file even if the client never begins to read.
      signal.addEventListener('abort', () => void release(), { once: true });
      void this.#giveWay(release, signal);
      return { seq, bytes: file.chunks(signal) };
    } catch (error) {
      await release();
      return signal.aborted || asker.ended ? CLIENT_DISCONNECTED : this.#rejectionOf(error);
    }
  }

  /** Removes the files of processes that were killed while they created one. */
  async removeLeft(): Promise<void> {
    const { directory } = this.#parts;
    const names = await readdir(directory).catch(() => []);
    for (const name of names)
      if (FILE_NAME.test(name)) await rm(join(directory, name), { force: true }).catch(() => {});
  }

  async #write(file: BackupFile, signal: AbortSignal, asker: Asker): Promise<number> {
    const { content } = this.#parts;
    let seq = 0;
    this.#space.require(await content.measure(signal, asker));
    const chunks = content.chunks(
      signal,
      (each) => {
        seq = each;
      },
      asker,
    );
    for await (const bytes of this.#space.checked(chunks)) await file.write(bytes);
    return seq;
  }

  /** Closes the file when writes need its space. Then the connection breaks, so that nobody takes what was sent for the whole backup. */
  async #giveWay(release: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#parts;
    while (!signal.aborted && !this.#space.isShort) await clock.sleep(SPACE_CHECK_MS, signal);
    if (signal.aborted) return;
    logger.warn('a backup that was being downloaded was ended, because writes need its disk space');
    await release();
  }

  #rejectionOf(error: unknown): Rejection {
    const reason = failureOf(error);
    if (reason === undefined) throw error;
    this.#parts.logger.warn({ reason }, 'a backup for a download was refused');
    return unavailable(`The backup was not taken: ${reason}.`, RETRY_AFTER_S);
  }
}

/** A new file that never has a name, so that a killed process leaves none; undefined if the file system cannot do this. */
async function openNameless(directory: string): Promise<FileHandle | undefined> {
  if (process.platform !== 'linux') return undefined;
  return open(directory, TEMPORARY | constants.O_RDWR, PRIVATE_FILE_MODE).catch(() => undefined);
}

/** A new file that loses its name at once. A process that is killed before leaves it empty, and the next start removes it. */
async function openUnlinked(directory: string): Promise<FileHandle> {
  const path = join(directory, `backup-${randomUUID()}.tmp`);
  const file = await open(path, 'wx+', PRIVATE_FILE_MODE);
  await rm(path, { force: true }).catch(() => {});
  return file;
}

/** A file without a name: it is deleted when its descriptor is closed. On systems that cannot unlink open files, it keeps its name. */
class BackupFile {
  readonly #file: FileHandle;
  #isClosed = false;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(directory: string): Promise<BackupFile> {
    await makeDirectory(directory);
    return new BackupFile((await openNameless(directory)) ?? (await openUnlinked(directory)));
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#file.writeFile(bytes);
  }

  /** @throws RejectionError if the file was closed before it was read to its end */
  async *chunks(signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    for (let position = 0; !signal.aborted; ) {
      if (this.#isClosed) throw new RejectionError(GAVE_WAY);
      const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#file.close();
  }
}
