import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assert } from '../../../base/assert.ts';
import { Rejection, unavailable } from '../../../base/rejection.ts';
import type { Replica } from '../../../engine/replica.ts';
import { StateFrames } from '../../../engine/state-frames.ts';
import { BackupTally } from '../../../stores/local/backup-format.ts';
import { type Frame, framedChunks } from '../../../stores/local/framed-file.ts';
import { makeDirectory, PRIVATE_FILE_MODE } from '../../../stores/local/private-files.ts';
import { inBatches, type StagedHistory } from '../../../stores/staging.ts';
import { type EventEntry, type Store, StoreError } from '../../../stores/store.ts';

/** Number of bytes of a backup that are read from its file at a time. */
const CHUNK_BYTES = 64 * 1024;
const RETRY_AFTER_S = 10;

/** The rejection if the client has disconnected. */
const CLIENT_DISCONNECTED = unavailable('The client disconnected before the backup was complete.', RETRY_AFTER_S);

const ANOTHER_IS_RUNNING = new Rejection(
  'TooManyRequestsError',
  'Another backup is running. Only one backup can run at a time: try again later.',
  [],
  RETRY_AFTER_S,
);

interface BackupsOptions {
  /** The directory in which the file of a backup is written. */
  readonly directory: string;
}

interface Backup {
  /** The revision of the state in the backup. */
  readonly seq: number;
  /** The bytes of the file. They are read when the client requests them, until the signal is aborted. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Backups of a running service: the state of one moment and all audit events up to that moment, in the format of `burgee store backup`. A backup is
 * first written to the disk, so that a slow client does not keep an old state in memory. The file is unlinked before it is written, so that it never
 * stays on the disk after a crash. Only one backup runs at a time.
 */
export class Backups {
  readonly #replica: Replica;
  readonly #store: Store;
  readonly #frames: StateFrames;
  readonly #options: BackupsOptions;
  #isRunning = false;

  constructor(replica: Replica, store: Store, options: BackupsOptions) {
    this.#replica = replica;
    this.#store = store;
    this.#frames = new StateFrames(replica);
    this.#options = options;
  }

  /**
   * Takes a backup. Only after the signal is aborted, another backup can start.
   * @param signal Aborted when the client has disconnected, or when it has received the whole backup.
   */
  async take(signal: AbortSignal): Promise<Backup | Rejection> {
    if (this.#isRunning) return ANOTHER_IS_RUNNING;
    this.#isRunning = true;
    let release = async () => {
      this.#isRunning = false;
    };
    try {
      const file = await openUnnamed(this.#options.directory);
      release = async () => {
        release = async () => {};
        this.#isRunning = false;
        await file.close();
      };
      const history = await this.#write(file, signal);
      signal.throwIfAborted();
      // Releases the file even if the client never begins to read.
      signal.addEventListener('abort', () => void release(), { once: true });
      return { seq: history.seq, bytes: chunksOf(file, signal) };
    } catch (error) {
      await release();
      if (signal.aborted) return CLIENT_DISCONNECTED;
      if (error instanceof StoreError)
        return unavailable(`The store cannot be read now: ${error.message}`, RETRY_AFTER_S);
      throw error;
    }
  }

  async #write(file: FileHandle, signal: AbortSignal): Promise<StagedHistory> {
    let history: StagedHistory | undefined;
    const tally = new BackupTally();
    const frames = async function* (this: Backups): AsyncGenerator<Frame, void, void> {
      let mark = '';
      const state = this.#frames.take(({ seq, lastEventId }) => {
        history = { seq, lastEventId, ancestor: this.#store.lineAt(seq) };
        mark = this.#replica.mark;
      });
      for await (const frame of state) yield tally.count(frame);
      assert(history, 'the frames of the state ended without a position');
      const { lastEventId } = history;
      const read = async (from: number, limit: number): Promise<EventEntry[]> => {
        const events = await this.#store.readEventsForward(from, limit);
        return events.filter(({ id }) => id <= lastEventId);
      };
      for await (const events of inBatches(read)) yield tally.eventsFrame(events);
      yield tally.endFrame(history, mark);
    }.bind(this);
    for await (const bytes of framedChunks(frames())) {
      signal.throwIfAborted();
      await file.writeFile(bytes);
    }
    return history as unknown as StagedHistory;
  }
}

async function* chunksOf(file: FileHandle, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  for (let position = 0; !signal.aborted; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Opens a file without a name: it is deleted when its descriptor is closed. On systems that cannot unlink open files, it keeps its name. */
async function openUnnamed(directory: string): Promise<FileHandle> {
  await makeDirectory(directory);
  const path = join(directory, `backup-${randomUUID()}.tmp`);
  const file = await open(path, 'wx+', PRIVATE_FILE_MODE);
  await rm(path, { force: true }).catch(() => {});
  return file;
}
