import type { Counters } from './counters.ts';
import type { LogPosition } from './lineage.ts';
import type { RefusalReason } from './write-refusal.ts';

/**
 * The port to what is durable: a log of commits, a snapshot of the state, and the audit events. Adapters know bytes and numbers, nothing
 * of flags. One contract test suite runs over every adapter (test/stores/store-contract.ts).
 *
 * What every adapter promises:
 * - **Append is compare-and-append.** A batch is appended whole, and only if the log's tip is `expectedTip`. Two writers with the same
 *   expectation: one is told `conflict`. Without this, two processes on one store would fork the order of commits.
 * - **Append resolves `appended` only when the batch is durable**, that is, would survive losing power now. Without this, a 2xx would lie.
 * - **A failure is told apart from an unknown outcome.** `StoreError.outcome` says whether the batch may yet turn up in the log.
 * - Events of a batch are stored in the same atomic step as its entries.
 * - A snapshot is read back and compared before it replaces the one before; a crash at any point leaves the older one whole.
 */
export interface Store {
  /** What is counted beside the log. To be used while the store is open. */
  readonly counters: Counters;
  /** Opens or creates the store. Called once, before anything else. Throws StoreError with a message for people when it cannot. */
  open(): Promise<StoreOpening>;
  append(batch: AppendBatch): Promise<AppendOutcome>;
  /** Log entries from `fromSeq` on, at most `limit`, in order, gap-free. Empty at the tip. Throws TrimmedError when `fromSeq` was trimmed. */
  read(fromSeq: number, limit: number): Promise<LogEntry[]>;
  tip(): Promise<number>;
  /**
   * Where the state that holds everything up to `seq`, and nothing beyond, stands in the history of this store: what a copy of it goes on from. The write is ''
   * where it is not known: of a state further behind the log than that of a running service ever is.
   */
  lineAt(seq: number): LogPosition;
  /** Audit events with ids below `beforeId`, newest first, at most `limit`. */
  readEvents(beforeId: number, limit: number): Promise<EventEntry[]>;
  /** Audit events from `fromId` on, oldest first, at most `limit`: for building indexes at start. */
  readEventsForward(fromId: number, limit: number): Promise<EventEntry[]>;
  /** The audit events with these ids, in that order; ids without an event are left out. At most EVENTS_READ_MAX. */
  readEventsById(ids: readonly number[]): Promise<EventEntry[]>;
  /** Id of the oldest audit event there is, where the audit log begins; null when there is none. */
  firstEventId(): Promise<number | null>;
  /** What the audit log comes to. One that has not been measured yet is measured a slice further. */
  measureAuditLog(): Promise<AuditLog>;
  /**
   * Drops the oldest audit events, at most AUDIT_SLICE_EVENTS of them. False, and nothing is dropped, when the audit log does not
   * begin where it did when it was measured, or not with them, or is another history's: what should go was decided on what is not so any more.
   */
  trimAuditLog(auditLog: AuditLog, oldest: readonly EventEntry[]): Promise<boolean>;
  /**
   * Stores the pieces as the snapshot of the state as of at least `seq`, verifies them by reading them back, then makes them current. Resolves
   * with the snapshot that is current then. In a store that replicas share that may be another replica's: while one stores, the others wait
   * for it and leave their pieces unread.
   */
  saveSnapshot(seq: number, pieces: AsyncIterable<Uint8Array>): Promise<SnapshotInfo>;
  /** The current snapshot, or null when there is none yet. */
  loadSnapshot(): Promise<{ info: SnapshotInfo; pieces: AsyncIterable<Uint8Array> } | null>;
  /**
   * Drops log entries up to and including `throughSeq`. Never beyond the current snapshot's `seq`: that is an InvariantError.
   * @throws StoreError, also when the entries were dropped, but could not be erased as was asked
   */
  trim(throughSeq: number, options?: TrimOptions): Promise<void>;
  /**
   * Tells of commits that others appended, as a hint: `tip` may be stale or skip. `entries`, when they rode along, are durable and end with
   * `tip`. Stores of one process never call it. Returns the end of it.
   */
  onTip(listener: TipListener): () => void;
  status(): StoreStatus;
  /** Does what an append needs, without changing anything: resolves when one would be taken now. @throws StoreError with why not */
  probe(): Promise<void>;
  /** Ends everything, releases the lock. Appends under way settle first. */
  close(): Promise<void>;
}

export interface TrimOptions {
  /**
   * Leaves none of the bytes of what was dropped, now or earlier, in what the store keeps: they hold a secret. It costs as much as writing the
   * whole store again. A log that others keep for it (Redis' append-only file) is theirs to rewrite.
   */
  readonly erase?: boolean;
}

export type TipListener = (tip: number, entries?: readonly LogEntry[]) => void;

export interface StoreOpening {
  /** Names this history of commits; another epoch is another history. */
  readonly epoch: string;
  /** Sequence number of the newest log entry; 0 when nothing was ever written. */
  readonly tip: number;
  /** Sequence number of the oldest entry that `read` still has; `tip + 1` when it has none. */
  readonly firstSeq: number;
  /** What was dropped may have left its bytes in the store: erasing was asked for and did not come to its end, or an older Burgee never did. */
  readonly residue?: boolean;
}

export interface LogEntry {
  readonly seq: number;
  /** An encoded commit. */
  readonly bytes: Uint8Array;
  /** Told by stores that replicas share. */
  readonly origin?: EntryOrigin;
}

/** Which write put an entry into a log, and in which of its epochs: what replicas that hold the entry compare. */
export interface EntryOrigin {
  readonly epoch: string;
  readonly writeId: string;
}

export interface EventEntry {
  readonly id: number;
  /** An encoded audit event. */
  readonly bytes: Uint8Array;
}

/**
 * What a store holds of audit events. Where they begin is never put down beside them: it is where the oldest one is, whatever was dropped, lost,
 * put back or restored.
 */
export interface AuditLog {
  /** Null when there is none. */
  readonly firstId: number | null;
  readonly count: number;
  /** What they take in the store; null while it is being found out. */
  readonly sizeBytes: number | null;
  /** Of which history it was said. */
  readonly epoch: string;
}

/**
 * What an event takes in a store's memory, about: its bytes, what is lost when memory is handed out in sizes that fit roughly, and its entry in the stream.
 * Measured on Redis: docs/decisions/event-retention.md.
 */
export function eventSizeBytes({ bytes }: EventEntry): number {
  return bytes.length + (bytes.length >> 3) + EVENT_OVERHEAD_BYTES;
}

export const EVENT_OVERHEAD_BYTES = 32;

/** Events that are read at a time by their ids. */
export const EVENTS_READ_MAX = 256;

/** Events that are dropped at a time: a store is held for some tenths of a millisecond. */
export const AUDIT_SLICE_EVENTS = 64;

export interface AppendBatch {
  /** The log's tip as the writer knows it; the first entry has the number after it. */
  readonly expectedTip: number;
  /** Unique to this batch: an adapter that retries recognises its own earlier attempt by it. */
  readonly writeId: string;
  readonly entries: readonly LogEntry[];
  readonly events: readonly EventEntry[];
}

export type AppendOutcome =
  | { readonly status: 'appended'; readonly origin?: EntryOrigin }
  | { readonly status: 'conflict'; readonly tip: number };

export interface SnapshotInfo {
  readonly seq: number;
  /** Lower-case hex SHA-256 over all pieces, in order. */
  readonly digest: string;
  readonly sizeBytes: number;
}

export type StoreStatus =
  | { readonly reachable: true }
  | {
      readonly reachable: false;
      readonly since: string;
      readonly reason: string;
      /** Left out: `unreachable`. */
      readonly refusal?: RefusalReason;
    };

interface StoreErrorOptions extends ErrorOptions {
  /** Why nothing is written, where that is what the error is about. */
  readonly refusal?: RefusalReason | undefined;
}

/** The store could not do what was asked. `outcome` is of interest after `append` only. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly outcome: 'not-appended' | 'unknown';
  readonly refusal: RefusalReason | undefined;

  constructor(message: string, outcome: 'not-appended' | 'unknown', options?: StoreErrorOptions) {
    super(message, options);
    this.outcome = outcome;
    this.refusal = options?.refusal;
  }
}

/** The log begins after the entry that was asked for: the state has to be loaded from the snapshot. */
export class TrimmedError extends StoreError {
  constructor(message: string) {
    super(message, 'not-appended');
  }
}
