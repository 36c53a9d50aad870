import { type LogPosition, ROOT } from './lineage.ts';
import type { EntryOrigin, EventEntry, Store, StoreOpening } from './store.ts';

/**
 * The store's log is not the history that this replica knows. Until this is settled, nothing is read from the log or appended to it.
 * - `behind`: the same history, but it ends before the known position, or the store is empty. With `mayRefill`, no replica that reported its position
 *   knows more than this one: `refill` settles the loss for all. Without it, another replica is about to refill.
 * - `superseded`: another replica refilled the store from a state with less than this one: some commits of this replica are no longer part of the
 *   history. `adopt` and reload the state.
 * - `foreign`: a history that does not descend from the known one. An operator must decide which one is valid; `adopt` accepts the history of the
 *   store.
 * - `incomplete`: keys of the store are missing, and no replica has all of their content. Nothing is read or written until a replica has it, or the
 *   store is restored.
 * - `contested`: replicas have different continuations of the store's history. An operator must decide which one is valid.
 */
export interface LogLoss {
  readonly kind: 'behind' | 'superseded' | 'foreign' | 'contested' | 'incomplete';
  readonly mayRefill: boolean;
  readonly known: LogPosition;
  /** The epoch of the history in the store; null when the store is empty. */
  readonly foundEpoch: string | null;
  readonly foundTip: number;
  /**
   * The sequence number of the newest entry that both histories have, when `superseded`. Later entries of this replica are not part of the store's
   * history.
   */
  readonly commonSeq: number;
  /** A text for people and logs. */
  readonly message: string;
}

export interface RefillContent {
  /**
   * The sequence number of the newest entry that the state in `pieces` contains. If it is below the known position, the store is not refilled; the
   * known position is corrected, and the replicas choose again.
   */
  readonly seq: number;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** The id of the newest audit event of the state. The next event follows it. */
  readonly lastEventId: number;
  /** Audit events that are still in memory, oldest first. Events that the store already has, and events newer than the state, are skipped. */
  readonly events: readonly EventEntry[];
}

/** Audit events that the store lost while it kept everything else. */
export interface EventsLoss {
  /** All events up to this id were lost, except those that were dropped before. */
  readonly throughId: number;
  /** How many newer events a replica put back from its memory. */
  readonly restored: number;
  /** When it was noticed, in Unix milliseconds, by the clock of the store. */
  readonly atMs: number;
}

/** A store that several replicas share. It may lose data, or be restored to an older state. */
export interface SharedStore extends Store {
  /** The position of the state. A local copy of the state contains it. */
  readonly position: LogPosition;
  /** How many milliseconds the clock of the store is ahead of the clock of this process. Replicas use the clock of the store. */
  readonly clockAheadMs: number;
  /** The epoch that this replica follows: the next entry will be in it; "" before the first opening. */
  readonly epoch: string;
  /**
   * Whether an entry that this store returned is still part of the followed history. If so, the caller applies it to the state in the same turn of
   * the event loop, and it counts as known from then on: no replica reports entries that it read or received but never applied.
   */
  take(seq: number, origin: EntryOrigin): boolean;
  /**
   * Notes that the caller's state contains all entries up to `seq`. `origin` is the origin of the newest entry; without it, the tip that the last
   * read found is used.
   */
  noteStatePosition(seq: number, origin?: EntryOrigin): void;
  /** The sequence number of the current snapshot, whichever replica stored it; 0 when there is none. @throws StoreError */
  snapshotSeq(): Promise<number>;
  /** The current loss; null when there is none. */
  readonly loss: LogLoss | null;
  /** Calls the listener when a loss is found, when it changes, and, with null, when it has ended. */
  onLoss(listener: (loss: LogLoss | null) => void): () => void;
  /**
   * Makes the state of this replica the store's, under a new epoch. Only one replica succeeds: the others get `not-refilled` and then find
   * the new history in the store. @throws StoreError. Unless its outcome is `unknown`, the store has not changed.
   */
  refill(content: RefillContent): Promise<'refilled' | 'not-refilled'>;
  /** The last loss of audit events that a replica noticed; null when there was none. */
  readonly eventsLoss: EventsLoss | null;
  /** Sets where the newest audit events of this process are in memory: the store puts them back when it has lost its audit log. */
  keepsEvents(newest: () => readonly EventEntry[]): void;
  /** Accepts the store's history as the valid one. The state must then be loaded again from it. @throws StoreError */
  adopt(): Promise<StoreOpening>;
}

/** `Store.lineAt` for a store that knows the position of its state. The line of a state at another position is not known. */
export function lineAt({ position }: Pick<SharedStore, 'position'>, seq: number): LogPosition {
  return position.seq === seq ? position : { ...ROOT, seq };
}

export function isShared(store: Store): store is SharedStore {
  return 'refill' in store;
}
