import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { State } from '../state/state.ts';
import { epochAt, type LogPosition, ROOT } from '../stores/lineage.ts';
import { type Frame, KIND, readFrames, writeFramedFile } from '../stores/local/framed-file.ts';
import { tightenDataDirectory } from '../stores/local/private-files.ts';
import { removeLeftTemporaries } from '../stores/local/temporary-file.ts';
import type { SharedStore } from '../stores/shared-store.ts';
import { historyMark, type Replica } from './replica.ts';
import { StateFrames, stateOfFrames } from './state-frames.ts';

const FILE_NAME = 'replica.copy';

/** The state as it was at `position`, from the local disk. */
export interface LocalCopy {
  readonly state: State;
  readonly position: LogPosition;
  /** RFC 3339. */
  readonly savedAt: string;
  /** See `Replica`: what the log would say, if it were read from an earlier position. */
  readonly secretDroppedSeq: number;
}

interface CopyEnd {
  readonly position: LogPosition;
  readonly savedAt: string;
  /** Older versions neither write nor read it. */
  readonly secretDroppedSeq?: number;
}

/** Where the copy of a replica is kept. */
export function localCopyPath(directory: string): string {
  return join(directory, FILE_NAME);
}

/** Null when there is none, or none that can be used: that is logged, and the file left where it is. */
export async function loadLocalCopy(directory: string, logger: Logger): Promise<LocalCopy | null> {
  await removeLeftTemporaries(localCopyPath(directory));
  await tightenDataDirectory(directory, logger);
  try {
    const frames = await readCopy(localCopyPath(directory));
    return frames && (await decodeCopy(frames));
  } catch (error) {
    logger.error({ err: error }, 'the local copy of the state cannot be used');
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
  const { position: stored, savedAt, secretDroppedSeq = 0 } = end;
  // Old formats contain no ancestors, and not always the write: such a copy cannot be compared with anything.
  const position = stored.seq === 0 ? ROOT : { ...stored, ancestors: stored.ancestors ?? [] };
  if (position.seq > 0 && position.writeId === '')
    throw new Error('the local copy does not say with which write it ends');
  const state = await stateOfFrames(
    () => inTurn(frames),
    (seq) => historyMark(epochAt(position, seq)),
  );
  if (position.seq !== state.seq)
    throw new Error(`the local copy contains revision ${state.seq}, but its position is ${position.seq}`);
  return { state, position, savedAt, secretDroppedSeq };
}

async function* inTurn(frames: readonly Frame[]): AsyncGenerator<Frame, void, void> {
  yield* frames;
}

interface LocalCopyOptions {
  readonly directory: string;
  /** How often a state that changed is saved. */
  readonly everyMs: number;
  /** Position of the existing copy. */
  readonly loaded?: LogPosition | undefined;
}

/**
 * Keeps a copy of the state on the local disk, so that a replica can start while the store is away. A slow disk delays the copy and
 * nothing else.
 */
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
  #saved = '';
  /** Of what the file is, as far as is known. */
  #onDisk: string;

  constructor(replica: Replica, store: SharedStore, clock: Clock, logger: Logger, options: LocalCopyOptions) {
    this.#replica = replica;
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#options = options;
    this.#frames = new StateFrames(replica);
    this.#onDisk = options.loaded ? locationOf(options.loaded) : '';
  }

  /** The state is the store's: saves it now, and whenever it has changed from then on. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Saves the state unless it is already saved. Joins a running save. Never rejects. */
  save(): Promise<void> {
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  /**
   * Puts a copy of the state, which is of a history that is not the store's, under a name that contains the time: the file itself, if it is of this state.
   * Null when it cannot be written; the file is out of the way then, too. Never rejects.
   */
  async setAside(): Promise<string | null> {
    await this.#saving;
    const path = localCopyPath(this.#options.directory);
    const aside = `${path}.${isoTime(this.#clock.nowMs()).replaceAll(':', '-')}`;
    const isThere = this.#onDisk === locationOf(this.#store.position);
    this.#saved = '';
    this.#onDisk = '';
    const isMoved = await rename(path, aside).then(
      () => true,
      () => false,
    );
    if (isThere && isMoved) return aside;
    try {
      await this.#write(aside);
      return aside;
    } catch (error) {
      this.#logger.error({ err: error }, 'the state could not be saved before it is discarded');
      return null;
    }
  }

  /** Saves what has changed a last time, if it was ever started. */
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
    if (isForeign || this.#saved === content) return;
    try {
      const path = localCopyPath(this.#options.directory);
      const { position } = await this.#write(path);
      // With commits behind its pieces the copy holds what they took away as well, secrets of tokens among it: it is saved once more.
      this.#saved = position.seq === seq && position.epoch === epoch ? content : '';
    } catch (error) {
      this.#logger.warn({ err: error }, 'the local copy of the state could not be saved');
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
      });
      yield { kind: KIND.end, bytes: Buffer.from(JSON.stringify(end)) };
    }.bind(this);
    await writeFramedFile(path, frames());
    return end as unknown as CopyEnd;
  }
}
