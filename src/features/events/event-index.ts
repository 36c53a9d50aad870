import type { Logger } from '../../base/logger.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import type { Replica } from '../../engine/replica.ts';
import type { AuditEvent } from '../../model/event.ts';
import { decodeEvent, decodeEventHead } from '../../state/commit.ts';
import { type EventEntry, type Store, StoreError } from '../../stores/store.ts';
import { EventColumns } from './columns.ts';
import { type EventQuery, eventMatches, type PageRange } from './query.ts';
import { ReadingPace } from './reading-pace.ts';

/** Events the index may lie behind before it is brought up to date without being asked. */
const BEHIND_MAX = 1_024;

/** Events that are read at a time for the index, if they are small. */
const READ_EVENTS_MAX = 64;

export interface FoundPage {
  /** Newest first. Read while they are taken: a page of them may come to a gigabyte. @throws StoreError */
  readonly events: AsyncIterable<AuditEvent>;
  /** How many match, on this page or not. */
  readonly total: number;
  /** Where the audit log begins: the oldest event there is, or the next one when there is none. */
  readonly firstId: number;
}

/**
 * Finds audit events by their fields. It is read from the events themselves, in the background after a start, and brought up to date by searches: a
 * write does nothing for it, and nothing of it is stored.
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
    // The events may be those of another history.
    replica.onReplaced(() => {
      this.#renew();
    });
  }

  /** Opens the index in the background. The store is open. */
  start(): void {
    this.#isStarted = true;
    this.#fillInBackground();
  }

  /** Events that are in it. */
  get size(): number {
    return this.#columns.size;
  }

  /** Events that are not in it yet. */
  get behind(): number {
    return Math.max(0, this.#replica.state.lastEventId + 1 - this.#columns.nextId);
  }

  /** Finds out where the audit log begins, and forgets what was before: the oldest events are dropped, here or by another replica. @throws StoreError */
  findBeginning(): Promise<number> {
    // One at a time: an answer from before another one would let it seem that events have come back.
    this.#finding ??= this.#findBeginning(this.#columns).finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  async #findBeginning(columns: EventColumns): Promise<number> {
    const newest = this.#replica.state.lastEventId;
    const firstId = (await this.#store.firstEventId()) ?? newest + 1;
    if (columns !== this.#columns) return firstId;
    // Older events were put back, from a copy of the store for instance.
    if (firstId < columns.firstId) this.#renew();
    this.#columns.dropBefore(firstId);
    return firstId;
  }

  /** The events that match as of now, newest first. @throws StoreError */
  async search(query: EventQuery, page: PageRange): Promise<FoundPage> {
    const firstId = await this.catchUp();
    const { ids, total } = await inSlices(this.#columns.find(query, page));
    return { events: this.events(ids, query), total, firstId };
  }

  /** Brings it to where the state stands now. Returns where the audit log begins. @throws StoreError */
  async catchUp(): Promise<number> {
    const newest = this.#replica.state.lastEventId;
    const firstId = await this.findBeginning();
    while (this.#columns.nextId <= newest && this.#replica.state.lastEventId >= newest) await this.#fill();
    return firstId;
  }

  /** The ids of the events that match, newest first, up to 65,535 at a time; each step is short. To be called after `catchUp`. */
  matchingIds(query: EventQuery): Iterable<readonly number[]> {
    return this.#columns.matchingIds(query);
  }

  /** These events as they are stored, in this order, without those that are gone. @throws StoreError */
  read(ids: readonly number[]): Promise<EventEntry[]> {
    return this.#store.readEventsById(ids);
  }

  /** These events, in this order, without those that are gone or do not match after all. Read while they are taken. @throws StoreError */
  async *events(ids: readonly number[], query: EventQuery): AsyncGenerator<AuditEvent, void, void> {
    const slicer = new Slicer();
    const pace = new ReadingPace();
    for (let at = 0; at < ids.length; ) {
      const asked = ids.slice(at, at + pace.events);
      at += asked.length;
      const entries = await this.read(asked);
      pace.took(entries);
      for (const { bytes } of entries) {
        const event = decodeEvent(bytes);
        if (slicer.spent) await slicer.pause();
        // Else it is another history's: the state was exchanged since the search.
        if (eventMatches(event, query)) yield event;
      }
    }
  }

  /** The newest events with ids below `beforeId`, at most `limit`, whatever they tell. Read while they are taken. @throws StoreError */
  async *newest(beforeId: number, limit: number): AsyncGenerator<AuditEvent, void, void> {
    const slicer = new Slicer();
    const pace = new ReadingPace();
    let before = beforeId;
    for (let left = limit; left > 0; ) {
      const asked = Math.min(left, pace.events);
      const entries = await this.#store.readEvents(before, asked);
      pace.took(entries);
      for (const { id, bytes } of entries) {
        before = id;
        yield decodeEvent(bytes);
        if (slicer.spent) await slicer.pause();
      }
      left = entries.length < asked ? 0 : left - asked;
    }
  }

  /** The ids of those who caused events that match, each with their newest event. Once there are so many, older ones are left out. @throws StoreError */
  async authors(query: EventQuery, most: number): Promise<ReadonlyMap<number, number>> {
    await this.catchUp();
    return inSlices(this.#columns.authors(query, most));
  }

  /** How often it was begun anew: what was found before is of other events. */
  get generation(): number {
    return this.#generation;
  }

  /** Shows every event from `fromId` on that matches, in slices. Returns the id to go on from. To be called after `catchUp`. */
  scan(query: EventQuery, fromId: number, look: (project: string | null, timeMs: number) => void): Promise<number> {
    return inSlices(this.#columns.scan(query, fromId, look));
  }

  #renew(): void {
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
      // Whoever searches tries again.
      this.#logger.warn({ err: error }, 'the index of audit events is not up to date');
    });
  }

  /** Brings the index to where the state stands. One at a time: whoever comes meanwhile joins. */
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
    const slicer = new Slicer();
    const pace = new ReadingPace(READ_EVENTS_MAX);
    // Before the first event is read: those that were dropped are not asked for.
    if (columns.size === 0) await this.findBeginning();
    while (columns === this.#columns && columns.nextId <= state.lastEventId && !this.#isClosed) {
      const { lastEventId } = state;
      const limit = Math.min(pace.events, lastEventId - columns.nextId + 1);
      const entries = await this.#store.readEventsForward(columns.nextId, limit);
      pace.took(entries);
      for (const { id, bytes } of entries) {
        // Else it was dropped meanwhile, or is of a commit that is not applied yet.
        if (id >= columns.nextId && id <= lastEventId) add(columns, id, bytes);
        if (slicer.spent) await slicer.pause();
      }
      const last = entries.length < limit ? lastEventId : (entries.at(-1)?.id ?? 0);
      columns.skipTo(Math.min(last, lastEventId) + 1);
    }
    const added = columns.nextId - startedAt;
    if (added < BEHIND_MAX) return;
    const tookMs = Math.round(performance.now() - startedMs);
    this.#logger.info({ events: added, tookMs }, 'the index of audit events is open');
  }
}

/** One event that this version cannot decode does not keep the others from being found. */
function add(columns: EventColumns, id: number, bytes: Uint8Array): void {
  try {
    columns.add(id, decodeEventHead(bytes));
  } catch {
    // Another version wrote it.
  }
}
