import type { Steps } from '../../base/yield-control.ts';
import { allEvents, type EventType } from '../../model/event.ts';
import type { EventHead } from '../../state/commit.ts';
import { CHUNK_EVENTS, Column } from './column.ts';
import { ALL_PROJECTS, type EventQuery, eventTimeMs, listOf, type PageRange } from './query.ts';

/** Every slot of a chunk, the newest first. */
const ALL_ROWS = Uint16Array.from({ length: CHUNK_EVENTS }, (_, index) => CHUNK_EVENTS - 1 - index);

/** The fields by which consecutive events are searched. Event `id` is in the slot `(id - 1) % CHUNK_EVENTS`. */
class Chunk {
  /** The value is null if the slot has no event, or an event that this version cannot read. */
  readonly type = new Column<EventType>();
  readonly project = new Column<string>();
  readonly environment = new Column<string>();
  readonly feature = new Column<string>();
  readonly author = new Column<string>();
  readonly userId = new Column<number>();
  readonly timesMs = new Float64Array(CHUNK_EVENTS);
  /** Whether some slot has no event. */
  hasGaps = false;

  set(row: number, event: EventHead): void {
    this.type.set(row, event.type);
    this.project.set(row, event.project);
    this.environment.set(row, event.environment);
    this.feature.set(row, event.featureName);
    this.author.set(row, event.createdBy);
    this.userId.set(row, event.createdByUserId);
    this.timesMs[row] = eventTimeMs(event);
  }

  /** Of the first `count` slots, keeps the slots whose event matches the query. Does not check ids. Returns the number of kept slots. */
  keep(query: EventQuery, rows: Uint16Array, count: number): number {
    const { types, project, environment, feature, createdBy, createdByUserId, readable, fromMs, toMs } = query;
    let kept = count;
    // The filter that usually excludes the most events comes first.
    if (feature !== undefined) kept = this.feature.keep(listOf(feature), rows, kept);
    if (project !== undefined) kept = this.project.keep(listOf(project), rows, kept);
    if (environment !== undefined) kept = this.environment.keep(listOf(environment), rows, kept);
    if (createdByUserId !== undefined) kept = this.userId.keep(listOf(createdByUserId), rows, kept);
    if (createdBy !== undefined) kept = this.author.keep([createdBy], rows, kept);
    if (types !== undefined) kept = this.type.keep(types as readonly EventType[], rows, kept);
    else if (this.hasGaps) kept = this.type.keepPresent(rows, kept);
    if (fromMs !== undefined || toMs !== undefined) kept = this.#keepTimes(rows, kept, fromMs, toMs);
    if (readable) kept = this.project.keep([null, ALL_PROJECTS, ...readable], rows, kept);
    return kept;
  }

  #keepTimes(rows: Uint16Array, count: number, fromMs = 0, toMs = Number.POSITIVE_INFINITY): number {
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const row = rows[index] as number;
      const timeMs = this.timesMs[row] as number;
      rows[kept] = row;
      if (timeMs >= fromMs && timeMs < toMs) kept++;
    }
    return kept;
  }
}

/** Events of one chunk that match. Read them before you request the next chunk: the array is reused. */
interface FoundInChunk {
  readonly chunk: Chunk;
  /** The id of an event is this number plus the event's slot. */
  readonly firstId: number;
  /** Slots, newest first. Only the first `count` are valid. */
  readonly rows: Uint16Array;
  readonly count: number;
}

interface FoundEvents {
  /** Newest first. */
  readonly ids: readonly number[];
  /** Number of matching events on all pages. */
  readonly total: number;
}

/**
 * The index of all events, in memory: 20 bytes per event, and about 100 bytes per distinct value in a chunk. A search visits every event, newest
 * first, in one to two nanoseconds per filter: a million events take a few milliseconds. Each step of the search visits one chunk.
 */
export class EventColumns {
  /** Number of the chunk → chunk. Chunks before the oldest event are dropped. A range without events has no chunk. */
  readonly #chunks = new Map<number, Chunk>();
  #firstId = 1;
  #nextId = 1;

  /** The id of the next event that is added. */
  get nextId(): number {
    return this.#nextId;
  }

  /** The index has all events from this id on. */
  get firstId(): number {
    return this.#firstId;
  }

  get size(): number {
    return this.#nextId - this.#firstId;
  }

  /** Adds an event. Ids ascend. An event whose type this version does not know is left out. */
  add(id: number, event: EventHead): void {
    if (!Object.hasOwn(allEvents(), event.type)) return;
    this.skipTo(id);
    const number = chunkOf(id);
    let chunk = this.#chunks.get(number);
    if (!chunk) {
      chunk = new Chunk();
      chunk.hasGaps = id !== this.#firstId && placeOf(id) !== 0;
      this.#chunks.set(number, chunk);
    }
    chunk.set(placeOf(id), event);
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

  /** The events that match. One step per chunk. Events that are added during the search are not found. */
  *find(query: EventQuery, { fromId, limit, skip = 0 }: PageRange): Steps<FoundEvents> {
    const ids: number[] = [];
    let [total, before] = [0, 0];
    for (const { firstId, rows, count } of this.#matching(query)) {
      total += count;
      for (let index = 0; index < count && ids.length < limit; index++) {
        const id = firstId + (rows[index] as number);
        if (id <= fromId && before++ >= skip) ids.push(id);
      }
      yield;
    }
    return { ids, total };
  }

  /** The ids of the events that match, newest first, one chunk at a time. */
  *matchingIds(query: EventQuery): Generator<readonly number[], void, void> {
    for (const { firstId, rows, count } of this.#matching(query)) {
      const ids = new Array<number>(count);
      for (let index = 0; index < count; index++) ids[index] = firstId + (rows[index] as number);
      yield ids;
    }
  }

  /** Passes the project and the time of every matching event from `fromId` on to `look`. Returns the id from which to continue. */
  *scan(query: EventQuery, fromId: number, look: (project: string | null, timeMs: number) => void): Steps<number> {
    const nextId = this.#nextId;
    for (const { chunk, rows, count } of this.#matching(query, fromId)) {
      for (let index = 0; index < count; index++) {
        const row = rows[index] as number;
        look(chunk.project.at(row), chunk.timesMs[row] as number);
      }
      yield;
    }
    return nextId;
  }

  /** Up to `most` users who caused a matching event: the user id, with the id of the newest such event. One step per chunk. */
  *authors(query: EventQuery, most: number): Steps<ReadonlyMap<number, number>> {
    const newestOf = new Map<number, number>();
    for (const { chunk, firstId, rows, count } of this.#matching(query)) {
      for (const [userId, row] of chunk.userId.distinct(rows, count)) {
        if (newestOf.has(userId)) continue;
        if (newestOf.size >= most) return newestOf;
        newestOf.set(userId, firstId + row);
      }
      yield;
    }
    return newestOf;
  }

  /** The events that match, chunk by chunk, newest first. Events that are added during the search are not found. */
  *#matching(query: EventQuery, fromId = 1): Generator<FoundInChunk, void, void> {
    const rows = new Uint16Array(CHUNK_EVENTS);
    const [oldest, end] = [Math.max(fromId, this.#firstId), this.#nextId];
    const ids = query.ids && Array.from(query.ids).sort((left, right) => right - left);
    for (let number = chunkOf(end - 1); number >= chunkOf(oldest); number--) {
      const chunk = this.#chunks.get(number);
      if (!chunk) continue;
      const firstId = number * CHUNK_EVENTS + 1;
      const [start, stop] = [Math.max(0, oldest - firstId), Math.min(end - firstId, CHUNK_EVENTS)];
      const all = ids
        ? ids.map((id) => id - firstId).filter((row) => row >= start && row < stop)
        : ALL_ROWS.subarray(CHUNK_EVENTS - stop, CHUNK_EVENTS - start);
      rows.set(all);
      yield { chunk, firstId, rows, count: chunk.keep(query, rows, all.length) };
    }
  }
}

function chunkOf(id: number): number {
  return Math.floor((id - 1) / CHUNK_EVENTS);
}

function placeOf(id: number): number {
  return (id - 1) % CHUNK_EVENTS;
}
