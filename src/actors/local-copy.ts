import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { inSlices } from '../base/yield-control.ts';
import { type Commit, decodeInSteps, encodeInSteps } from '../state/commit.ts';
import { decodeSnapshot, encodeSnapshot } from '../state/snapshot.ts';
import type { State } from '../state/state.ts';
import { type Frame, readFramedFile, writeFramedFile } from '../stores/local/framed-file.ts';
import { tightenDataDirectory } from '../stores/local/private-files.ts';
import type { LogPosition, SharedStore } from '../stores/shared-store.ts';
import { historyMark, type Replica } from './replica.ts';

const FILE_NAME = 'replica.copy';
/** Names the format. Raise the number when an older Burgee could misread the frames. */
const SIGNATURE = 'burgee local copy, format 1';

const PIECE = 1;
const COMMIT = 2;
const END = 3;

/** The state as it was at `position`, from the local disk. */
export interface LocalCopy {
  readonly state: State;
  readonly position: LogPosition;
  /** RFC 3339. */
  readonly savedAt: string;
}

interface CopyEnd {
  readonly position: LogPosition;
  readonly savedAt: string;
}

/** Where the copy of a replica is kept. */
export function localCopyPath(directory: string): string {
  return join(directory, FILE_NAME);
}

/** Null when there is none, or none that can be used: that is logged, and the file left where it is. */
export async function loadLocalCopy(directory: string, logger: Logger): Promise<LocalCopy | null> {
  await tightenDataDirectory(directory, logger);
  try {
    const frames = await readFramedFile(localCopyPath(directory), SIGNATURE);
    return frames && (await decodeCopy(frames));
  } catch (error) {
    logger.error({ err: error }, 'the local copy of the state cannot be used');
    return null;
  }
}

async function decodeCopy(frames: readonly Frame[]): Promise<LocalCopy> {
  const last = frames.at(-1);
  if (last?.kind !== END) throw new Error('the local copy has no end');
  const { position, savedAt } = JSON.parse(Buffer.from(last.bytes).toString()) as CopyEnd;
  const state = await decodeSnapshot(piecesOf(frames));
  for (const { kind, bytes } of frames) {
    if (kind === COMMIT) state.apply(await inSlices(decodeInSteps(bytes)), historyMark(position.epoch));
  }
  if (position.seq !== state.seq) throw new Error(`the local copy holds ${state.seq}, but says ${position.seq}`);
  return { state, position, savedAt };
}

async function* piecesOf(frames: readonly Frame[]): AsyncGenerator<Uint8Array, void, void> {
  for (const { kind, bytes } of frames) if (kind === PIECE) yield bytes;
}

export interface LocalCopyOptions {
  readonly directory: string;
  /** How often a state that changed is saved. */
  readonly everyMs: number;
}

/**
 * Keeps a copy of the state on the local disk, so that a replica can start while the store is away. A slow disk delays the copy and
 * nothing else.
 */
export class LocalCopyKeeper {
  readonly #replica: Replica;
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #options: LocalCopyOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #saving: Promise<void> | undefined;
  #saved = '';
  /** Commits that are applied while pieces are being written: with them the copy is of one moment. */
  #tail: Commit[] | null = null;

  constructor(replica: Replica, store: SharedStore, clock: Clock, logger: Logger, options: LocalCopyOptions) {
    this.#replica = replica;
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#options = options;
    replica.onApplied(({ commit }) => this.#tail?.push(commit));
  }

  /** The state is the store's: saves it now, and whenever it has changed from then on. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Saves the state unless that is done already. Joins the saving that is under way. Never rejects. */
  save(): Promise<void> {
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  /** Puts the file aside, under a name that tells when: it is of a history that is not the store's. */
  async setAside(): Promise<string> {
    const path = localCopyPath(this.#options.directory);
    const aside = `${path}.${isoTime(this.#clock.nowMs()).replaceAll(':', '-')}`;
    await rename(path, aside).catch(() => {});
    return aside;
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
    const { state } = this.#replica;
    const epoch = this.#store.position?.epoch;
    if (epoch === undefined || this.#replica.isForeign || this.#saved === `${epoch} ${state.seq}`) return;
    try {
      const path = localCopyPath(this.#options.directory);
      const { position } = await this.#write(path, state, epoch);
      this.#saved = `${position.epoch} ${position.seq}`;
    } catch (error) {
      this.#logger.warn({ err: error }, 'the local copy of the state could not be saved');
    } finally {
      this.#tail = null;
    }
  }

  async #write(path: string, state: State, epoch: string): Promise<CopyEnd> {
    let end: CopyEnd | undefined;
    const frames = async function* (this: LocalCopyKeeper): AsyncGenerator<Frame, void, void> {
      const { generation } = state;
      // In the same turn as the first piece, which tells the number that the tail goes on from.
      this.#tail = [];
      for await (const bytes of encodeSnapshot(state)) yield { kind: PIECE, bytes };
      for (let next = this.#tail?.shift(); next; next = this.#tail?.shift()) {
        yield { kind: COMMIT, bytes: await inSlices(encodeInSteps(next)) };
      }
      // From the last look at the tail to here nothing else had its turn.
      const known = this.#store.position;
      if (state.generation !== generation || known?.epoch !== epoch) {
        throw new Error('the state was loaded anew while it was being saved');
      }
      const writeId = known.seq === state.seq ? known.writeId : '';
      end = { position: { epoch, seq: state.seq, writeId }, savedAt: isoTime(this.#clock.nowMs()) };
      yield { kind: END, bytes: Buffer.from(JSON.stringify(end)) };
    }.bind(this);
    await writeFramedFile(path, SIGNATURE, frames());
    return end as unknown as CopyEnd;
  }
}
