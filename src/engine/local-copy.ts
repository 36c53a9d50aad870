import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE } from '../base/asking/asker.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { State } from '../state/state.ts';
import { epochAt, type LogPosition } from '../stores/lineage.ts';
import { type Frame, KIND, readFrames, writeFramedFile } from '../stores/local/framed-file.ts';
import { tightenDataDirectory } from '../stores/local/private-files.ts';
import { exactly, removeLeftTemporaries } from '../stores/local/temporary-file.ts';
import type { SharedStore } from '../stores/shared-store.ts';
import { historyMark, type Replica } from './replica.ts';
import { StateFrames, stateOfFrames } from './state-frames.ts';

const FILE_NAME = 'replica.copy';

/** The state at `position`, read from the local disk. */
export interface LocalCopy {
  readonly state: State;
  readonly position: LogPosition;
  /** When the copy was saved, as an RFC 3339 time. */
  readonly savedAt: string;
  /** See `Replica.secretDroppedSeq`. The copy contains it, because a start from the copy does not read the log entries that would show it. */
  readonly secretDroppedSeq: number;
}

interface CopyEnd {
  readonly position: LogPosition;
  readonly savedAt: string;
  readonly secretDroppedSeq: number;
}

/** The path of a replica's local copy. */
export function localCopyPath(directory: string): string {
  return join(directory, FILE_NAME);
}

/** Returns null when the copy does not exist or cannot be used. A copy that cannot be used is logged and stays on the disk. */
export async function loadLocalCopy(directory: string, logger: Logger): Promise<LocalCopy | null> {
  await removeLeftTemporaries(directory, exactly(FILE_NAME));
  await tightenDataDirectory(directory, logger);
  try {
    const frames = await readCopy(localCopyPath(directory));
    return frames && (await decodeCopy(frames));
  } catch (error) {
    logger.error({ err: error }, 'the local copy of the state cannot be used: the state is loaded from Redis');
    return null;
  }
}

function locationOf({ epoch, seq, writeId }: LogPosition): string {
  return `${epoch} ${seq} ${writeId}`;
}

async function readCopy(path: string): Promise<readonly Frame[] | null> {
  try {
    const frames: Frame[] = [];
    for await (const frame of readFrames(path)) frames.push(frame);
    return frames;
  } catch (error) {
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    if (cause?.code === 'ENOENT') return null;
    throw error;
  }
}

async function decodeCopy(frames: readonly Frame[]): Promise<LocalCopy> {
  const end = JSON.parse(Buffer.from(frames.at(-1)?.bytes ?? []).toString()) as CopyEnd;
  const { position, savedAt, secretDroppedSeq } = end;
  const state = await stateOfFrames(
    () => asAsyncIterable(frames),
    (seq) => historyMark(epochAt(position, seq)),
  );
  if (position.seq !== state.seq)
    throw new Error(
      `the local copy is damaged: it contains revision ${state.seq}, but says that it is at revision ${position.seq}`,
    );
  return { state, position, savedAt, secretDroppedSeq };
}

async function* asAsyncIterable(frames: readonly Frame[]): AsyncGenerator<Frame, void, void> {
  yield* frames;
}

interface LocalCopyOptions {
  readonly directory: string;
  /** How often the state is saved if it has changed, in milliseconds. */
  readonly everyMs: number;
  /** The position of the copy that is already on the disk; undefined when no copy was loaded. */
  readonly loadedPosition?: LogPosition | undefined;
}

/** Keeps a copy of the state on the local disk, so that a replica can start while the store cannot be reached. A slow disk delays only the copy. */
export class LocalCopyKeeper {
  readonly #replica: Replica;
  readonly #frames: StateFrames;
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #options: LocalCopyOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #saving: Promise<void> | undefined;
  /** Identifies the content of the newest copy that needs no further save; "" if there is none. */
  #savedContent = '';
  /** The location (epoch, sequence number and write id) of the state in the file; "" if it is not known. */
  #fileLocation: string;

  constructor(replica: Replica, store: SharedStore, clock: Clock, logger: Logger, options: LocalCopyOptions) {
    this.#replica = replica;
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#options = options;
    this.#frames = new StateFrames(replica);
    this.#fileLocation = options.loadedPosition ? locationOf(options.loadedPosition) : '';
  }

  /** Called when the state has reached the tip of the store. Saves the state now, and from then on whenever it has changed. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Saves the state unless it is already saved. If a save is running, resolves with it. Never rejects. */
  save(): Promise<void> {
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  /**
   * Saves the state, whose history is not the store's, under a name that contains the time. Resolves with the path, or null when the state cannot be
   * saved. First renames the existing copy to this name, so that no later start loads it. If the existing copy is of this state, nothing more is
   * written. Never rejects.
   */
  async setAside(): Promise<string | null> {
    await this.#saving;
    const path = localCopyPath(this.#options.directory);
    const aside = `${path}.${isoTime(this.#clock.nowMs()).replaceAll(':', '-')}`;
    const isCopyOfState = this.#fileLocation === locationOf(this.#store.position);
    this.#savedContent = '';
    this.#fileLocation = '';
    const isRenamed = await rename(path, aside).then(
      () => true,
      () => false,
    );
    if (isCopyOfState && isRenamed) return aside;
    try {
      await this.#write(aside);
      return aside;
    } catch (error) {
      this.#logger.error({ err: error }, 'the state could not be saved before it is discarded');
      return null;
    }
  }

  /** Saves the state for the last time if it has changed. Saves nothing if `start` was never called. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (!this.#running) return;
    await this.#running;
    await this.save();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.save();
      await this.#clock.sleep(this.#options.everyMs, signal);
    }
  }

  async #save(): Promise<void> {
    const { state, isForeign, secretDroppedSeq } = this.#replica;
    const { epoch } = this.#store.position;
    const { seq } = state;
    const content = `${epoch} ${seq} ${secretDroppedSeq}`;
    if (isForeign || this.#savedContent === content) return;
    try {
      const path = localCopyPath(this.#options.directory);
      const { position } = await this.#write(path);
      // The copy consists of the pieces of a snapshot, and of the commits that were applied while the pieces were written. The pieces may contain
      // entities that these commits removed, for example secrets of tokens. So if there are such commits, the copy is saved once more.
      this.#savedContent = position.seq === seq && position.epoch === epoch ? content : '';
    } catch (error) {
      this.#logger.warn(
        { err: error },
        'the local copy of the state could not be saved: it is tried again at the next interval',
      );
    }
  }

  async #write(path: string): Promise<CopyEnd> {
    let end: CopyEnd | undefined;
    const frames = async function* (this: LocalCopyKeeper): AsyncGenerator<Frame, void, void> {
      yield* this.#frames.take(({ seq }) => {
        const { position } = this.#store;
        if (position.seq !== seq) throw new Error('another history was adopted while the state was being saved');
        const { secretDroppedSeq } = this.#replica;
        end = { position, savedAt: isoTime(this.#clock.nowMs()), secretDroppedSeq };
      }, SERVICE);
      yield { kind: KIND.end, bytes: Buffer.from(JSON.stringify(end)) };
    }.bind(this);
    await writeFramedFile(path, frames());
    return end as unknown as CopyEnd;
  }
}
