import { maySeeNamed } from '../../access/visibility.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { EventType } from '../../model/event.ts';
import type { EventHead } from '../../state/commit.ts';
import { projectsOf } from '../../state/named-projects.ts';
import type { PartName } from '../../state/past.ts';
import { CHUNK_EVENTS, Column } from './column.ts';
import { type EventQuery, eventTimeMs, isRevisionOf, listOf } from './query.ts';
import { ReplacedParts } from './replaced-parts.ts';

/** The fields by which consecutive events are searched. Event `id` is in the slot `(id - 1) % CHUNK_EVENTS`. */
export class EventChunk {
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
  /** For events whose data names projects that their own field does not name: slot → these projects. */
  readonly #named = new Map<number, readonly string[]>();
  /** Whether some slot has no event. */
  hasGaps = false;

  set(slot: number, event: EventHead, replaced: readonly PartName[], named: readonly string[]): void {
    if (named.length > 0) this.#named.set(slot, named);
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
    return readable ? this.#keepReadable(slots, keptCount, readable) : keptCount;
  }

  /** Looks up each distinct project of the chunk once, then only the events whose data names more projects. */
  #keepReadable(slots: Uint16Array, count: number, readable: ReadonlySet<string>): number {
    const own = this.project.keepWhere((project) => maySeeNamed(readable, projectsOf(project)), slots, count);
    if (this.#named.size === 0) return own;
    let keptCount = 0;
    for (let index = 0; index < own; index++) {
      const slot = slots[index] as number;
      slots[keptCount] = slot;
      if (maySeeNamed(readable, this.#named.get(slot) ?? NONE)) keptCount++;
    }
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

const NONE: readonly string[] = [];

/** The flags whose replaced parts are wanted. */
export interface WantedFlags {
  /** Undefined: all flags. The search adds the flags of the events that the other two fields describe. */
  readonly names: Set<string> | undefined;
  readonly project?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
  /** The other collections whose parts are left out. */
  readonly skips?: ((name: PartName) => boolean) | undefined;
}

/** A part that an event replaced. */
interface ReplacedPart {
  readonly name: PartName;
  readonly slot: number;
}

/** Names of parts that are visited between two pauses. */
const STEP_NAMES = 512;

/**
 * Passes the wanted parts that events in these slots replaced to `take`, each at least at its first slot, in ascending order of slots. Adds the flags of
 * the events that `wanted` describes to its names.
 */
export function* firstReplacementsOf(
  chunk: EventChunk,
  start: number,
  stop: number,
  wanted: WantedFlags,
  take: (part: ReplacedPart) => void,
): Steps<void> {
  const { feature, environment, replaced } = chunk;
  if (wanted.names) yield* addWanted(chunk, start, stop, wanted, wanted.names);
  const { names: flags, skips } = wanted;
  const isWanted = feature.marks(flags);
  // Per flag, the bit 0 for the flag itself, and a bit for each environment. Chunks with more environments repeat some parts.
  const seen = new Uint32Array(feature.distinctCount);
  let visited = 0;
  for (let slot = start; slot < stop; slot++) {
    if (!replaced.hasAny(slot)) continue;
    const number = feature.numberAt(slot);
    if (isWanted[number] === 1) {
      const key = feature.at(slot) as string;
      const marks = seen[number] as number;
      const bit = environment.numberAt(slot) < 32 ? 1 << environment.numberAt(slot) : 0;
      const isFlag = replaced.hasFlag(slot) && (marks & 1) === 0;
      const isSettings = replaced.hasSettings(slot) && (marks & bit) === 0;
      seen[number] = marks | (isFlag ? 1 : 0) | (isSettings ? bit : 0);
      if (isFlag) take({ name: { collection: 'features', key, part: '' }, slot });
      if (isSettings) take({ name: { collection: 'features', key, part: environment.at(slot) as string }, slot });
      if ((isFlag || isSettings) && ++visited % STEP_NAMES === 0) yield;
    }
    for (const name of replaced.others(slot)) {
      const isFlag = name.collection === 'features';
      if (isFlag ? !flags || flags.has(name.key) : !skips?.(name)) take({ name, slot });
      if (++visited % STEP_NAMES === 0) yield;
    }
  }
}

/** Adds the flags of the wanted events in these slots to `names`. */
function* addWanted(
  { feature, project, type, replaced }: EventChunk,
  start: number,
  stop: number,
  wanted: WantedFlags,
  names: Set<string>,
): Steps<void> {
  if (wanted.project !== undefined) {
    let visited = 0;
    // These events are not about one flag: their flags may be of the wanted project.
    for (const slot of replaced.slotsOfOthers(start, stop, ({ collection }) => collection === 'features')) {
      for (const { collection, key } of replaced.others(slot)) {
        if (collection === 'features') names.add(key);
        if (++visited % STEP_NAMES === 0) yield;
      }
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
    names.add(feature.at(slot) as string);
  }
}
