import { SERVICE } from '../../../base/asking/asker.ts';
import { type Clock, isoTime } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { Rejection } from '../../../base/rejection.ts';
import type { Sealer } from '../../../base/sealing.ts';
import { inSlices, Slicer, yieldControl } from '../../../base/yield-control.ts';
import type { Config } from '../../../config.ts';
import type { Writer } from '../../../engine/writer.ts';
import { systemCaller } from '../../../model/caller.ts';
import { projectsNamedByEvent } from '../../../state/named-projects.ts';
import type { State } from '../../../state/state.ts';
import { type EventEntry, StoreError } from '../../../stores/store.ts';
import type { Addon, AddonAttempt, AddonDelivery } from '../addon.ts';
import { maySend, sends } from '../filter.ts';
import { openedParameters } from '../parameters.ts';
import { providerOf } from '../providers/providers.ts';
import { claimAddon, recordDeliveries } from './commands.ts';
import { deliver, failed, type Outcome, skipped } from './deliver.ts';
import type { Destinations } from './destinations.ts';
import { type EventFeed, headOf } from './event-feed.ts';
import { pauseAfter } from './pauses.ts';
import { sentEvent } from './sent-event.ts';

/** The longest sleep. After this time at the latest, a courier notices that the clock has jumped. */
const IDLE_MS = 30_000;
/** The pause after a failed write or read of the store. */
const RETRY_MS = 1_000;
/** Deliveries that are stored together: a kill repeats at most so many. */
const BATCH_MAX = 16;
/** How long a delivery waits for others to be stored with. */
const BATCH_MS = 500;
/** After this many events that the add-on does not send, the position is stored, so that a start does not read them again. */
const SKIPPED_MAX = 4_096;
/** Time for which a lease must still last when an attempt begins, in addition to the attempt itself. */
const LEASE_MARGIN_MS = 2_000;

type Attempt = Omit<AddonAttempt, 'addon' | 'number'>;

/** The parts that all couriers share. */
export interface CourierParts {
  readonly state: State;
  readonly writer: Pick<Writer, 'submit'>;
  readonly feed: EventFeed;
  /** The clock of the store: leases end at the same time on all replicas. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  readonly config: Config;
  readonly sealer: Sealer | null;
  readonly destinations: Destinations;
  /** Identifies this process. */
  readonly holder: string;
  /** Whether other processes may send the same events, so that a lease decides which one does. */
  readonly isShared: boolean;
  /** Counts an attempt. */
  readonly count: (addon: Addon, outcome: Outcome) => void;
}

/**
 * Sends the events of one add-on, one after the other. On every replica there is a courier for each add-on, and the one with the lease sends. The
 * position is stored after the delivery, so a kill between the two repeats a delivery and loses none.
 */
export class Courier {
  readonly #id: number;
  readonly #parts: CourierParts;
  readonly #closing = new AbortController();
  /** Ends the attempt in progress. */
  readonly #stopping = new AbortController();
  #waking = new AbortController();
  #running: Promise<void> | undefined;
  /** The version of the add-on for which the events up to `#position` were filtered. */
  #addon: Addon | undefined;
  /** Id of the last event that was delivered, or that the add-on does not send. Never before the stored cursor. */
  #position = 0;
  /** Deliveries that are not stored yet. */
  #batch: Attempt[] = [];
  #batchSinceMs = 0;
  /** A batch that could not be stored, with the failure that it ends with. Nothing is sent until it is stored, so that a kill repeats few events. */
  #unstored: { readonly failure: Outcome | null } | undefined;
  /** The targets that got the next event in an earlier attempt of this process. */
  #partly: { readonly eventId: number; readonly targets: Set<string> } | undefined;

  constructor(id: number, parts: CourierParts) {
    this.#id = id;
    this.#parts = parts;
  }

  /** Id of the last event that needs no attempt, as far as this process knows. */
  get position(): number {
    return Math.max(this.#position, this.#delivery?.cursor ?? 0);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Looks for work now, and not only after the current pause. */
  wake(): void {
    // Each call of `abort` creates an error object, even on an aborted signal.
    if (!this.#waking.signal.aborted) this.#waking.abort();
  }

  /** Another history has replaced the state: positions of the former one have no meaning. */
  replaced(): void {
    this.#forget();
    this.wake();
  }

  #forget(): void {
    this.#addon = undefined;
    this.#position = 0;
    this.#batch = [];
    this.#unstored = undefined;
  }

  /** The attempt in progress may end in this time. Otherwise another start or another process repeats it. */
  async close(graceMs: number): Promise<void> {
    this.#closing.abort();
    this.wake();
    AbortSignal.timeout(graceMs).addEventListener('abort', () => this.#stopping.abort());
    await this.#running;
  }

  get #delivery(): AddonDelivery | undefined {
    return this.#parts.state.get('addonDeliveries', String(this.#id));
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#parts;
    while (!this.#closing.signal.aborted) {
      this.#waking = new AbortController();
      let waitMs = RETRY_MS;
      try {
        waitMs = await this.#step();
      } catch (error) {
        const level = error instanceof StoreError ? 'debug' : 'error';
        logger[level]({ err: error, addon: this.#id }, 'events of an integration could not be sent; trying again');
      }
      if (waitMs > 0 && !this.#closing.signal.aborted) await clock.sleep(waitMs, this.#waking.signal);
    }
    await this.#giveUpLease().catch(() => {});
  }

  /** Does the next piece of work. Returns how long to wait before the next one, in milliseconds. */
  async #step(): Promise<number> {
    const { state, clock } = this.#parts;
    if (this.#unstored) return this.#store(this.#unstored.failure);
    const addon = state.get('addons', String(this.#id));
    const delivery = this.#delivery;
    if (addon !== this.#addon && this.#batch.length > 0) return this.#store(null);
    if (!addon || !delivery || !addon.enabled || delivery.parkedAt !== null) return IDLE_MS;
    if (addon !== this.#addon || delivery.cursor > this.#position) this.#begin(addon, delivery);
    const pauseMs = delivery.nextAttemptAt === null ? 0 : Date.parse(delivery.nextAttemptAt) - clock.nowMs();
    if (pauseMs > 0) return Math.min(pauseMs, IDLE_MS);
    const next = await this.#next(addon);
    if (addon !== state.get('addons', String(this.#id))) return 0;
    if (!next) {
      const isStorable = this.#batch.length > 0 || this.#position - delivery.cursor >= SKIPPED_MAX;
      if (isStorable) return (await this.#leaseWaitMs()) || this.#store(null);
      return this.#position < state.lastEventId ? 0 : IDLE_MS;
    }
    const leaseWaitMs = await this.#leaseWaitMs();
    if (leaseWaitMs > 0) return leaseWaitMs;
    // The process that had the lease before may have delivered the event.
    if ((this.#delivery?.cursor ?? 0) >= next.id || this.#closing.signal.aborted) return 0;
    return await this.#attempt(addon, next);
  }

  #begin(addon: Addon, { cursor }: AddonDelivery): void {
    this.#position = cursor;
    this.#addon = addon;
    this.#batch = [];
  }

  /** The next event that the add-on sends; undefined if this piece of the audit log has none. */
  async #next(addon: Addon): Promise<EventEntry | undefined> {
    const { state, feed } = this.#parts;
    if (this.#position >= state.lastEventId) return undefined;
    const { generation } = state;
    const { entries, throughId, deletedBefore } = await feed.after(this.#position);
    if (state.generation !== generation) return undefined;
    if (deletedBefore > this.#position + 1) this.#reportDeleted(deletedBefore);
    // Work of the service: no request waits for integrations.
    const slicer = Slicer.of(SERVICE);
    for (const entry of entries) {
      if (entry.id <= this.#position) continue;
      const head = headOf(entry);
      if (head && sends(addon, head)) {
        const named = await inSlices(projectsNamedByEvent(entry.bytes, head.project), slicer);
        if (state.generation !== generation) return undefined;
        if (maySend(state, addon, named)) return entry;
      }
      this.#position = entry.id;
      if (slicer.spent) await slicer.pause();
      if (state.generation !== generation) return undefined;
    }
    this.#position = Math.max(this.#position, throughId);
    return undefined;
  }

  /** The retention of the audit log has deleted events that were not sent: a destination failed for too long. */
  #reportDeleted(firstId: number): void {
    const { clock, logger } = this.#parts;
    const stateDetails = `The events ${this.#position + 1} to ${firstId - 1} were deleted from the audit log (EVENTS_KEEP_…) before they were sent.`;
    logger.warn(
      { addon: this.#id, from: this.#position + 1, to: firstId - 1 },
      'events were deleted before an integration sent them',
    );
    const at = isoTime(clock.nowMs());
    this.#batch.push({ eventId: firstId - 1, at, state: 'failed', stateDetails, status: null });
    this.#position = firstId - 1;
  }

  async #attempt(addon: Addon, entry: EventEntry): Promise<number> {
    const { clock, count, state: served } = this.#parts;
    const { id: eventId } = entry;
    const { generation } = served;
    // One event wakes all couriers: each prepares its messages in a turn of its own.
    await yieldControl();
    const outcome = await this.#deliver(addon, entry);
    // The event belongs to a history that was replaced meanwhile. Its id has no meaning in the new one.
    if (served.generation !== generation) return 0;
    if (this.#stopping.signal.aborted && outcome.state === 'failed') return 0;
    count(addon, outcome);
    const { state, details: stateDetails, status } = outcome;
    const nowMs = clock.nowMs();
    if (this.#batch.length === 0) this.#batchSinceMs = nowMs;
    this.#batch.push({ eventId, at: isoTime(nowMs), state, stateDetails, status });
    if (state === 'failed' && !outcome.isSkipped) return this.#store(outcome);
    this.#position = eventId;
    const isDue = this.#batch.length >= BATCH_MAX || nowMs - this.#batchSinceMs >= BATCH_MS;
    return isDue ? this.#store(null) : 0;
  }

  async #deliver(addon: Addon, entry: EventEntry): Promise<Outcome> {
    const { sealer, destinations, config, clock, state } = this.#parts;
    const provider = providerOf(addon.provider);
    if (!provider) return failed(`This version of Burgee has no provider ${addon.provider}.`);
    const parameters = openedParameters(provider, addon.parameters, sealer);
    if (parameters instanceof Rejection) return failed(parameters.message);
    if (this.#partly?.eventId !== entry.id) this.#partly = { eventId: entry.id, targets: new Set() };
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(config.addonTimeoutMs)]);
    try {
      const event = sentEvent(entry, addon.id, clock.nowMs(), { config, state });
      return await deliver(event, provider, parameters, {
        destinations,
        signal,
        delivered: this.#partly.targets,
      });
    } catch (error) {
      this.#parts.logger.error({ err: error, addon: addon.id }, 'an event could not be prepared for an integration');
      return skipped('The event could not be prepared.');
    }
  }

  /** Stores the batch. `failure`: the last attempt of the batch, if it failed. Returns how long to wait. */
  async #store(failure: Outcome | null): Promise<number> {
    const { clock, writer, random, holder } = this.#parts;
    const delivery = this.#delivery;
    if (!delivery) {
      this.#forget();
      return 0;
    }
    const nowMs = clock.nowMs();
    const isAfterSuccess = failure !== null && this.#batch.length > 1;
    const since = isAfterSuccess || delivery.failingSince === null ? nowMs : Date.parse(delivery.failingSince);
    const pauseMs =
      failure &&
      pauseAfter((isAfterSuccess ? 0 : delivery.failures) + 1, nowMs - since, {
        random: random(),
        retryAfterMs: failure.retryAfterMs,
      });
    const input = {
      id: this.#id,
      holder,
      leaseMs: this.#leaseMs,
      cursor: this.#position,
      attempts: this.#batch,
      failure: failure && {
        nextAttemptAt: pauseMs === null ? null : isoTime(nowMs + pauseMs),
        isParked: pauseMs === null,
      },
    };
    this.#unstored = { failure };
    const outcome = await writer.submit(recordDeliveries, input, systemCaller());
    if (outcome instanceof Rejection) {
      // If the store can be written to, another process has the lease now, and sends these events again.
      if (outcome.name !== 'ServiceUnavailableError') this.#forget();
      return RETRY_MS;
    }
    this.#batch = [];
    this.#unstored = undefined;
    return 0;
  }

  get #leaseMs(): number {
    return this.#parts.isShared ? 3 * this.#parts.config.addonTimeoutMs + 2 * LEASE_MARGIN_MS : 0;
  }

  /** 0: this process may send now. Otherwise how long to wait. */
  async #leaseWaitMs(): Promise<number> {
    const { isShared, clock, config, holder, writer } = this.#parts;
    const lease = this.#delivery?.lease ?? null;
    const leftMs = lease ? Date.parse(lease.until) - clock.nowMs() : 0;
    if (lease && lease.holder !== holder && leftMs > 0) return Math.min(leftMs, IDLE_MS);
    if (!isShared || (lease?.holder === holder && leftMs >= config.addonTimeoutMs + LEASE_MARGIN_MS)) return 0;
    const input = { id: this.#id, holder, leaseMs: this.#leaseMs };
    const outcome = await writer.submit(claimAddon, input, systemCaller());
    return outcome instanceof Rejection ? RETRY_MS : 0;
  }

  /** Stores the last deliveries, and lets another process continue without waiting for the end of the lease. */
  async #giveUpLease(): Promise<void> {
    const { writer, holder, isShared } = this.#parts;
    const isHolder = this.#delivery?.lease?.holder === holder;
    if (!isHolder && (isShared || this.#batch.length === 0)) return;
    const input = { id: this.#id, holder, leaseMs: 0, cursor: this.#position, attempts: this.#batch, failure: null };
    await writer.submit(recordDeliveries, input, systemCaller());
  }
}
