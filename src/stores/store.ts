import type { Counters } from './counters.ts';
import type { LogPosition } from './lineage.ts';
import type { RefusalReason } from './refusal-texts.ts';

/**
 * The port to durable data: a log of commits, a snapshot of the state, and the audit events. Adapters handle bytes and numbers, and know nothing
 * about flags. One contract test suite runs over every adapter (test/stores/store-contract.ts).
 *
 * Every adapter promises:
 * - **Append is compare-and-append.** A batch is appended whole, and only if the log's tip is `expectedTip`. When two writers expect the same tip,
 *   one of them gets `conflict`. Without this, two processes on one store would fork the order of commits.
 * - **Append resolves `appended` only when the batch is durable**, that is, would survive losing power now. Without this, a 2xx would lie.
 * - **A failure is distinguished from an unknown outcome.** `StoreError.outcome` says whether the batch may still appear in the log.
 * - Events of a batch are stored in the same atomic step as its entries.
 * - A snapshot is read back and compared before it replaces the previous one; a crash at any time leaves the previous one intact.
 */
export interface Store {
  /** Counters, stored beside the log. Usable only while the store is open. */
  readonly counters: Counters;
  /** Opens or creates the store. Called once, before anything else. @throws StoreError with a message for people when the store cannot be opened */
  open(): Promise<StoreOpening>;
  append(batch: AppendBatch): Promise<AppendOutcome>;
  /**
   * At most `limit` log entries, in order and without gaps, beginning with `fromSeq`. Empty at the tip. Throws TrimmedError when `fromSeq` was
   * trimmed.
   */
  read(fromSeq: number, limit: number): Promise<LogEntry[]>;
  tip(): Promise<number>;
  /**
   * The position in the history of this store of a state that contains all entries up to `seq` and none after it. A copy of that state continues from
   * this position. `writeId` is '' when it is not known. This happens only for a state that is further behind the log than the state of a running
   * service ever is.
   */
  lineAt(seq: number): LogPosition;
  /** Audit events with ids below `beforeId`, newest first, at most `limit`. */
  readEvents(beforeId: number, limit: number): Promise<EventEntry[]>;
  /** Audit events from `fromId` on, oldest first, at most `limit`: for building indexes at start. */
  readEventsForward(fromId: number, limit: number): Promise<EventEntry[]>;
  /** The audit events with these ids, in that order; ids without an event are left out. At most EVENTS_READ_MAX. */
  readEventsById(ids: readonly number[]): Promise<EventEntry[]>;
  /** The id of the oldest audit event, with which the audit log begins; null when there is none. */
  firstEventId(): Promise<number | null>;
  /** The extent of the audit log. Until it is measured completely, each call measures one more slice. */
  measureAuditLog(): Promise<AuditLog>;
  /**
   * Drops the oldest audit events, at most AUDIT_SLICE_EVENTS of them. Returns false and drops nothing when the audit log does not begin where it
   * did when it was measured, does not begin with these events, or is of another history: then the decision to drop them is outdated.
   */
  trimAuditLog(auditLog: AuditLog, oldest: readonly EventEntry[]): Promise<boolean>;
  /**
   * Stores the pieces as the snapshot of a state at `seq` or later, verifies them by reading them back, then makes them current. Resolves with
   * the snapshot that is current after that. In a store that replicas share, it may be the snapshot of another replica: while one replica
   * stores, the others wait for it and do not read their pieces.
   */
  saveSnapshot(seq: number, pieces: AsyncIterable<Uint8Array>): Promise<SnapshotInfo>;
  /** The current snapshot, or null when there is none yet. */
  loadSnapshot(): Promise<{ info: SnapshotInfo; pieces: AsyncIterable<Uint8Array> } | null>;
  /**
   * Drops log entries up to and including `throughSeq`. Never beyond the current snapshot's `seq`: that is an InvariantError.
   * @throws StoreError, also when the entries were dropped but not erased as requested
   */
  trim(throughSeq: number, options?: TrimOptions): Promise<void>;
  /**
   * Calls the listener when other processes appended commits, as a hint: `tip` may be outdated or skip numbers. `entries`, when the hint contains
   * them, are durable and end with `tip`. Stores of a single process never call the listener. Returns a function that removes the listener.
   */
  onTip(listener: TipListener): () => void;
  status(): StoreStatus;
  /**
   * Checks everything that an append needs, and changes nothing. Resolves when an append would be accepted now. @throws StoreError with the reason
   */
  probe(): Promise<void>;
  /** Closes the store and releases the lock, after the appends under way have settled. */
  close(): Promise<void>;
}

export interface TrimOptions {
  /**
   * Also erases the bytes of everything that was dropped, now or earlier: they contain a secret. It costs as much as writing the whole store
   * again. It does not rewrite files of the server (the append-only file of Redis).
   */
  readonly erase?: boolean;
}

export type TipListener = (tip: number, entries?: readonly LogEntry[]) => void;

export interface StoreOpening {
  /** Identifies the history of commits. A store with a different epoch has a different history. */
  readonly epoch: string;
  /** Sequence number of the newest log entry; 0 when nothing was ever written. */
  readonly tip: number;
  /** Sequence number of the oldest entry that `read` still has; `tip + 1` when it has none. */
  readonly firstSeq: number;
  /** Dropped data may have left its bytes in the store: an erasure was requested and did not finish. */
  readonly hasResidue?: boolean;
}

export interface LogEntry {
  readonly seq: number;
  /** An encoded commit. */
  readonly bytes: Uint8Array;
  /** The write and the epoch of the entry. Only stores that replicas share set it. */
  readonly origin?: EntryOrigin;
}

/** The write that put an entry into a log, and the epoch in which it did. Replicas that have the entry compare this. */
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
 * The audit events of a store. Their beginning is not stored separately: it is always the id of the oldest event, whatever was dropped, lost, put
 * back or restored.
 */
export interface AuditLog {
  /** The id of the oldest event; null when there is none. */
  readonly firstId: number | null;
  readonly count: number;
  /** The size of the events in the store, in bytes; null while it is being measured. */
  readonly sizeBytes: number | null;
  /** The epoch of the history whose events were measured. */
  readonly epoch: string;
}

/**
 * The approximate size of an event in a store's memory, in bytes: the event itself, the memory that the allocator's size classes waste, and the
 * event's entry in the stream. Measured on Redis: docs/decisions/event-retention.md.
 */
export function eventSizeBytes({ bytes }: EventEntry): number {
  return bytes.length + (bytes.length >> 3) + EVENT_OVERHEAD_BYTES;
}

export const EVENT_OVERHEAD_BYTES = 32;

/** Most events that one read by ids returns. */
export const EVENTS_READ_MAX = 256;

/** The most events that are dropped at a time. To drop them blocks a store for some tenths of a millisecond. */
export const AUDIT_SLICE_EVENTS = 64;

export interface AppendBatch {
  /** The log's tip as the writer knows it; the first entry has the number after it. */
  readonly expectedTip: number;
  /** The unique id of this batch. An adapter that retries recognises its own earlier attempt by it. */
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
      /** The reason why writes are refused; if it is left out, the reason is `unreachable`. */
      readonly refusal?: RefusalReason;
    };

interface StoreErrorOptions extends ErrorOptions {
  /** Why writes are refused, when that is the cause of the error. */
  readonly refusal?: RefusalReason | undefined;
}

/** The store could not do what was requested. `outcome` is relevant only after `append`. */
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

/**
 * The data in the store cannot be used: it is damaged or incomplete, or another version wrote it. The store is not changed. A service whose data can be
 * fetched again sets it aside (`products/server/set-aside.ts`); any other one does not start.
 */
export class UnusableDataError extends StoreError {
  constructor(message: string, options?: StoreErrorOptions) {
    super(message, 'not-appended', options);
  }
}

/** The log begins after the requested entry: the state must be loaded from the snapshot. */
export class TrimmedError extends StoreError {
  constructor(message: string) {
    super(message, 'not-appended');
  }
}
