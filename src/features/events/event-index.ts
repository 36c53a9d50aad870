import { maySeeNamed } from '../../access/visibility.ts';
import { type Asker, SERVICE } from '../../base/asking/asker.ts';
import type { Logger } from '../../base/logger.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Replica } from '../../engine/replica.ts';
import type { AuditEvent } from '../../model/event.ts';
import { decodeEvent, decodeEventHead } from '../../state/commit.ts';
import { projectsInData } from '../../state/named-projects.ts';
import { decodePastNames } from '../../state/past.ts';
import { type EventEntry, type Store, StoreError } from '../../stores/store.ts';
import { EventColumns } from './columns.ts';
import { eventMatches, type PageRange, type ReadersQuery } from './query.ts';
import { ReadingPace } from './reading-pace.ts';

/** When this number of events is not in the index yet, the index updates itself in the background. */
const BEHIND_MAX = 1_024;

/** Maximum number of events that the index reads at a time. If events are large, it reads fewer at a time. */
const READ_EVENTS_MAX = 64;

/** Decodes an event, or the parts of it that are needed. @throws UnknownFormatError */
export type DecodeEvent = (bytes: Uint8Array) => AuditEvent;

export interface FoundPage {
  /** Newest first. Read from the store during iteration: one page may have a gigabyte. @throws StoreError */
  readonly events: AsyncIterable<AuditEvent>;
  /** Number of matching events on all pages. */
  readonly total: number;
  /** Where the audit log begins: the id of the oldest event or, if there is no event, the id of the next event. */
  readonly firstId: number;
}

/**
 * Finds audit events by their fields. After a start, the index is built in the background from the stored events. A search adds the events that are
 * missing in the index. Writes do not update the index, and the index is not stored.
 */
export class EventIndex {
  readonly #replica: Replica;
  readonly #store: Store;
  readonly #logger: Logger;
  #columns = new EventColumns();
  #generation = 0;
  #filling: Promise<void> | undefined;
  #finding: Promise<number> | undefined;
  #isStarted = false;
  #isClosed = false;

  constructor(replica: Replica, store: Store, logger: Logger) {
    this.#replica = replica;
    this.#store = store;
    this.#logger = logger;
    replica.onApplied(() => {
      if (this.#isStarted && replica.state.lastEventId - this.#columns.nextId >= BEHIND_MAX) this.#fillInBackground();
    });
    // The new state may have another history, with other events.
    replica.onReplaced(() => {
      this.#startOver();
    });
  }

  /** Starts to build the index in the background. The store must be open. */
  start(): void {
    this.#isStarted = true;
    this.#fillInBackground();
  }

  /** How many events are in the index. */
  get size(): number {
    return this.#columns.size;
  }

  /** How many events are not in the index yet. */
  get behind(): number {
    return Math.max(0, this.#replica.state.lastEventId + 1 - this.#columns.nextId);
  }

  /** Reads where the audit log begins and drops older events from the index. Any replica may have trimmed the log. @throws StoreError */
  findBeginning(): Promise<number> {
    // Only one read runs at a time: an older result that arrives late would look as if dropped events were restored.
    this.#finding ??= this.#findBeginning(this.#columns).finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  async #findBeginning(columns: EventColumns): Promise<number> {
    const newest = this.#replica.state.lastEventId;
    const firstId = (await this.#store.firstEventId()) ?? newest + 1;
    if (columns !== this.#columns) return firstId;
    // Older events were restored, for instance from a copy of the store.
    if (firstId < columns.firstId) this.#startOver();
    this.#columns.dropBefore(firstId);
    return firstId;
  }

  /** The events that match now, newest first. @throws StoreError */
  async search(query: ReadersQuery, page: PageRange, asker: Asker, decode?: DecodeEvent): Promise<FoundPage> {
    const firstId = await this.catchUp();
    const { ids, total } = await inSlices(this.#columns.find(query, page), Slicer.of(asker));
    return { events: this.events(ids, query, asker, decode), total, firstId };
  }

  /** When the event happened, in milliseconds since the epoch; undefined if it was dropped. */
  timeMsOf(id: number): number | undefined {
    return this.#columns.timeMsOf(id);
  }

  /** The columns of all events up to the last event of the state. @throws StoreError */
  async upToDate(): Promise<EventColumns> {
    await this.catchUp();
    return this.#columns;
  }

  /** Adds all events up to the last event of the state to the index. Returns the id at which the audit log begins. @throws StoreError */
  async catchUp(): Promise<number> {
    const newest = this.#replica.state.lastEventId;
    const firstId = await this.findBeginning();
    while (this.#columns.nextId <= newest && this.#replica.state.lastEventId >= newest) await this.#fill();
    return firstId;
  }

  /** The ids of the events that match, newest first, in lists of up to 65,535 ids. Each step is short. Call it after `catchUp`. */
  matchingIds(query: ReadersQuery): Iterable<readonly number[]> {
    return this.#columns.matchingIds(query);
  }

  /** These events as they are stored, in this order, without those that were dropped. @throws StoreError */
  read(ids: readonly number[]): Promise<EventEntry[]> {
    return this.#store.readEventsById(ids);
  }

  /** These events, in this order, without those that were dropped or do not match. Read from the store during iteration. @throws StoreError */
  async *events(
    ids: readonly number[],
    query: ReadersQuery,
    asker: Asker,
    decode: DecodeEvent = decodeEvent,
  ): AsyncGenerator<AuditEvent, void, void> {
    const slicer = Slicer.of(asker);
    const pace = new ReadingPace();
    for (let at = 0; at < ids.length; ) {
      const batch = ids.slice(at, at + pace.eventsPerRead);
      at += batch.length;
      const entries = await this.read(batch);
      pace.recordRead(entries);
      for (const { bytes } of entries) {
        const event = decode(bytes);
        if (slicer.spent) await slicer.pause();
        // An event that does not match belongs to another history: the state was replaced since the search.
        if (!eventMatches(event, query)) continue;
        const { readable } = query;
        if (readable && !maySeeNamed(readable, await inSlices(projectsInData(bytes, event.project), slicer))) continue;
        yield event;
      }
    }
  }

  /** The newest events with ids below `beforeId`, at most `limit`, without filters. Read from the store during iteration. @throws StoreError */
  async *newest(
    beforeId: number,
    limit: number,
    asker: Asker,
    decode: DecodeEvent = decodeEvent,
  ): AsyncGenerator<AuditEvent, void, void> {
    const slicer = Slicer.of(asker);
    const pace = new ReadingPace();
    let before = beforeId;
    for (let remaining = limit; remaining > 0; ) {
      const count = Math.min(remaining, pace.eventsPerRead);
      const entries = await this.#store.readEvents(before, count);
      pace.recordRead(entries);
      for (const { id, bytes } of entries) {
        before = id;
        yield decode(bytes);
        if (slicer.spent) await slicer.pause();
      }
      remaining = entries.length < count ? 0 : remaining - count;
    }
  }

  /** The ids of up to `limit` users who caused a matching event, each with the id of their newest such event. @throws StoreError */
  async authors(query: ReadersQuery, limit: number, asker: Asker): Promise<ReadonlyMap<number, number>> {
    await this.catchUp();
    return inSlices(this.#columns.authors(query, limit), Slicer.of(asker));
  }

  /** How many times the index was rebuilt. Results from an earlier generation are about other events. */
  get generation(): number {
    return this.#generation;
  }

  /** Passes every matching event from `fromId` on to `visit`, in slices. Returns the id from which to continue. Call it after `catchUp`. */
  scan(
    query: ReadersQuery,
    fromId: number,
    visit: (project: string | null, timeMs: number) => void,
    asker: Asker,
  ): Promise<number> {
    return inSlices(this.#columns.scan(query, fromId, visit), Slicer.of(asker));
  }

  #startOver(): void {
    this.#columns = new EventColumns();
    this.#generation++;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#filling?.catch(() => {});
  }

  #fillInBackground(): void {
    if (this.#isClosed || this.#filling) return;
    this.#fill().catch((error: unknown) => {
      // The next search tries again.
      if (!this.#isClosed)
        this.#logger.warn(
          { err: error },
          'audit events could not be added to the search index; the next search tries again',
        );
    });
  }

  /** Adds all events up to the last event of the state to the index. Only one run is active: callers during a run wait for that run. */
  #fill(): Promise<void> {
    if (this.#isClosed) return Promise.reject(new StoreError('the store is being closed', 'not-appended'));
    this.#filling ??= this.#fillColumns(this.#columns).finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #fillColumns(columns: EventColumns): Promise<void> {
    const startedMs = performance.now();
    const startedAt = columns.nextId;
    const { state } = this.#replica;
    // Work of the service: the index is kept for all requests.
    const slicer = Slicer.of(SERVICE);
    const pace = new ReadingPace(READ_EVENTS_MAX);
    // The beginning must be known before the first event is read, so that dropped events are not requested.
    if (columns.size === 0) await this.findBeginning();
    while (columns === this.#columns && columns.nextId <= state.lastEventId && !this.#isClosed) {
      const { lastEventId } = state;
      const limit = Math.min(pace.eventsPerRead, lastEventId - columns.nextId + 1);
      const entries = await this.#store.readEventsForward(columns.nextId, limit);
      pace.recordRead(entries);
      for (const { id, bytes } of entries) {
        // Any other event was dropped from the index during the read, or its commit is not applied yet.
        const adding = id >= columns.nextId && id <= lastEventId ? add(columns, id, bytes) : undefined;
        while (adding?.next().done === false) if (slicer.spent) await slicer.pause();
        if (slicer.spent) await slicer.pause();
      }
      const last = entries.length < limit ? lastEventId : (entries.at(-1)?.id ?? 0);
      columns.skipTo(Math.min(last, lastEventId) + 1);
    }
    const added = columns.nextId - startedAt;
    if (added < BEHIND_MAX) return;
    const tookMs = Math.round(performance.now() - startedMs);
    this.#logger.info({ events: added, tookMs }, 'the search index has all audit events');
  }
}

/** Adds an event. Skips an event that this version cannot decode, so that all other events are still found. */
function* add(columns: EventColumns, id: number, bytes: Uint8Array): Steps<void> {
  try {
    const names = yield* decodePastNames(bytes);
    // The beginning may have been dropped during a pause.
    const head = decodeEventHead(bytes);
    const named = yield* projectsInData(bytes, head.project);
    if (id >= columns.nextId) columns.add(id, head, names, named);
  } catch {
    // Another version wrote the event.
  }
}
