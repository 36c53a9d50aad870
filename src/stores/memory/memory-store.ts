import { createHash, randomUUID } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import type { Counters } from '../counters.ts';
import type { LogPosition } from '../lineage.ts';
import {
  type AppendBatch,
  type AppendOutcome,
  type AuditLog,
  type EventEntry,
  eventSizeBytes,
  type LogEntry,
  type SnapshotInfo,
  type Store,
  StoreError,
  type StoreOpening,
  type StoreStatus,
  TrimmedError,
} from '../store.ts';
import { MemoryCounters, type StoredCounters } from './memory-counters.ts';

/** The data that several `MemoryStore`s share, as replicas share a server. It outlives each of them. */
export class MemoryBacking {
  readonly epoch: string;
  firstSeq = 1;
  /** Entry `seq` is at `seq - firstSeq`. */
  log: LogEntry[] = [];
  /** Ascending by id. */
  events: EventEntry[] = [];
  snapshot: { info: SnapshotInfo; pieces: readonly Uint8Array[] } | null = null;
  /** The writeId of each batch. The key is the sequence number of its entries. */
  readonly writeIds = new Map<number, string>();
  readonly counters: StoredCounters = new Map();
  readonly listeners = new Map<(tip: number) => void, MemoryStore>();

  constructor(epoch: string = randomUUID()) {
    this.epoch = epoch;
  }

  get tip(): number {
    return this.firstSeq + this.log.length - 1;
  }
}

/**
 * Functions that a store calls before or after its steps. If a function throws, the step throws the same error. The functions may be replaced while
 * the store is open.
 */
export interface MemoryFaults {
  /** Called before anything is stored. Throw a StoreError with 'not-appended', or with 'unknown' as if the request was lost. */
  beforeAppend?: ((batch: AppendBatch) => void | Promise<void>) | undefined;
  /** Called after the batch is in the log. Throw a StoreError with 'unknown'. */
  afterAppend?: ((batch: AppendBatch) => void | Promise<void>) | undefined;
  /** Called before any read: `read`, `tip`, events, snapshots. */
  beforeRead?: (() => void | Promise<void>) | undefined;
  /** Called before counters are added to or read. */
  beforeCounters?: (() => void | Promise<void>) | undefined;
  /** Called between the pieces of a snapshot, and before it becomes the current one. */
  duringSnapshot?: (() => void | Promise<void>) | undefined;
  /** Called before a hint is passed to this store's listeners. When it returns false, the hint is lost. */
  passHint?: ((tip: number) => boolean) | undefined;
  /** Why the store is out of reach, as `status` reports it. */
  unreachable?: { since: string; reason: string } | undefined;
}

interface MemoryStoreOptions {
  readonly backing?: MemoryBacking;
  readonly faults?: MemoryFaults;
}

/** A store in memory, for tests and simulations. Keeps the promises of `Store`. Data is durable as long as the backing exists. */
export class MemoryStore implements Store {
  readonly backing: MemoryBacking;
  readonly faults: MemoryFaults;
  readonly counters: Counters;
  #state: 'new' | 'open' | 'closed' = 'new';
  #appending: Promise<unknown> = Promise.resolve();

  constructor({ backing = new MemoryBacking(), faults = {} }: MemoryStoreOptions = {}) {
    this.backing = backing;
    this.faults = faults;
    this.counters = new MemoryCounters(backing.counters, async () => {
      this.#refuseUnlessOpen();
      await this.faults.beforeCounters?.();
    });
  }

  async open(): Promise<StoreOpening> {
    assert(this.#state === 'new', 'a store is opened once');
    await this.faults.beforeRead?.();
    this.#state = 'open';
    const { epoch, tip, firstSeq } = this.backing;
    return { epoch, tip, firstSeq };
  }

  append(batch: AppendBatch): Promise<AppendOutcome> {
    // Batches of one store are stored in the order of the calls, as with one connection or one file.
    const outcome = this.#appending.then(() => this.#append(batch));
    this.#appending = outcome.catch(() => {});
    return outcome;
  }

  async #append(batch: AppendBatch): Promise<AppendOutcome> {
    this.#refuseUnlessOpen();
    const { backing } = this;
    const { expectedTip, entries, events } = batch;
    assert(entries.length > 0, 'a batch has at least one entry');
    for (const [index, { seq }] of entries.entries()) {
      assert(seq === expectedTip + 1 + index, `entry ${seq} does not follow tip ${expectedTip} at index ${index}`);
    }
    await this.faults.beforeAppend?.(batch);
    if (backing.tip !== expectedTip) return { status: 'conflict', tip: backing.tip };
    for (const { seq, bytes } of entries) {
      backing.log.push({ seq, bytes: Uint8Array.from(bytes) });
      backing.writeIds.set(seq, batch.writeId);
    }
    for (const { id, bytes } of events) insertEvent(backing.events, { id, bytes: Uint8Array.from(bytes) });
    this.#hintOthers();
    await this.faults.afterAppend?.(batch);
    return { status: 'appended' };
  }

  async read(fromSeq: number, limit: number): Promise<LogEntry[]> {
    assert(fromSeq >= 1, 'log entries count from 1');
    await this.#beforeRead();
    const { firstSeq, log } = this.backing;
    if (fromSeq < firstSeq) {
      throw new TrimmedError(`log entry ${fromSeq} was trimmed; the log begins at ${firstSeq}`);
    }
    return log.slice(fromSeq - firstSeq, fromSeq - firstSeq + limit);
  }

  async tip(): Promise<number> {
    await this.#beforeRead();
    return this.backing.tip;
  }

  lineAt(seq: number): LogPosition {
    const { epoch, writeIds } = this.backing;
    return { epoch, seq, writeId: writeIds.get(seq) ?? '', ancestors: [] };
  }

  async readEvents(beforeId: number, limit: number): Promise<EventEntry[]> {
    await this.#beforeRead();
    const end = firstIndexFrom(this.backing.events, beforeId);
    return this.backing.events.slice(Math.max(0, end - limit), end).reverse();
  }

  async readEventsForward(fromId: number, limit: number): Promise<EventEntry[]> {
    await this.#beforeRead();
    const start = firstIndexFrom(this.backing.events, fromId);
    return this.backing.events.slice(start, start + limit);
  }

  async readEventsById(ids: readonly number[]): Promise<EventEntry[]> {
    await this.#beforeRead();
    const { events } = this.backing;
    return ids.flatMap((id) => {
      const event = events[firstIndexFrom(events, id)];
      return event?.id === id ? [event] : [];
    });
  }

  async firstEventId(): Promise<number | null> {
    await this.#beforeRead();
    return this.backing.events[0]?.id ?? null;
  }

  async measureAuditLog(): Promise<AuditLog> {
    await this.#beforeRead();
    const { events, epoch } = this.backing;
    const sizeBytes = events.reduce((sum, event) => sum + eventSizeBytes(event), 0);
    return { firstId: events[0]?.id ?? null, count: events.length, sizeBytes, epoch };
  }

  async trimAuditLog({ epoch, firstId }: AuditLog, oldest: readonly EventEntry[]): Promise<boolean> {
    this.#refuseUnlessOpen();
    const { backing } = this;
    const beginning = backing.events[0]?.id;
    if (backing.epoch !== epoch || beginning !== firstId || beginning !== oldest[0]?.id) return false;
    backing.events.splice(0, oldest.length);
    return true;
  }

  async saveSnapshot(seq: number, pieces: AsyncIterable<Uint8Array>): Promise<SnapshotInfo> {
    this.#refuseUnlessOpen();
    const { backing } = this;
    assert(seq >= (backing.snapshot?.info.seq ?? 0), `snapshot ${seq} is older than the current one`);
    assert(seq <= backing.tip, `snapshot ${seq} is newer than the log`);
    const hash = createHash('sha256');
    const copies: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const piece of pieces) {
      await this.faults.duringSnapshot?.();
      hash.update(piece);
      sizeBytes += piece.length;
      copies.push(Uint8Array.from(piece));
    }
    await this.faults.duringSnapshot?.();
    this.#refuseUnlessOpen();
    const info = { seq, digest: hash.digest('hex'), sizeBytes };
    backing.snapshot = { info, pieces: copies };
    return info;
  }

  async loadSnapshot(): Promise<{ info: SnapshotInfo; pieces: AsyncIterable<Uint8Array> } | null> {
    await this.#beforeRead();
    const { snapshot } = this.backing;
    return snapshot && { info: snapshot.info, pieces: iterate(snapshot.pieces) };
  }

  async trim(throughSeq: number): Promise<void> {
    this.#refuseUnlessOpen();
    const { backing } = this;
    assert(throughSeq <= (backing.snapshot?.info.seq ?? 0), `cannot trim through ${throughSeq}: no snapshot covers it`);
    const count = Math.max(0, throughSeq - backing.firstSeq + 1);
    backing.log.splice(0, count);
    backing.firstSeq += count;
  }

  onTip(listener: (tip: number) => void): () => void {
    const { listeners } = this.backing;
    const own = (tip: number) => listener(tip);
    listeners.set(own, this);
    return () => void listeners.delete(own);
  }

  status(): StoreStatus {
    const { unreachable } = this.faults;
    return unreachable ? { reachable: false, ...unreachable } : { reachable: true };
  }

  async probe(): Promise<void> {
    this.#refuseUnlessOpen();
    const status = this.status();
    if (!status.reachable) throw new StoreError(status.reason, 'not-appended', { refusal: 'unreachable' });
  }

  async close(): Promise<void> {
    await this.#appending;
    this.#state = 'closed';
    for (const [listener, store] of this.backing.listeners) if (store === this) this.backing.listeners.delete(listener);
  }

  /** Hints arrive after the append and contain the tip as of the append, as over a network. */
  #hintOthers(): void {
    const { tip, listeners } = this.backing;
    for (const [listener, store] of listeners) {
      if (store === this) continue;
      queueMicrotask(() => {
        if (listeners.has(listener) && (store.faults.passHint?.(tip) ?? true)) listener(tip);
      });
    }
  }

  async #beforeRead(): Promise<void> {
    this.#refuseUnlessOpen();
    await this.faults.beforeRead?.();
  }

  #refuseUnlessOpen(): void {
    if (this.#state !== 'open') throw new StoreError('the store is not open', 'not-appended');
  }
}

/** Ids ascend, so this is nearly always a push. */
function insertEvent(events: EventEntry[], event: EventEntry): void {
  const at = firstIndexFrom(events, event.id);
  events.splice(at, events[at]?.id === event.id ? 1 : 0, event);
}

/** Index of the first event whose id is at least `id`. */
function firstIndexFrom(events: readonly EventEntry[], id: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const event = events[middle];
    assert(event, 'bisection left the list');
    if (event.id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T, void, void> {
  for (const item of items) yield item;
}
