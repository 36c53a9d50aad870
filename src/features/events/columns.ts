import type { Steps } from '../../base/yield-control.ts';
import { allEvents, type EventType } from '../../model/event.ts';
import type { EventHead } from '../../state/commit.ts';
import { type PartName, partKey } from '../../state/past.ts';
import { CHUNK_EVENTS, Column } from './column.ts';
import { ALL_PROJECTS, type EventQuery, eventTimeMs, isRevisionOf, listOf, type PageRange } from './query.ts';
import { ReplacedParts } from './replaced-parts.ts';

/** Every slot of a chunk; the slot of the newest event is the first. */
const ALL_SLOTS = Uint16Array.from({ length: CHUNK_EVENTS }, (_, index) => CHUNK_EVENTS - 1 - index);

/** The fields by which consecutive events are searched. Event `id` is in the slot `(id - 1) % CHUNK_EVENTS`. */
class EventChunk {
  /** The value is null if the slot has no event, or an event that this version cannot read. */
  readonly type = new Column<EventType>();
  readonly project = new Column<string>();
  readonly environment = new Column<string>();
  readonly feature = new Column<string>();
  readonly author = new Column<string>();
  readonly userId = new Column<number>();
  readonly timesMs = new Float64Array(CHUNK_EVENTS);
  /** 0 for events of older versions, which have none. */
  readonly revisions = new Uint32Array(CHUNK_EVENTS);
  readonly replaced = new ReplacedParts();
  /** Whether some slot has no event. */
  hasGaps = false;

  set(slot: number, event: EventHead, replaced: readonly PartName[]): void {
    this.replaced.set(slot, event, replaced);
    this.type.set(slot, event.type);
    this.project.set(slot, event.project);
    this.environment.set(slot, event.environment);
    this.feature.set(slot, event.featureName);
    this.author.set(slot, event.createdBy);
    this.userId.set(slot, event.createdByUserId);
    this.timesMs[slot] = eventTimeMs(event);
    this.revisions[slot] = event.revision ?? 0;
  }

  /** Of the first `count` slots, keeps the slots whose event matches the query. Does not check ids. Returns the number of kept slots. */
  keep(query: EventQuery, slots: Uint16Array, count: number): number {
    const { types, project, environment, feature, createdBy, createdByUserId, readable, revisions, fromMs, toMs } =
      query;
    let keptCount = count;
    // The filter that usually excludes the most events comes first.
    if (feature !== undefined) keptCount = this.feature.keep(listOf(feature), slots, keptCount);
    if (project !== undefined) keptCount = this.project.keep(listOf(project), slots, keptCount);
    if (environment !== undefined) keptCount = this.environment.keep(listOf(environment), slots, keptCount);
    if (createdByUserId !== undefined) keptCount = this.userId.keep(listOf(createdByUserId), slots, keptCount);
    if (createdBy !== undefined) keptCount = this.author.keep([createdBy], slots, keptCount);
    if (types !== undefined) keptCount = this.type.keep(types as readonly EventType[], slots, keptCount);
    else if (this.hasGaps) keptCount = this.type.keepPresent(slots, keptCount);
    if (fromMs !== undefined || toMs !== undefined) keptCount = this.#keepTimes(slots, keptCount, fromMs, toMs);
    if (revisions !== undefined) keptCount = this.#keepRevisions(slots, keptCount, revisions);
    if (readable) keptCount = this.project.keep([null, ALL_PROJECTS, ...readable], slots, keptCount);
    return keptCount;
  }

  #keepTimes(slots: Uint16Array, count: number, fromMs = 0, toMs = Number.POSITIVE_INFINITY): number {
    let keptCount = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      const timeMs = this.timesMs[slot] as number;
      slots[keptCount] = slot;
      if (timeMs >= fromMs && timeMs < toMs) keptCount++;
    }
    return keptCount;
  }

  #keepRevisions(slots: Uint16Array, count: number, revisions: ReadonlySet<number> | 'any'): number {
    let keptCount = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      slots[keptCount] = slot;
      if (isRevisionOf(revisions, this.revisions[slot] as number)) keptCount++;
    }
    return keptCount;
  }
}

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

/** The flags whose replaced parts are wanted. */
export interface WantedFlags {
  /** Undefined: all flags. The search adds the flags of the events that the other two fields describe. */
  readonly names: Set<string> | undefined;
  readonly project?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
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
   * Adds an event with the names of the parts that it replaced; null if its version did not record them. Ids ascend. An event whose type this version
   * does not know is left out.
   */
  add(id: number, event: EventHead, replaced: readonly PartName[] | null): void {
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
    chunk.set(slotOf(id), event, replaced ?? []);
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

  /** Finds the beginning of the newest events that all pass `isAfter`. Events of older versions and gaps do not matter. */
  #firstIdWhere(isAfter: (chunk: EventChunk, slot: number) => boolean): number {
    let found = this.#nextId;
    for (let number = chunkOf(this.#nextId - 1); number >= chunkOf(this.#firstId); number--) {
      const chunk = this.#chunks.get(number);
      if (!chunk) continue;
      const firstId = number * CHUNK_EVENTS + 1;
      for (let id = Math.min(found - 1, firstId + CHUNK_EVENTS - 1); id >= Math.max(firstId, this.#firstId); id--) {
        if (chunk.revisions[id - firstId] === 0) continue;
        if (!isAfter(chunk, id - firstId)) return found;
        found = id;
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
   * The ids of the events that match and replaced parts, and of the events that replaced a part which their own fields do not name and which `isOther`
   * accepts. Newest first, one chunk at a time.
   */
  *replacingIds(query: EventQuery, isOther: (name: PartName) => boolean): Generator<readonly number[], void, void> {
    for (const { chunk, firstId, slots, count, start, stop } of this.#matching(query)) {
      const ids: number[] = [];
      for (const slot of chunk.replaced.slotsOfOthers(start, stop, isOther)) ids.push(firstId + slot);
      for (let index = 0; index < count; index++) {
        const slot = slots[index] as number;
        if (chunk.replaced.hasAny(slot)) ids.push(firstId + slot);
      }
      yield [...new Set(ids)].sort((left, right) => right - left);
    }
  }

  /**
   * For each part, the first event from `fromId` on that replaced it: the key of the part (`partKey`) with its name and the id of the event. Parts of
   * entities other than flags are always included. Each step visits one chunk.
   */
  *firstReplacements(fromId: number, wanted: WantedFlags): Steps<Map<string, ReplacedIn>> {
    const found = new Map<string, ReplacedIn>();
    const end = this.#nextId;
    for (let number = chunkOf(Math.max(fromId, this.#firstId)); number <= chunkOf(end - 1); number++) {
      const chunk = this.#chunks.get(number);
      if (!chunk) continue;
      const firstId = number * CHUNK_EVENTS + 1;
      const [start, stop] = [Math.max(0, fromId - firstId), Math.min(end - firstId, CHUNK_EVENTS)];
      for (const { name, slot } of firstReplacementsOf(chunk, start, stop, wanted)) {
        const key = partKey(name);
        if (!found.has(key)) found.set(key, { name, id: firstId + slot });
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

/** The parts that events in these slots replaced, each at least at its first slot, in ascending order of slots. */
function* firstReplacementsOf(
  chunk: EventChunk,
  start: number,
  stop: number,
  wanted: WantedFlags,
): Generator<{ readonly name: PartName; readonly slot: number }, void, void> {
  const { feature, environment, replaced } = chunk;
  addWanted(chunk, start, stop, wanted);
  const { names: flags } = wanted;
  const isWanted = feature.marks(flags);
  // Per flag, the bit 0 for the flag itself, and a bit for each environment. Chunks with more environments repeat some parts.
  const seen = new Uint32Array(feature.distinctCount);
  for (let slot = start; slot < stop; slot++) {
    if (!replaced.hasAny(slot)) continue;
    const number = feature.numberAt(slot);
    if (isWanted[number] === 1) {
      const key = feature.at(slot) as string;
      if (replaced.hasFlag(slot) && ((seen[number] as number) & 1) === 0) {
        seen[number] = (seen[number] as number) | 1;
        yield { name: { collection: 'features', key, part: '' }, slot };
      }
      const bit = environment.numberAt(slot) < 32 ? 1 << environment.numberAt(slot) : 0;
      if (replaced.hasSettings(slot) && ((seen[number] as number) & bit) === 0) {
        seen[number] = (seen[number] as number) | bit;
        yield { name: { collection: 'features', key, part: environment.at(slot) as string }, slot };
      }
    }
    for (const name of replaced.others(slot)) {
      if (name.collection !== 'features' || !flags || flags.has(name.key)) yield { name, slot };
    }
  }
}

/** Adds the flags of the wanted events in these slots to the wanted names. */
function addWanted(chunk: EventChunk, start: number, stop: number, wanted: WantedFlags): void {
  if (!wanted.names) return;
  const { feature, project, type, replaced } = chunk;
  if (wanted.project !== undefined) {
    // These events are not about one flag: their flags may be of the wanted project.
    for (const slot of replaced.slotsOfOthers(start, stop, ({ collection }) => collection === 'features')) {
      for (const { collection, key } of replaced.others(slot)) if (collection === 'features') wanted.names.add(key);
    }
  }
  const isProject = project.marks(wanted.project === undefined ? [] : [wanted.project]);
  const isType = type.marks(wanted.types ?? []);
  const isAdded = new Uint8Array(feature.distinctCount).fill(1, 0, 1);
  for (let slot = start; slot < stop; slot++) {
    const number = feature.numberAt(slot);
    if (isAdded[number] === 1) continue;
    if (isProject[project.numberAt(slot)] !== 1 && isType[type.numberAt(slot)] !== 1) continue;
    isAdded[number] = 1;
    wanted.names.add(feature.at(slot) as string);
  }
}

function chunkOf(id: number): number {
  return Math.floor((id - 1) / CHUNK_EVENTS);
}

function slotOf(id: number): number {
  return (id - 1) % CHUNK_EVENTS;
}
