import { type LogPosition, ROOT } from './lineage.ts';
import type { EntryOrigin, EventEntry, Store, StoreOpening } from './store.ts';

/**
 * The store's log is not the history this replica knows, so nothing is read from it or appended to it until that is settled.
 * - `behind`: the same history, but it ends before what is known here, or all of it is gone. With `mayRefill`, no replica that spoke up knows
 *   more than this one: `refill` settles it for all. Without, another replica is about to.
 * - `superseded`: another replica refilled it, from less than is known here: commits of this replica's state are not part of the history any
 *   more. `adopt` and reload the state.
 * - `foreign`: a history that does not descend from the known one. A human has to say which one counts; `adopt` takes the store's.
 * - `incomplete`: keys of the store are gone, and no replica holds all that was in them. Until one does, or the store is put back, nothing is read or written.
 * - `contested`: replicas hold different continuations of what the store has. A human has to say which one counts.
 */
export interface LogLoss {
  readonly kind: 'behind' | 'superseded' | 'foreign' | 'contested' | 'incomplete';
  readonly mayRefill: boolean;
  readonly known: LogPosition;
  /** Null: the store is empty. */
  readonly foundEpoch: string | null;
  readonly foundTip: number;
  /** When `superseded`: the newest entry that both histories hold. What is known here beyond is not part of the store's. */
  readonly commonSeq: number;
  /** For people and logs. */
  readonly message: string;
}

export interface RefillContent {
  /** Number of the newest entry in the state the pieces are of. When it is below the known position, that is corrected instead, and the replicas choose again. */
  readonly seq: number;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Id of the newest audit event that the state knows of: the next one follows it. */
  readonly lastEventId: number;
  /** Audit events that are still in memory, oldest first; those the store has already are left out, and those the state does not know of. */
  readonly events: readonly EventEntry[];
}

/** A store that several replicas share, which may lose what it held, or be brought back older than it was. */
export interface SharedStore extends Store {
  /** Where the state stands: what a local copy of it keeps with it. */
  readonly position: LogPosition;
  /** How far the clock of the store is ahead of this process's: replicas go by the store's. */
  readonly clockAheadMs: number;
  /** The epoch that is followed, in which the next entry will be; "" before the first opening. */
  readonly epoch: string;
  /**
   * Whether an entry that this store handed out is still part of the history that is followed. If so, the caller makes it part of the state in
   * the same turn, and it counts as known from then on: what was read or heard of and never applied is claimed by nobody.
   */
  take(seq: number, origin: EntryOrigin): boolean;
  /** The state holds everything up to there: with its newest entry, when there is one, else as the last read found the log's tip. */
  standsAt(seq: number, origin?: EntryOrigin): void;
  /** Number of the current snapshot, whichever replica stored it; 0 when there is none. @throws StoreError */
  snapshotSeq(): Promise<number>;
  /** Null when there is none. */
  readonly loss: LogLoss | null;
  /** Tells when a loss is found, when it changes, and, with null, when it is over. */
  onLoss(listener: (loss: LogLoss | null) => void): () => void;
  /**
   * Makes the state of this replica the store's, under a new epoch. Only one replica ever succeeds: the others are told `beaten` and find the
   * new history by themselves. @throws StoreError; nothing is changed then, unless its outcome is `unknown`.
   */
  refill(content: RefillContent): Promise<'refilled' | 'beaten'>;
  /** Takes the store's history as it is for the true one. The state must be loaded anew from it. @throws StoreError */
  adopt(): Promise<StoreOpening>;
}

/** `Store.lineAt` of a store that knows where its state stands. A state that stands elsewhere is of no line that anybody knows. */
export function lineAt({ position }: Pick<SharedStore, 'position'>, seq: number): LogPosition {
  return position.seq === seq ? position : { ...ROOT, seq };
}

export function isShared(store: Store): store is SharedStore {
  return 'refill' in store;
}
