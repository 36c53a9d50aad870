import { type Clock, DAY_MS, isoTime, YEAR_MS } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { type Pause, Rounds } from '../../base/rounds.ts';
import { yieldControl } from '../../base/yield-control.ts';
import type { Replica } from '../../engine/replica.ts';
import { AUDIT_SLICE_EVENTS, type AuditLog, type EventEntry, type Store, StoreError } from '../../stores/store.ts';
import type { EventIndex } from './event-index.ts';
import { countExceeding, exceedsBounds, type RetentionBounds, timeOf } from './retention-bounds.ts';

/** After this many new events, the next check begins without waiting for `everyMs`. */
const NEW_EVENTS_MAX = 1_024;
/** The approximate size of one slice of events that are read to be dropped. */
const SLICE_BYTES = 256 * 1024;
/** The pause between two slices of a measurement, because other requests also wait for the store. */
const MEASURE_PAUSE_MS = 10;

interface RetentionParts {
  readonly replica: Replica;
  readonly store: Store;
  readonly index: EventIndex;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly bounds: RetentionBounds;
  /** The interval between two checks. */
  readonly everyMs: number;
}

/** The audit log at the time of the last check, for operators and gauges. */
export interface AuditLogStatus {
  /** Where the audit log begins: the id of the oldest event or, if there is no event, the id of the next event. */
  readonly firstId: number;
  readonly count: number;
  /** The size of the audit log in the store, in bytes; null until it is measured. */
  readonly sizeBytes: number | null;
  /** When the oldest event happened; null when there is no event, or when this version cannot decode it. */
  readonly since: string | null;
  /** The estimated size of one year of events, in bytes, computed from the kept events; null when these cover less than a day. */
  readonly yearBytes: number | null;
}

/**
 * Keeps the audit log within its bounds. It checks periodically and drops the oldest events, one slice at a time, until no bound is exceeded. Every
 * replica does so, without a leader: a slice is dropped only if the audit log still begins with it, and the decision depends only on the content of
 * the store. If a replica is killed between two slices, the audit log begins a few events later, and another replica continues.
 *
 * A write does no work for the retention: applied commits are only counted.
 */
export class AuditLogRetention {
  readonly #parts: RetentionParts;
  readonly #rounds: Rounds;
  #status: AuditLogStatus | null = null;
  #oldest: { readonly id: number; readonly atMs: number | null } | null = null;
  /** Id of an event. When the state contains this event, a check is due. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** Events that are read at a time: fewer when they are large. */
  #sliceEvents = AUDIT_SLICE_EVENTS / 8;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    const { replica } = parts;
    this.#rounds = new Rounds(parts.clock, (closing) => this.#round(closing));
    replica.onApplied(() => {
      if (replica.state.lastEventId >= this.#dueAt) this.#wake();
    });
    replica.onReplaced(() => {
      this.#status = null;
      this.#oldest = null;
      this.#wake();
    });
  }

  /** Null until the first check. */
  get status(): AuditLogStatus | null {
    return this.#status;
  }

  /** Starts the checks. The store must be open. */
  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  #wake(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#rounds.wake();
  }

  async #round(closing: AbortSignal): Promise<Pause> {
    const { logger, everyMs } = this.#parts;
    try {
      await this.#check(closing);
    } catch (error) {
      // The check is repeated after the usual interval, not at the next commit.
      const level = error instanceof StoreError ? 'debug' : 'error';
      logger[level]({ err: error }, 'the oldest audit events could not be deleted; the next check tries again');
    }
    return { ms: everyMs, canWake: true };
  }

  async #check(closing: AbortSignal): Promise<void> {
    const { store, logger, index, replica, clock } = this.#parts;
    let dropped = 0;
    let lastEventId = 0;
    while (!closing.aborted) {
      lastEventId = replica.state.lastEventId;
      const auditLog = await store.measureAuditLog();
      await this.#findOldest(auditLog);
      this.#status = this.#statusOf(auditLog, lastEventId);
      // A log that is not measured yet may already exceed the other bounds.
      const oldest = await this.#findExceeding(auditLog);
      if (oldest && (await store.trimAuditLog(auditLog, oldest))) dropped += oldest.length;
      if (oldest) await yieldControl();
      else if (auditLog.sizeBytes === null) await clock.sleep(MEASURE_PAUSE_MS, closing);
      else break;
    }
    this.#dueAt = lastEventId + NEW_EVENTS_MAX;
    await index.findBeginning();
    if (replica.state.lastEventId >= this.#dueAt) this.#wake();
    if (dropped > 0)
      logger.info(
        { dropped, ...this.#status },
        'the oldest audit events were deleted, because the audit log was larger than its limits allow',
      );
  }

  /** The oldest events that exceed the bounds, at most one slice; null when there are none. */
  async #findExceeding(auditLog: AuditLog): Promise<readonly EventEntry[] | null> {
    const { store, clock, bounds } = this.#parts;
    const nowMs = clock.nowMs();
    if (auditLog.firstId === null || !exceedsBounds(auditLog, this.#oldest?.atMs ?? null, bounds, nowMs)) return null;
    const oldest = await store.readEventsForward(auditLog.firstId, this.#sliceEvents);
    const sizeBytes = oldest.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const fitting = (SLICE_BYTES / Math.max(1, sizeBytes)) * oldest.length;
    // The number is at most doubled, so that a slice stays small when large events follow small ones.
    this.#sliceEvents = Math.max(1, Math.min(AUDIT_SLICE_EVENTS, 2 * this.#sliceEvents, Math.floor(fitting)));
    const exceeding = countExceeding(auditLog, oldest, bounds, nowMs);
    return exceeding > 0 ? oldest.slice(0, exceeding) : null;
  }

  /** Reads the oldest event again only when another event is the oldest. */
  async #findOldest({ firstId }: AuditLog): Promise<void> {
    if (firstId === (this.#oldest?.id ?? null)) return;
    const { store, clock } = this.#parts;
    const [event] = firstId === null ? [] : await store.readEventsForward(firstId, 1);
    this.#oldest = event ? { id: event.id, atMs: timeOf(event.bytes, clock.nowMs()) } : null;
  }

  #statusOf({ firstId, count, sizeBytes }: AuditLog, lastEventId: number): AuditLogStatus {
    const atMs = this.#oldest?.atMs ?? null;
    const ageMs = atMs === null ? 0 : this.#parts.clock.nowMs() - atMs;
    return {
      firstId: firstId ?? lastEventId + 1,
      count,
      sizeBytes,
      since: atMs === null ? null : isoTime(atMs),
      yearBytes: sizeBytes === null || ageMs < DAY_MS ? null : Math.round((sizeBytes / ageMs) * YEAR_MS),
    };
  }
}
