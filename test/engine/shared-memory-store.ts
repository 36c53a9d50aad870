import { randomUUID } from 'node:crypto';
import { assert } from '../../src/base/assert.ts';
import type { Clock } from '../../src/base/clock.ts';
import { begin, extend, type LogPosition, ROOT } from '../../src/stores/lineage.ts';
import { MemoryCounters } from '../../src/stores/memory/memory-counters.ts';
import {
  type LossPolicy,
  type RecoveryAction,
  type ReportedPosition,
  recoveryActionOf,
} from '../../src/stores/recovery-action.ts';
import { lossOf } from '../../src/stores/redis/loss-description.ts';
import { entryEpoch, ReplicaPosition } from '../../src/stores/redis/replica-position.ts';
import { type LogLoss, lineAt, type RefillContent, type SharedStore } from '../../src/stores/shared-store.ts';
import {
  type AppendBatch,
  type AppendOutcome,
  type AuditLog,
  type EntryOrigin,
  type EventEntry,
  type LogEntry,
  type SnapshotInfo,
  StoreError,
  type StoreOpening,
  type StoreStatus,
  type TipListener,
  TrimmedError,
} from '../../src/stores/store.ts';
import { ManualClock } from '../support/manual-clock.ts';

const GRACE_MS = 2_000;
const POLL_MS = 1_000;
/** Reported positions of an unfinished election expire after this time. */
const ELECTION_MS = 30_000;

type Entry = LogEntry & { readonly origin: EntryOrigin };

/** The content of a server: everything that a backup of it has. */
export interface Holdings {
  readonly line: LogPosition | null;
  readonly firstSeq: number;
  readonly log: readonly Entry[];
  readonly events: readonly EventEntry[];
  readonly lastEvent: number;
  readonly snapshot: { readonly info: SnapshotInfo; readonly pieces: readonly Uint8Array[] } | null;
}

const NOTHING: Holdings = { line: null, firstSeq: 1, log: [], events: [], lastEvent: 0, snapshot: null };

/** A server that several stores share. It may lose its content, or get earlier content back. */
export class MemoryServer {
  holdings: Holdings = NOTHING;
  isConfirmed = false;
  /** It lost keys: it still reports its line, but its content cannot be read. */
  isIncomplete = false;
  readonly listeners = new Map<TipListener, SharedMemoryStore>();
  #positions = new Map<string, ReportedPosition>();
  #sinceMs = 0;

  get line(): LogPosition {
    return this.holdings.line ?? ROOT;
  }

  positions(nowMs: number): {
    readonly positions: readonly ReportedPosition[];
    readonly isGraceOver: boolean;
  } {
    if (nowMs - this.#sinceMs >= ELECTION_MS) this.#positions.clear();
    return { positions: [...this.#positions.values()], isGraceOver: nowMs - this.#sinceMs >= GRACE_MS };
  }

  reportedPosition(reportedPosition: ReportedPosition, nowMs: number): void {
    this.isConfirmed = false;
    if (this.#positions.size === 0) this.#sinceMs = nowMs;
    this.#positions.set(reportedPosition.replica, reportedPosition);
  }

  /** Begins another run of the server, with current, earlier or no content. */
  comeBackWith(holdings: Holdings = NOTHING): void {
    this.holdings = holdings;
    this.isConfirmed = false;
    this.isIncomplete = false;
    this.#positions.clear();
  }

  confirm(line: LogPosition): void {
    this.holdings = { ...this.holdings, line };
    this.isConfirmed = true;
    this.#positions.clear();
  }
}

/** Like `MemoryFaults`. */
export interface SharedMemoryFaults {
  beforeAppend?: (() => void | Promise<void>) | undefined;
  afterAppend?: (() => void | Promise<void>) | undefined;
  beforeRead?: (() => void | Promise<void>) | undefined;
  passHint?: (() => boolean) | undefined;
  /** Nothing reaches the server, and nothing comes from it. */
  isCutOff?: (() => boolean) | undefined;
}

interface SharedMemoryStoreOptions {
  readonly server?: MemoryServer;
  readonly clock?: Clock;
  readonly policy?: LossPolicy;
  readonly known?: LogPosition;
  readonly faults?: SharedMemoryFaults;
  /** Unique, also after a restart. */
  readonly replica?: string;
  readonly newEpoch?: () => string;
}

/**
 * The guarantees of `SharedStore`, for simulations. Like the Redis adapter, it greets the server repeatedly, and takes the action that
 * `recoveryActionOf` returns.
 */
export class SharedMemoryStore implements SharedStore {
  readonly counters = new MemoryCounters(new Map(), async () => {});
  readonly clockAheadMs = 0;
  readonly server: MemoryServer;
  readonly faults: SharedMemoryFaults;
  readonly #clock: Clock;
  readonly #policy: LossPolicy;
  readonly #replica: string;
  readonly #newEpoch: () => string;
  readonly #closing = new AbortController();
  readonly #lossListeners = new Set<(loss: LogLoss | null) => void>();
  readonly #ownPosition: ReplicaPosition;
  /** The server's line while this replica follows it. */
  #line: LogPosition | null = null;
  #foundTip: LogPosition | null = null;
  #loss: LogLoss | null = null;
  #polling: Promise<void> | undefined;
  #appending: Promise<unknown> = Promise.resolve();

  constructor(options: SharedMemoryStoreOptions = {}) {
    this.server = options.server ?? new MemoryServer();
    this.faults = options.faults ?? {};
    this.#clock = options.clock ?? new ManualClock();
    this.#policy = options.policy ?? 'refill';
    this.#replica = options.replica ?? randomUUID();
    this.#newEpoch = options.newEpoch ?? randomUUID;
    this.#ownPosition = new ReplicaPosition(options.known ?? ROOT);
    // A store with its own server need not wait for other replicas.
    if (!options.server) this.server.confirm(begin(this.#newEpoch(), ROOT));
  }

  get position(): LogPosition {
    return this.#ownPosition.appliedPosition;
  }

  lineAt(seq: number): LogPosition {
    return lineAt(this, seq);
  }

  get epoch(): string {
    return this.#ownPosition.followedLine?.epoch ?? '';
  }

  get loss(): LogLoss | null {
    return this.#loss;
  }

  async open(): Promise<StoreOpening> {
    this.#polling ??= this.#poll();
    this.#greet();
    return this.#opening();
  }

  append(batch: AppendBatch): Promise<AppendOutcome> {
    const outcome = this.#appending.then(() => this.#append(batch));
    this.#appending = outcome.catch(() => {});
    return outcome;
  }

  async read(fromSeq: number, limit: number): Promise<LogEntry[]> {
    await this.faults.beforeRead?.();
    const line = this.#confirmedLine();
    const { firstSeq, log } = this.server.holdings;
    if (fromSeq < firstSeq) throw new TrimmedError(`log entry ${fromSeq} was trimmed; the log begins at ${firstSeq}`);
    this.#foundTip = line;
    return log.slice(fromSeq - firstSeq, fromSeq - firstSeq + limit);
  }

  async tip(): Promise<number> {
    await this.faults.beforeRead?.();
    return this.#confirmedLine().seq;
  }

  async readEvents(beforeId: number, limit: number): Promise<EventEntry[]> {
    const { events } = this.server.holdings;
    return [...events.filter(({ id }) => id < beforeId)].reverse().slice(0, limit);
  }

  async readEventsForward(fromId: number, limit: number): Promise<EventEntry[]> {
    return this.server.holdings.events.filter(({ id }) => id >= fromId).slice(0, limit);
  }

  async readEventsById(ids: readonly number[]): Promise<EventEntry[]> {
    const { events } = this.server.holdings;
    return ids.flatMap((id) => events.filter((event) => event.id === id));
  }

  async firstEventId(): Promise<number | null> {
    return this.server.holdings.events[0]?.id ?? null;
  }

  async measureAuditLog(): Promise<AuditLog> {
    const { epoch } = this.#confirmedLine();
    const { events } = this.server.holdings;
    const sizeBytes = events.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return { firstId: events[0]?.id ?? null, count: events.length, sizeBytes, epoch };
  }

  async trimAuditLog({ epoch, firstId }: AuditLog, oldest: readonly EventEntry[]): Promise<boolean> {
    const { holdings } = this.server;
    const beginning = holdings.events[0]?.id;
    if (this.#confirmedLine().epoch !== epoch || beginning !== firstId || beginning !== oldest[0]?.id) return false;
    this.server.holdings = { ...holdings, events: holdings.events.slice(oldest.length) };
    return true;
  }

  async saveSnapshot(seq: number, pieces: AsyncIterable<Uint8Array>): Promise<SnapshotInfo> {
    const { epoch } = this.#confirmedLine();
    const stored: Uint8Array[] = [];
    for await (const piece of pieces) stored.push(Uint8Array.from(piece));
    if (this.#confirmedLine().epoch !== epoch) throw new StoreError('the log has another history now', 'not-appended');
    const current = this.server.holdings.snapshot?.info;
    if (current && current.seq > seq) return current;
    const info = { seq, digest: '', sizeBytes: 0 };
    this.server.holdings = { ...this.server.holdings, snapshot: { info, pieces: stored } };
    return info;
  }

  async loadSnapshot(): Promise<{ info: SnapshotInfo; pieces: AsyncIterable<Uint8Array> } | null> {
    await this.faults.beforeRead?.();
    this.#confirmedLine();
    const { snapshot } = this.server.holdings;
    return snapshot && { info: snapshot.info, pieces: iterate(snapshot.pieces) };
  }

  async snapshotSeq(): Promise<number> {
    this.#confirmedLine();
    return this.server.holdings.snapshot?.info.seq ?? 0;
  }

  async trim(throughSeq: number): Promise<void> {
    this.#confirmedLine();
    const { holdings } = this.server;
    const { firstSeq, log } = holdings;
    if (throughSeq < firstSeq) return;
    this.server.holdings = { ...holdings, firstSeq: throughSeq + 1, log: log.slice(throughSeq + 1 - firstSeq) };
  }

  onTip(listener: TipListener): () => void {
    const own: TipListener = (tip, entries) => listener(tip, entries);
    this.server.listeners.set(own, this);
    return () => void this.server.listeners.delete(own);
  }

  onLoss(listener: (loss: LogLoss | null) => void): () => void {
    this.#lossListeners.add(listener);
    return () => void this.#lossListeners.delete(listener);
  }

  take(seq: number, { epoch, writeId }: EntryOrigin): boolean {
    return !this.#loss && this.#ownPosition.take(epoch, seq, writeId);
  }

  noteStatePosition(seq: number, origin?: EntryOrigin): void {
    const found = this.#foundTip;
    if (origin) this.take(seq, origin);
    else if (found?.seq === seq) this.take(seq, { epoch: entryEpoch(found, seq), writeId: found.writeId });
  }

  async refill({ seq, lastEventId, pieces, events }: RefillContent): Promise<'refilled' | 'not-refilled'> {
    const { server } = this;
    const found = server.holdings;
    if (this.#actionNow().name !== 'refill') return 'not-refilled';
    const { knownPosition: known } = this.#ownPosition;
    assert(seq <= known.seq, `the state is at ${seq}, but the known position is ${known.seq}`);
    if (seq < known.seq) {
      this.#ownPosition.retract();
      this.#greet();
      return 'not-refilled';
    }
    const stored: Uint8Array[] = [];
    for await (const piece of pieces) stored.push(Uint8Array.from(piece));
    await this.faults.beforeRead?.();
    if (server.holdings !== found || this.#actionNow().name !== 'refill' || this.#ownPosition.knownPosition.seq !== seq)
      return 'not-refilled';
    const line = begin(this.#newEpoch(), this.#ownPosition.knownPosition);
    server.holdings = {
      line,
      firstSeq: seq + 1,
      log: [],
      events: [...found.events, ...events.filter(({ id }) => id > found.lastEvent)].filter(
        ({ id }) => id <= lastEventId,
      ),
      lastEvent: lastEventId,
      snapshot: { info: { seq, digest: '', sizeBytes: 0 }, pieces: stored },
    };
    server.isIncomplete = false;
    server.confirm(line);
    this.#greet();
    return 'refilled';
  }

  readonly eventsLoss = null;

  /** It never loses its audit log alone. */
  keepsEvents(): void {}

  async adopt(): Promise<StoreOpening> {
    this.#ownPosition.forget();
    this.#setLoss(null);
    await this.faults.beforeRead?.();
    this.#greet();
    return this.#opening();
  }

  status(): StoreStatus {
    return this.#line ? { reachable: true } : { reachable: false, since: '', reason: 'not confirmed' };
  }

  async probe(): Promise<void> {
    if (!this.#line) throw new StoreError('not confirmed', 'not-appended', { refusal: 'comparing' });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const [listener, store] of this.server.listeners) if (store === this) this.server.listeners.delete(listener);
    await this.#polling;
  }

  async #append({ expectedTip, entries, events, writeId }: AppendBatch): Promise<AppendOutcome> {
    await this.faults.beforeAppend?.();
    const { server } = this;
    const line = this.#confirmedLine();
    if (line.seq !== expectedTip) {
      if (line.seq < expectedTip) throw new StoreError('the log has another history', 'not-appended');
      return { status: 'conflict', tip: line.seq };
    }
    const { knownPosition: known } = this.#ownPosition;
    if (known.seq === expectedTip && known.writeId !== line.writeId) {
      throw new StoreError('the log has another history', 'not-appended');
    }
    const origin = { epoch: line.epoch, writeId };
    const appended = entries.map(({ seq, bytes }) => ({ seq, bytes: Uint8Array.from(bytes), origin }));
    const { lastEvent } = server.holdings;
    if (events.length > 0 && events[0]?.id !== lastEvent + 1) throw new Error(`events do not follow ${lastEvent}`);
    server.holdings = {
      ...server.holdings,
      line: extend(line, expectedTip + entries.length, writeId),
      log: [...server.holdings.log, ...appended],
      lastEvent: lastEvent + events.length,
      events: [...server.holdings.events, ...events.map(({ id, bytes }) => ({ id, bytes: Uint8Array.from(bytes) }))],
    };
    this.#hintOthers(appended);
    await this.faults.afterAppend?.();
    // The write is known at once, before it is applied: this reveals a history that continues without it.
    this.#ownPosition.advance(line.epoch, expectedTip + entries.length, writeId);
    return { status: 'appended', origin };
  }

  #hintOthers(entries: readonly Entry[]): void {
    const { listeners } = this.server;
    const tip = entries.at(-1)?.seq ?? 0;
    for (const [listener, store] of listeners) {
      if (store === this) continue;
      queueMicrotask(() => {
        const isReceived = listeners.has(listener) && (store.faults.passHint?.() ?? true) && !store.faults.isCutOff?.();
        if (isReceived && store.epoch === entries[0]?.origin.epoch && !store.#loss) listener(tip, entries);
      });
    }
  }

  /** @throws StoreError unless the server is confirmed, and has the line that this replica follows. */
  #confirmedLine(): LogPosition {
    const { server } = this;
    const isUsable = server.isConfirmed && !server.isIncomplete && server.line.epoch === this.#line?.epoch;
    if (this.faults.isCutOff?.() || !isUsable) {
      this.#greet();
      if (!this.#line) throw new StoreError('the history is not confirmed', 'not-appended');
    }
    return server.line;
  }

  #opening(): StoreOpening {
    if (!this.#line) throw new StoreError('the history is not confirmed', 'not-appended');
    const { line, holdings } = this.server;
    return { epoch: line.epoch, tip: line.seq, firstSeq: holdings.firstSeq };
  }

  async #poll(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#greet();
      await this.#clock.sleep(POLL_MS, signal);
    }
  }

  #own(): ReportedPosition {
    return { replica: this.#replica, position: this.#ownPosition.knownPosition, policy: this.#policy };
  }

  #actionNow(): RecoveryAction {
    const { server } = this;
    const election = server.positions(this.#clock.nowMs());
    const { positions, isGraceOver } = server.isConfirmed ? { positions: [], isGraceOver: false } : election;
    return recoveryActionOf({
      own: this.#own(),
      server: server.holdings.line,
      isConfirmed: server.isConfirmed,
      isIncomplete: server.isIncomplete,
      positions,
      isGraceOver,
    });
  }

  #greet(): void {
    if (this.faults.isCutOff?.()) {
      this.#line = null;
      return;
    }
    for (;;) {
      const action = this.#actionNow();
      if (action.name === 'claim') this.server.reportedPosition(this.#own(), this.#clock.nowMs());
      else if (action.name === 'confirm') this.server.confirm(begin(this.#newEpoch(), this.server.line));
      else {
        this.#follow(action);
        return;
      }
    }
  }

  #follow(action: RecoveryAction): void {
    const { server } = this;
    this.#line = action.name === 'go-on' ? server.line : null;
    if (action.name === 'go-on') this.#ownPosition.follow(server.line);
    const { line: serverPosition } = server.holdings;
    const missing = server.isIncomplete ? 'keys are missing' : null;
    const { kind, ...loss } = lossOf(action, {
      knownPosition: this.#ownPosition.knownPosition,
      serverPosition,
      missing,
    });
    this.#setLoss(kind && { kind, ...loss });
    if (action.name !== 'go-on' || server.line.seq <= this.#ownPosition.knownPosition.seq) return;
    for (const [listener, store] of server.listeners) if (store === this) listener(server.line.seq);
  }

  #setLoss(loss: LogLoss | null): void {
    if (JSON.stringify(loss) === JSON.stringify(this.#loss)) return;
    this.#loss = loss;
    for (const listener of this.#lossListeners) listener(loss);
  }
}

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T, void, void> {
  for (const item of items) yield item;
}
