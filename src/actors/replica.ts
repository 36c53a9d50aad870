import type { Logger } from '../base/logger.ts';
import { Slicer } from '../base/yield-control.ts';
import { type Commit, decodeCommit } from '../state/commit.ts';
import { decodeSnapshot } from '../state/snapshot.ts';
import type { AppliedCommit, State } from '../state/state.ts';
import type { Store, StoreOpening } from '../stores/store.ts';

/** Log entries read at a time while catching up. */
const READ_LIMIT = 256;

export type AppliedListener = (applied: AppliedCommit) => void;

/**
 * The live state and those who follow it. Commits reach it from two sides: the writer, with what it just made durable, and the log, with
 * what others wrote. Both offer; a commit is applied once, in order, whoever brings it first. Listeners (views) run inside the same turn
 * of the event loop, so no request sees state and views apart.
 */
export class Replica {
  readonly state: State;
  readonly #store: Store;
  readonly #listeners: AppliedListener[] = [];

  constructor(state: State, store: Store) {
    this.state = state;
    this.#store = store;
  }

  onApplied(listener: AppliedListener): void {
    this.#listeners.push(listener);
  }

  /** Applies the commit if it is the next one; one that is already applied is left alone. False when commits are missing before it. */
  offer(commit: Commit): boolean {
    if (commit.seq <= this.state.seq) return true;
    if (commit.seq > this.state.seq + 1) return false;
    const applied = this.state.apply(commit);
    for (const listener of this.#listeners) listener(applied);
    return true;
  }

  /** Reads the log from where the state stands and applies it to its tip, yielding between slices. */
  async catchUp(): Promise<void> {
    const slicer = new Slicer();
    for (;;) {
      const entries = await this.#store.read(this.state.seq + 1, READ_LIMIT);
      for (const entry of entries) {
        this.offer(decodeCommit(entry.bytes));
        if (slicer.spent) await slicer.pause();
      }
      if (entries.length < READ_LIMIT) return;
    }
  }
}

/** Loads the snapshot, if there is one, and replays the log behind it. Throws when either cannot be read: a start must not lose anything. */
export async function recover(store: Store, opening: StoreOpening, empty: State, logger: Logger): Promise<Replica> {
  const startedMs = performance.now();
  const snapshot = await store.loadSnapshot();
  const state = snapshot ? await decodeSnapshot(snapshot.pieces) : empty;
  if (opening.firstSeq > state.seq + 1) {
    throw new Error(
      `the log starts at ${opening.firstSeq} but the state can only be rebuilt up to ${state.seq}: the snapshot between them is missing`,
    );
  }
  const replica = new Replica(state, store);
  await replica.catchUp();
  logger.info(
    { seq: state.seq, snapshotSeq: snapshot?.info.seq ?? 0, tookMs: Math.round(performance.now() - startedMs) },
    'recovered',
  );
  return replica;
}
