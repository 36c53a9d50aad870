import type { Logger } from '../../base/logger.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import type { Replica } from '../../engine/replica.ts';
import type { AuditEvent } from '../../model/event.ts';
import { decodeEvent } from '../../state/commit.ts';
import {
  ABSENT_FACT,
  type EventQuery,
  eventMatches,
  FACT_BYTES,
  type FactPage,
  factOf,
  hasFact,
  UNREADABLE_FACT,
} from '../../state/event-facts.ts';
import { type EventPage, FactTable } from '../../state/fact-table.ts';
import { type EventEntry, type Store, StoreError } from '../../stores/store.ts';
import { ReadingPace } from './reading-pace.ts';

/** Events the index may lie behind before it is brought up to date without being asked. */
const BEHIND_MAX = 1_024;

/** Facts that are read at a time: one to two milliseconds to take in. */
const READ_FACTS = 2_048;

/** Is shown a fact: where it stands. */
type FactLook = (page: FactPage, place: number) => void;

const NO_FACT = new Uint8Array(FACT_BYTES);

/** Events that are read at a time to make their facts. */
const READ_EVENTS = 64;

export interface FoundPage {
  /** Newest first. Read while they are taken: a page of them may come to a gigabyte. @throws StoreError */
  readonly events: AsyncIterable<AuditEvent>;
  /** How many match, on this page or not. */
  readonly total: number;
  /** Where the trail begins: the oldest event there is, or the next one when there is none. */
  readonly firstId: number;
}

/**
 * Finds audit events by what they tell. It is read from the facts beside the events, in the background after a start, and brought up to date when
 * somebody searches: nothing of it is on the way of a write. Events without a fact, such as those of older versions, are decoded once and
 * given one, which is stored.
 */
export class EventIndex {
  readonly #replica: Replica;
  readonly #store: Store;
  readonly #logger: Logger;
  #table = new FactTable();
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
      if (this.#isStarted && replica.state.lastEventId - this.#table.nextId >= BEHIND_MAX) this.#fillInBackground();
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
    return this.#table.size;
  }

  /** Finds out where the trail begins, and forgets what was before: the oldest events are dropped, here or by another replica. @throws StoreError */
  findBeginning(): Promise<number> {
    // One at a time: an answer from before another one would let it seem that events have come back.
    this.#finding ??= this.#findBeginning(this.#table).finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  async #findBeginning(table: FactTable): Promise<number> {
    const newest = this.#replica.state.lastEventId;
    const firstId = (await this.#store.firstEventId()) ?? newest + 1;
    if (table !== this.#table) return firstId;
    // Older events were put back, from a copy of the store for instance.
    if (firstId < table.firstId) this.#renew();
    this.#table.dropBefore(firstId);
    return firstId;
  }

  /** The events that match as of now, newest first. @throws StoreError */
  async search(query: EventQuery, page: EventPage): Promise<FoundPage> {
    const firstId = await this.catchUp();
    const { ids, total } = await inSlices(this.#table.find(query, page));
    return { events: this.events(ids, query), total, firstId };
  }

  /** Brings it to where the state stands now. Tells where the trail begins. @throws StoreError */
  async catchUp(): Promise<number> {
    const newest = this.#replica.state.lastEventId;
    const firstId = await this.findBeginning();
    while (this.#table.nextId <= newest && this.#replica.state.lastEventId >= newest) await this.#fill();
    return firstId;
  }

  /** The ids of the events that match, newest first, some thousands at a time; each step is short. To be called after `catchUp`. */
  matchingIds(query: EventQuery): Iterable<readonly number[]> {
    return this.#table.matchingIds(query);
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
        // Else another name with the same bits.
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
    return inSlices(this.#table.authors(query, most));
  }

  /** How often it was begun anew: what was told of its facts before is of other events. */
  get generation(): number {
    return this.#generation;
  }

  /** Shows every fact from `fromId` on, oldest first, in slices. Tells the id to go on from. */
  scan(fromId: number, look: FactLook): Promise<number> {
    return inSlices(this.#table.scan(fromId, look));
  }

  #renew(): void {
    this.#table = new FactTable();
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
    this.#filling ??= this.#fillTable(this.#table).finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #fillTable(table: FactTable): Promise<void> {
    const startedMs = performance.now();
    const startedAt = table.nextId;
    const { state } = this.#replica;
    const slicer = new Slicer();
    let made = 0;
    // Before the first fact is asked for: those of events that were dropped are not worth it.
    if (table.size === 0) await this.findBeginning();
    while (table === this.#table && table.nextId <= state.lastEventId && !this.#isClosed) {
      const fromId = table.nextId;
      const limit = Math.min(READ_FACTS, state.lastEventId - fromId + 1);
      const facts = Uint8Array.from(await this.#store.readFacts(fromId, limit));
      made += await this.#complete(fromId, facts, slicer);
      if (table !== this.#table) return;
      // Else they were dropped meanwhile.
      if (table.nextId === fromId) table.append(facts);
      if (slicer.spent) await slicer.pause();
    }
    const added = table.nextId - startedAt;
    if (made === 0 && added < BEHIND_MAX) return;
    const tookMs = Math.round(performance.now() - startedMs);
    this.#logger.info({ events: added, factsMade: made, tookMs }, 'the index of audit events is open');
  }

  /** Makes the facts that are missing, and stores them. Tells how many. */
  async #complete(firstId: number, facts: Uint8Array, slicer: Slicer): Promise<number> {
    const count = facts.length / FACT_BYTES;
    const stored = facts.slice();
    const made = { first: count, end: 0, count: 0 };
    for (let place = 0; place < count; place++) {
      if (hasFact(facts, place)) continue;
      let end = place + 1;
      while (end < count && end - place < READ_EVENTS && !hasFact(facts, end)) end++;
      await this.#make(firstId, { place, end }, facts, stored, slicer);
      made.first = Math.min(made.first, place);
      made.end = end;
      made.count += end - place;
      place = end - 1;
    }
    const [start, end] = [made.first * FACT_BYTES, made.end * FACT_BYTES];
    if (made.count > 0) await this.#put(firstId + made.first, stored.subarray(start, end));
    return made.count;
  }

  /** `stored` gets them as well, but for those of events that another version may read. */
  async #make(
    firstId: number,
    { place, end }: { readonly place: number; readonly end: number },
    facts: Uint8Array,
    stored: Uint8Array,
    slicer: Slicer,
  ): Promise<void> {
    for (let absent = place; absent < end; absent++) {
      for (const run of [facts, stored]) run.set(ABSENT_FACT, absent * FACT_BYTES);
    }
    for (const { id, bytes } of await this.#store.readEventsForward(firstId + place, end - place)) {
      if (id >= firstId + end) return;
      const fact = factOrUnreadable(bytes);
      const at = (id - firstId) * FACT_BYTES;
      facts.set(fact, at);
      stored.set(fact === UNREADABLE_FACT ? NO_FACT : fact, at);
      if (slicer.spent) await slicer.pause();
    }
  }

  /** Nothing depends on it: what is not stored is made again after the next start. */
  async #put(firstId: number, facts: Uint8Array): Promise<void> {
    try {
      await this.#store.putFacts(firstId, facts);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#logger.debug({ err: error, firstId }, 'facts of audit events could not be stored');
    }
  }
}

/** One event that cannot be read does not keep the others from being found. */
function factOrUnreadable(bytes: Uint8Array): Uint8Array {
  try {
    return factOf(decodeEvent(bytes));
  } catch {
    return UNREADABLE_FACT;
  }
}
