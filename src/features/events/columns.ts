import type { Steps } from '../../base/yield-control.ts';
import { allEvents, type EventType } from '../../model/event.ts';
import type { EventHead } from '../../state/commit.ts';
import { type PartName, partKey } from '../../state/past.ts';
import { CHUNK_EVENTS } from './column.ts';
import { EventChunk, firstReplacementsOf, type WantedFlags } from './event-chunk.ts';
import type { EventQuery, PageRange } from './query.ts';

/** Maximum number of ids of replacing events in one list. */
const IDS_LISTED = 256;

/** Every slot of a chunk; the slot of the newest event is the first. */
const ALL_SLOTS = Uint16Array.from({ length: CHUNK_EVENTS }, (_, index) => CHUNK_EVENTS - 1 - index);

/** Events of one chunk that match. Read them before you request the next chunk: the array is reused. */
interface FoundInChunk {
  readonly chunk: EventChunk;
  /** The id of an event is this number plus the event's slot. */
  readonly firstId: number;
  /** Slots, newest first. Only the first `count` are valid. */
  readonly slots: Uint16Array;
  readonly count: number;
  /** The slots of the chunk that were searched: from `start` to before `stop`. */
  readonly start: number;
  readonly stop: number;
}

/** A part, and the event that replaced it. */
export interface ReplacedIn {
  readonly name: PartName;
  readonly id: number;
}

interface FoundEvents {
  /** Newest first. */
  readonly ids: readonly number[];
  /** Number of matching events on all pages. */
  readonly total: number;
}

/**
 * The index of all events, in memory: 25 bytes per event, and about 100 bytes per distinct value in a chunk. A search visits every event, newest
 * first, in one to two nanoseconds per filter: a million events take a few milliseconds. Each step of the search visits one chunk.
 */
export class EventColumns {
  /** Number of the chunk → chunk. Chunks before the oldest event are dropped. A range without events has no chunk. */
  readonly #chunks = new Map<number, EventChunk>();
  #firstId = 1;
  #nextId = 1;
  #lastUnrecordedId = 0;

  /** The id of the next event that is added. */
  get nextId(): number {
    return this.#nextId;
  }

  /** The index has all events from this id on. */
  get firstId(): number {
    return this.#firstId;
  }

  /** When the event happened; undefined if the index does not have it. */
  timeMsOf(id: number): number | undefined {
    if (id < this.#firstId || id >= this.#nextId) return undefined;
    return this.#chunks.get(chunkOf(id))?.timesMs[slotOf(id)];
  }

  get size(): number {
    return this.#nextId - this.#firstId;
  }

  /**
   * Adds an event with the names of the parts that it replaced (null if its version did not record them) and the projects that only its data names. Ids
   * ascend. An event whose type this version does not know is left out.
   */
  add(id: number, event: EventHead, replaced: readonly PartName[] | null, named: readonly string[] = []): void {
    if (replaced === null) this.#lastUnrecordedId = id;
    if (!Object.hasOwn(allEvents(), event.type)) return;
    this.skipTo(id);
    const number = chunkOf(id);
    let chunk = this.#chunks.get(number);
    if (!chunk) {
      chunk = new EventChunk();
      // The slots before the oldest event are never searched, so they are no gaps.
      chunk.hasGaps = id !== this.#firstId && slotOf(id) !== 0;
      this.#chunks.set(number, chunk);
    }
    chunk.set(slotOf(id), event, replaced ?? [], named);
    this.#nextId = id + 1;
  }

  /** Declares that no more events before this id will be added. */
  skipTo(id: number): void {
    if (id <= this.#nextId) return;
    for (const number of [chunkOf(this.#nextId), chunkOf(id)]) {
      const chunk = this.#chunks.get(number);
      if (chunk) chunk.hasGaps = true;
    }
    this.#nextId = id;
  }

  /** Drops the events before this id and frees their chunks. The event with this id is then the oldest one. */
  dropBefore(firstId: number): void {
    if (firstId <= this.#firstId) return;
    const end = Math.min(firstId, this.#nextId);
    for (let number = chunkOf(this.#firstId); number < chunkOf(end); number++) this.#chunks.delete(number);
    if (firstId >= this.#nextId) this.#chunks.clear();
    this.#firstId = firstId;
    this.#nextId = Math.max(this.#nextId, firstId);
  }

  /**
   * The first id from which on every event has recorded the parts that it replaced. Events before it were dropped, or written by a version that did
   * not record them.
   */
  get firstRecordedId(): number {
    return Math.max(this.#firstId, this.#lastUnrecordedId + 1);
  }

  /** The revision of the event with this id, or of the next one after it; undefined if there is none. */
  revisionFrom(id: number): number | undefined {
    for (let next = Math.max(id, this.#firstId); next < this.#nextId; next++) {
      const revision = this.#chunks.get(chunkOf(next))?.revisions[slotOf(next)] ?? 0;
      if (revision > 0) return revision;
    }
    return undefined;
  }

  /** The id of the first event after this revision; `nextId` if there is none. */
  firstIdAfter(revision: number): number {
    return this.#firstIdWhere((chunk, slot) => (chunk.revisions[slot] as number) > revision);
  }

  /** The id of the first event after this time, in milliseconds since the epoch; `nextId` if there is none. */
  firstIdAfterTime(timeMs: number): number {
    return this.#firstIdWhere((chunk, slot) => (chunk.timesMs[slot] as number) > timeMs);
  }

  /**
   * Finds the beginning of the newest events that all pass `isAfter`. Events of older versions and gaps do not matter. Of most chunks it reads only the
   * first event, because times and revisions ascend.
   */
  #firstIdWhere(isAfter: (chunk: EventChunk, slot: number) => boolean): number {
    let found = this.#nextId;
    for (let number = chunkOf(this.#nextId - 1); number >= chunkOf(this.#firstId); number--) {
      const chunk = this.#chunks.get(number);
      if (!chunk) continue;
      const firstId = number * CHUNK_EVENTS + 1;
      const start = Math.max(0, this.#firstId - firstId);
      const stop = Math.min(found - firstId, CHUNK_EVENTS);
      const first = chunk.revisions.subarray(start, stop).findIndex((revision) => revision > 0) + start;
      if (first >= start && isAfter(chunk, first)) {
        found = firstId + first;
        continue;
      }
      for (let slot = stop - 1; slot >= start; slot--) {
        if (chunk.revisions[slot] === 0) continue;
        if (!isAfter(chunk, slot)) return found;
        found = firstId + slot;
      }
    }
    return found;
  }

  /** The events that match. Each step visits one chunk. Events that are added during the search are not found. */
  *find(query: EventQuery, { fromId, limit, skip = 0 }: PageRange): Steps<FoundEvents> {
    const ids: number[] = [];
    let [total, skipped] = [0, 0];
    for (const { firstId, slots, count } of this.#matching(query)) {
      total += count;
      for (let index = 0; index < count && ids.length < limit; index++) {
        const id = firstId + (slots[index] as number);
        if (id <= fromId && skipped++ >= skip) ids.push(id);
      }
      yield;
    }
    return { ids, total };
  }

  /** The ids of the events that match, newest first, one chunk at a time. */
  *matchingIds(query: EventQuery): Generator<readonly number[], void, void> {
    for (const { firstId, slots, count } of this.#matching(query)) {
      const ids = new Array<number>(count);
      for (let index = 0; index < count; index++) ids[index] = firstId + (slots[index] as number);
      yield ids;
    }
  }

  /** Passes the project and the time of every matching event from `fromId` on to `visit`. Returns the id from which to continue. */
  *scan(query: EventQuery, fromId: number, visit: (project: string | null, timeMs: number) => void): Steps<number> {
    const nextId = this.#nextId;
    for (const { chunk, slots, count } of this.#matching(query, fromId)) {
      for (let index = 0; index < count; index++) {
        const slot = slots[index] as number;
        visit(chunk.project.at(slot), chunk.timesMs[slot] as number);
      }
      yield;
    }
    return nextId;
  }

  /** Up to `limit` users who caused a matching event: the user id, with the id of the newest such event. Each step visits one chunk. */
  *authors(query: EventQuery, limit: number): Steps<ReadonlyMap<number, number>> {
    const newestOf = new Map<number, number>();
    for (const { chunk, firstId, slots, count } of this.#matching(query)) {
      for (const [userId, slot] of chunk.userId.distinct(slots, count)) {
        if (newestOf.has(userId)) continue;
        if (newestOf.size >= limit) return newestOf;
        newestOf.set(userId, firstId + slot);
      }
      yield;
    }
    return newestOf;
  }

  /**
   * The ids of the events before `beforeId` that match one of the queries and replaced parts, and of the events that replaced a part which their own
   * fields do not name and which `isOther` accepts. Newest first, in lists of up to `IDS_LISTED` ids; some lists are empty.
   */
  *replacingIds(
    queries: readonly EventQuery[],
    beforeId: number,
    isOther: (name: PartName) => boolean,
  ): Generator<readonly number[], void, void> {
    const isFound = new Uint8Array(CHUNK_EVENTS);
    for (const { chunk, firstId, slots, count, start, stop } of this.#matching({ beforeId })) {
      const all = slots.slice(0, count);
      isFound.fill(0);
      for (const slot of chunk.replaced.slotsOfOthers(start, stop, isOther)) isFound[slot] = 1;
      for (const query of queries) {
        slots.set(all);
        const kept = chunk.keep(query, slots, count);
        for (let index = 0; index < kept; index++) {
          const slot = slots[index] as number;
          if (chunk.replaced.hasAny(slot)) isFound[slot] = 1;
        }
      }
      let ids: number[] = [];
      for (let slot = stop - 1; slot >= start; slot--) {
        if (isFound[slot] === 1 && ids.push(firstId + slot) === IDS_LISTED) {
          yield ids;
          ids = [];
        }
      }
      yield ids;
    }
  }

  /** The flags of the events of this type. Each step visits one chunk. */
  *flagsOf(type: EventType): Steps<Set<string>> {
    const flags = new Set<string>();
    for (const { chunk, slots, count } of this.#matching({ types: [type] })) {
      for (const [name] of chunk.feature.distinct(slots, count)) flags.add(name);
      yield;
    }
    return flags;
  }

  /**
   * For each part, the first event from `fromId` on that replaced it: the key of the part (`partKey`) with its name and the id of the event. Parts of
   * entities other than flags are included, unless `wanted` skips them. Undefined if there are more than `partsMax`.
   */
  *firstReplacements(
    fromId: number,
    wanted: WantedFlags,
    partsMax: number,
  ): Steps<Map<string, ReplacedIn> | undefined> {
    const found = new Map<string, ReplacedIn>();
    const end = this.#nextId;
    for (let number = chunkOf(Math.max(fromId, this.#firstId)); number <= chunkOf(end - 1); number++) {
      const chunk = this.#chunks.get(number);
      if (!chunk) continue;
      const firstId = number * CHUNK_EVENTS + 1;
      const [start, stop] = [Math.max(0, fromId - firstId), Math.min(end - firstId, CHUNK_EVENTS)];
      const steps = firstReplacementsOf(chunk, start, stop, wanted, ({ name, slot }) => {
        const key = partKey(name);
        if (!found.has(key)) found.set(key, { name, id: firstId + slot });
      });
      while (!steps.next().done) {
        if (found.size > partsMax) return undefined;
        yield;
      }
      yield;
    }
    return found;
  }

  /** The events that match, chunk by chunk, newest first. Events that are added during the search are not found. */
  *#matching(query: EventQuery, fromId = 1): Generator<FoundInChunk, void, void> {
    const slots = new Uint16Array(CHUNK_EVENTS);
    const oldest = Math.max(fromId, this.#firstId);
    const end = Math.min(query.beforeId ?? this.#nextId, this.#nextId);
    const ids = query.ids && Array.from(query.ids).sort((left, right) => right - left);
    for (let number = chunkOf(end - 1); number >= chunkOf(oldest); number--) {
      const chunk = this.#chunks.get(number);
      if (!chunk) continue;
      const firstId = number * CHUNK_EVENTS + 1;
      const [start, stop] = [Math.max(0, oldest - firstId), Math.min(end - firstId, CHUNK_EVENTS)];
      const all = ids
        ? ids.map((id) => id - firstId).filter((slot) => slot >= start && slot < stop)
        : ALL_SLOTS.subarray(CHUNK_EVENTS - stop, CHUNK_EVENTS - start);
      slots.set(all);
      yield { chunk, firstId, slots, count: chunk.keep(query, slots, all.length), start, stop };
    }
  }
}

function chunkOf(id: number): number {
  return Math.floor((id - 1) / CHUNK_EVENTS);
}

function slotOf(id: number): number {
  return (id - 1) % CHUNK_EVENTS;
}
