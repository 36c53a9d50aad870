import { randomUUID } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import type { Counters } from '../counters.ts';
import type { LogPosition } from '../lineage.ts';
import { type EventsLoss, type LogLoss, lineAt, type RefillContent, type SharedStore } from '../shared-store.ts';
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
  type TrimOptions,
} from '../store.ts';
import { type AppendParts, appendBatch, probeAppend } from './append.ts';
import { READ } from './append-scripts.ts';
import { firstEventId, measureAuditLog, readEventsById, trimAuditLog } from './audit-log.ts';
import { STALE } from './confirmed-session.ts';
import { parseConnectionString } from './connection-string.ts';
import type { Hint } from './hint.ts';
import { History } from './history.ts';
import type { HistoryParts } from './history-parts.ts';
import { keysOf } from './keys.ts';
import type { Link } from './link.ts';
import { DEFAULT_TIMEOUTS, type RedisStoreOptions } from './options.ts';
import { RedisCounters } from './redis-counters.ts';
import { refill } from './refill.ts';
import { entryEpoch } from './replica-position.ts';
import type { Reply } from './session.ts';
import { Snapshots } from './snapshots.ts';
import { subscribe } from './subscription.ts';

/** The number of records that one read command returns. It is small, because entries may be large, and one answer should not delay the others. */
const READ_SLICE_RECORDS = 256;
const DEFAULT_KEY_PREFIX = 'burgee';

interface Range {
  readonly from: number;
  /** The last id of the range; left out for a range up to the newest record. */
  readonly to?: number;
  readonly most: number;
  readonly isNewestFirst?: boolean;
}

interface RangeAnswer {
  readonly tip: number;
  readonly firstSeq: number;
  readonly tipWrite: string;
  readonly lineage: LogPosition;
  readonly records: readonly { readonly id: number; readonly fields: readonly Reply[] }[];
}

/**
 * A log in Redis that any number of replicas share. Its promises are those of `Store`, for a server that is set up to be durable (redis.conf).
 * In addition, it detects when the server comes back with less than this replica knows. One connection sends commands, one receives hints.
 */
export class RedisStore implements SharedStore {
  readonly counters: Counters;
  readonly #history: History;
  readonly #snapshots: Snapshots;
  readonly #subscription: Link;
  readonly #appendParts: AppendParts;
  readonly #parts: HistoryParts;
  readonly #tipListeners = new Set<TipListener>();
  readonly #lossListeners = new Set<(loss: LogLoss | null) => void>();
  #appending: Promise<unknown> = Promise.resolve();
  /** The tip that the last read of the log found. */
  #foundTip: Pick<RangeAnswer, 'lineage' | 'tip' | 'tipWrite'> | null = null;
  #newestEvents: () => readonly EventEntry[] = () => [];
  #state: 'new' | 'connecting' | 'open' | 'closed' = 'new';

  /** @throws ConnectionStringError */
  constructor(options: RedisStoreOptions) {
    const {
      clock,
      logger,
      random = Math.random,
      waitReplicas = 0,
      strict = false,
      known = null,
      policy = 'refill',
    } = options;
    const keys = keysOf(options.keyPrefix ?? DEFAULT_KEY_PREFIX);
    const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    const replicaId = options.replicaId ?? randomUUID();
    const target = parseConnectionString(options.url);
    this.#parts = {
      target,
      keys,
      timeouts,
      clock,
      logger,
      random,
      strict,
      replicaId,
      known,
      policy,
      newestEvents: () => this.#newestEvents(),
      onTip: (tip) => this.#announceTip(tip),
      onLoss: (loss) => {
        for (const listener of this.#lossListeners) listener(loss);
      },
    };
    this.#history = new History(this.#parts);
    this.counters = new RedisCounters(this.#history, keys);
    this.#snapshots = new Snapshots({ history: this.#history, keys, clock, logger, timeouts });
    const serverRefusal = { current: null };
    this.#appendParts = { history: this.#history, keys, clock, timeouts, replicaId, waitReplicas, serverRefusal };
    this.#subscription = subscribe(this.#parts, {
      hint: (hint) => this.#onHint(hint),
      resubscribed: () => this.#history.nudge(),
    });
  }

  /**
   * Connects and waits until the history is confirmed. When `open` rejects, the store keeps connecting: the caller may call `open` again, or close
   * the store.
   */
  async open(): Promise<StoreOpening> {
    assert(this.#state === 'new' || this.#state === 'connecting', 'a store is opened once');
    this.#state = 'connecting';
    this.#history.link.start();
    this.#subscription.start();
    const opening = await this.#awaitOpening();
    this.#state = 'open';
    return opening;
  }

  async append(batch: AppendBatch): Promise<AppendOutcome> {
    this.#refuseUnlessOpen();
    checkBatch(batch);
    // Batches are appended one after another: a batch must not overtake an earlier one that is retried.
    const outcome = this.#appending.then(() => appendBatch(this.#appendParts, batch));
    this.#appending = outcome.catch(() => {});
    return outcome;
  }

  async read(fromSeq: number, limit: number): Promise<LogEntry[]> {
    assert(fromSeq >= 1, 'log entries count from 1');
    const entries: LogEntry[] = [];
    for (;;) {
      const start = fromSeq + entries.length;
      const most = Math.min(READ_SLICE_RECORDS, limit - entries.length);
      const answer = await this.#range('log', { from: start, most: Math.max(1, most) });
      const { firstSeq, tip, records } = answer;
      if (start < firstSeq) throw new TrimmedError(`log entry ${start} was trimmed; the log begins at ${firstSeq}`);
      this.#foundTip = answer;
      for (const { id, fields } of records.slice(0, Math.max(0, most))) {
        const seq = fromSeq + entries.length;
        if (id !== seq) throw new StoreError(`log entry ${seq} is missing, the tip is ${tip}`, 'not-appended');
        entries.push({
          seq,
          bytes: fields[3] as Buffer,
          origin: { epoch: entryEpoch(answer.lineage, seq), writeId: String(fields[1]) },
        });
      }
      if (records.length < most && start + records.length <= tip) {
        throw new StoreError(`log entry ${start + records.length} is missing, the tip is ${tip}`, 'not-appended');
      }
      if (records.length < READ_SLICE_RECORDS || entries.length >= limit) return entries;
    }
  }

  async tip(): Promise<number> {
    return (await this.#range('log', { from: 1, most: 1, isNewestFirst: true })).tip;
  }

  async readEvents(beforeId: number, limit: number): Promise<EventEntry[]> {
    const last = Math.min(beforeId - 1, Number.MAX_SAFE_INTEGER);
    return this.#readEvents(limit, (events, most) => {
      const to = events.at(-1)?.id ?? last + 1;
      return to <= 1 ? null : { from: 1, to: to - 1, most, isNewestFirst: true };
    });
  }

  async readEventsForward(fromId: number, limit: number): Promise<EventEntry[]> {
    return this.#readEvents(limit, (events, most) => {
      const from = (events.at(-1)?.id ?? Math.max(0, fromId - 1)) + 1;
      return { from, most };
    });
  }

  async readEventsById(ids: readonly number[]): Promise<EventEntry[]> {
    this.#refuseUnlessOpen();
    return readEventsById(this.#history, this.#parts.keys, ids);
  }

  async firstEventId(): Promise<number | null> {
    this.#refuseUnlessOpen();
    return firstEventId(this.#history, this.#parts.keys);
  }

  async measureAuditLog(): Promise<AuditLog> {
    this.#refuseUnlessOpen();
    return measureAuditLog(this.#history, this.#parts.keys);
  }

  async trimAuditLog(auditLog: AuditLog, oldest: readonly EventEntry[]): Promise<boolean> {
    this.#refuseUnlessOpen();
    return trimAuditLog(this.#history, this.#parts.keys, auditLog, oldest);
  }

  async saveSnapshot(seq: number, pieces: AsyncIterable<Uint8Array>): Promise<SnapshotInfo> {
    this.#refuseUnlessOpen();
    return this.#snapshots.save(seq, pieces);
  }

  async loadSnapshot(): Promise<{ info: SnapshotInfo; pieces: AsyncIterable<Uint8Array> } | null> {
    this.#refuseUnlessOpen();
    return this.#snapshots.load();
  }

  async snapshotSeq(): Promise<number> {
    this.#refuseUnlessOpen();
    return this.#snapshots.currentSeq();
  }

  async trim(throughSeq: number, options?: TrimOptions): Promise<void> {
    this.#refuseUnlessOpen();
    await this.#snapshots.trim(throughSeq, options);
  }

  onTip(listener: TipListener): () => void {
    const own: TipListener = (tip, entries) => listener(tip, entries);
    this.#tipListeners.add(own);
    return () => void this.#tipListeners.delete(own);
  }

  status(): StoreStatus {
    return this.#history.status();
  }

  async probe(): Promise<void> {
    this.#refuseUnlessOpen();
    await probeAppend(this.#appendParts);
  }

  get position(): LogPosition {
    return this.#history.appliedPosition;
  }

  lineAt(seq: number): LogPosition {
    return lineAt(this, seq);
  }

  get clockAheadMs(): number {
    return this.#history.clockAheadMs;
  }

  get epoch(): string {
    return this.#history.epoch;
  }

  get loss(): LogLoss | null {
    return this.#history.loss;
  }

  get eventsLoss(): EventsLoss | null {
    return this.#history.lostEvents.newest;
  }

  keepsEvents(newest: () => readonly EventEntry[]): void {
    this.#newestEvents = newest;
  }

  onLoss(listener: (loss: LogLoss | null) => void): () => void {
    this.#lossListeners.add(listener);
    return () => void this.#lossListeners.delete(listener);
  }

  async refill(content: RefillContent): Promise<'refilled' | 'not-refilled'> {
    const outcome = await refill({ ...this.#parts, history: this.#history }, content);
    if (outcome === 'refilled') this.#snapshots.forget();
    return outcome;
  }

  async adopt(): Promise<StoreOpening> {
    this.#history.forgetKnownPosition();
    this.#snapshots.forget();
    return this.#awaitOpening();
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    await this.#appending;
    this.#tipListeners.clear();
    this.#lossListeners.clear();
    await Promise.all([this.#history.close(), this.#subscription.close()]);
  }

  async #awaitOpening(): Promise<StoreOpening> {
    const { clock, timeouts } = this.#parts;
    const untilMs = clock.nowMs() + timeouts.openMs;
    for (;;) {
      const confirmedSession = await this.#history.awaitConfirmedSession(untilMs);
      const { lastStatus, lastingReason, loss, reason } = this.#history;
      if (confirmedSession && lastStatus?.serverPosition)
        return { epoch: confirmedSession.epoch, tip: lastStatus.serverPosition.seq, firstSeq: lastStatus.firstSeq };
      const leftMs = untilMs - clock.nowMs();
      if (lastingReason || loss || leftMs <= 0 || this.#state === 'closed') {
        throw new StoreError(`cannot open the store in Redis: ${lastingReason ?? reason}`, 'not-appended');
      }
      await this.#history.awaitChange(leftMs);
    }
  }

  take(seq: number, { epoch, writeId }: EntryOrigin): boolean {
    return this.#history.take(epoch, seq, writeId);
  }

  noteStatePosition(seq: number, origin?: EntryOrigin): void {
    const foundTip = this.#foundTip;
    if (origin) this.#history.take(origin.epoch, seq, origin.writeId);
    else if (foundTip?.tip === seq) this.#history.take(entryEpoch(foundTip.lineage, seq), seq, foundTip.tipWrite);
  }

  #onHint({ epoch, tip, entries }: Hint): void {
    const { knownPosition, loss, epoch: followedEpoch } = this.#history;
    if (loss || followedEpoch !== epoch) {
      this.#history.nudge();
      return;
    }
    if (tip <= knownPosition.seq) return;
    this.#announceTip(tip, entries.length > 0 ? entries : undefined);
  }

  #announceTip(tip: number, entries?: readonly LogEntry[]): void {
    for (const listener of this.#tipListeners) listener(tip, entries);
  }

  async #readEvents(
    limit: number,
    next: (events: readonly EventEntry[], most: number) => Range | null,
  ): Promise<EventEntry[]> {
    const events: EventEntry[] = [];
    while (events.length < limit) {
      const range = next(events, Math.min(READ_SLICE_RECORDS, limit - events.length));
      if (!range) break;
      const { records } = await this.#range('events', range);
      for (const { id, fields } of records) events.push({ id, bytes: fields[1] as Buffer });
      if (records.length < range.most) break;
    }
    return events;
  }

  #range(stream: 'log' | 'events', { from, to, most, isNewestFirst = false }: Range): Promise<RangeAnswer> {
    this.#refuseUnlessOpen();
    const { keys } = this.#parts;
    return this.#history.attempt(`read the ${stream}`, async ({ session, guard, lineage }) => {
      const newest = stream === 'log' ? 'tip' : 'lastEvent';
      const args = [...guard, from, to ?? '+', most, isNewestFirst ? 1 : 0, newest];
      const reply = (await session.run(READ, [keys.meta, keys[stream]], args)) as Reply[];
      if (String(reply[0]) === 'stale') return STALE;
      const records = (reply[4] as [Buffer, Reply[]][]).map(([id, fields]) => ({
        id: Number.parseInt(String(id), 10),
        fields,
      }));
      const [, tip, firstSeq, tipWrite] = reply.slice(0, 4).map(String);
      return { tip: Number(tip), firstSeq: Number(firstSeq), tipWrite: tipWrite ?? '', lineage, records };
    });
  }

  #refuseUnlessOpen(): void {
    if (this.#state !== 'open') throw new StoreError('the store is not open', 'not-appended');
  }
}

function checkBatch({ expectedTip, entries, writeId }: AppendBatch): void {
  assert(entries.length > 0, 'a batch has at least one entry');
  assert(/^[\x21-\x7e]+$/.test(writeId), 'a writeId is printable and has no space');
  for (const [index, { seq }] of entries.entries()) {
    assert(seq === expectedTip + 1 + index, `entry ${seq} does not follow tip ${expectedTip} at index ${index}`);
  }
}
