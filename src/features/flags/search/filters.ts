import type { VisibleProjects } from '../../../access/visibility.ts';
import { DAY_MS, isoTime } from '../../../base/clock.ts';
import type { Feature } from '../../../model/feature.ts';
import type { StateReader } from '../../../state/collections.ts';
import { lifetimeDaysOf } from '../types/commands.ts';
import { isFeatureType } from '../types/feature-type.ts';
import type { FlagColumns } from './flag-columns.ts';
import type { FeatureSearchQuery } from './schemas.ts';
import { BLOCK_SLOTS } from './text-blocks.ts';
import type { ValueColumn } from './value-column.ts';

/** Whether the flag in the slot matches. */
export type SlotTest = (slot: number) => boolean;

/**
 * Moves those of the first `count` slots that match to the beginning of the list, and returns their number. The filters below add 0 or 1 to the number
 * instead of branching, because a processor cannot predict which flags match.
 */
export type SlotFilter = (slots: Int32Array, count: number) => number;

/** The caller and the time of a search. */
export interface SearchContext {
  readonly state: StateReader;
  readonly columns: FlagColumns;
  readonly visible: VisibleProjects;
  /** Names of the caller's favourites. */
  readonly favorites: ReadonlySet<string>;
  readonly nowMs: number;
}

/** Returns the filters of the search, except the texts in `query`. Cheap filters come first. */
export function slotFilters(query: FeatureSearchQuery, context: SearchContext): SlotFilter[] {
  const { columns } = context;
  const { projects, types, creators, stages, createdMs } = columns;
  return [
    ...archiveFilters(query, columns),
    ...visibilityFilters(context),
    ...valueFilters(query.project, projects),
    ...favoriteFilters(query.favorite, context),
    ...valueFilters(query.type, types),
    ...valueFilters(query.createdBy, creators),
    ...stateFilters(query.state, context),
    ...valueFilters(query.lifecycle, stages),
    ...dayFilters(query.createdAt, (slot) => createdMs[slot] as number),
    ...dayFilters(query.lastSeenAt, (slot) => lastSeenMs(columns, slot)),
    ...statusFilters(query.status, columns),
    ...tagFilters(query.tag, columns),
    ...segmentFilters(query.segment, context),
  ];
}

/** Decides once for each distinct value of the column. */
export function valueFilter<Value>(column: ValueColumn<Value>, matches: (value: Value) => boolean): SlotFilter {
  const { numbers, distinct } = column;
  /** Number of the value → 0 if it does not match, 1 if it matches, 2 if it is not decided. */
  const decided = new Uint8Array(distinct.end).fill(2);
  return (slots, count) => {
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      const number = numbers[slot] as number;
      if (decided[number] === 2) decided[number] = matches(distinct.valueOf(number) as Value) ? 1 : 0;
      slots[kept] = slot;
      kept += decided[number] as number;
    }
    return kept;
  };
}

/** The flags with this value in a column of ones and zeros. */
export function bitFilter(column: Uint8Array, wanted: 0 | 1): SlotFilter {
  return (slots, count) => {
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      slots[kept] = slot;
      kept += 1 - ((column[slot] as number) ^ wanted);
    }
    return kept;
  };
}

export function testFilter(test: SlotTest): SlotFilter {
  return (slots, count) => {
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      if (test(slot)) slots[kept++] = slot;
    }
    return kept;
  };
}

/** When the flag was last used, in milliseconds; -1 if that is unknown, or if the use was of an earlier flag with the same name. */
export function lastSeenMs({ seenMs, createdMs }: FlagColumns, slot: number): number {
  const seen = seenMs[slot] as number;
  return seen >= (createdMs[slot] as number) ? seen : -1;
}

/** Tests whether the flag is a favourite. */
export function favoriteTest({ columns, favorites }: SearchContext): SlotTest {
  const slots = new Set<number>();
  for (const name of favorites) {
    const slot = columns.slotOf(name);
    if (slot !== undefined) slots.add(slot);
  }
  return slots.size === 0 ? () => false : (slot) => slots.has(slot);
}

/** The flags that have outlived the lifetime of their type, and are neither marked as stale nor archived. */
export function potentiallyStaleFilter({ state, columns, nowMs }: SearchContext): SlotFilter {
  const { createdMs, stale, archived, types } = columns;
  const { numbers, distinct } = types;
  /** Number of the type → flags that were created before this time have outlived the lifetime. */
  const endsMs = new Float64Array(distinct.end);
  for (const [number, type] of distinct.used()) {
    const days = isFeatureType(type) ? lifetimeDaysOf(state, type) : null;
    endsMs[number] = days === null ? Number.NEGATIVE_INFINITY : nowMs - days * DAY_MS;
  }
  return (slots, count) => {
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      const isOld = (createdMs[slot] as number) < (endsMs[numbers[slot] as number] as number) ? 1 : 0;
      slots[kept] = slot;
      kept += isOld & ~((stale[slot] as number) | (archived[slot] as number));
    }
    return kept;
  };
}

/*
 * Each of the following functions returns the filter of one parameter of the query, or no filter if the query does not have the parameter.
 */

/**
 * Selects only archived flags if the query asks for them, otherwise only flags that are not archived. A query for the stage `archived` selects both,
 * because it may also name other stages.
 */
function archiveFilters(query: FeatureSearchQuery, { archived }: FlagColumns): SlotFilter[] {
  if (asksForArchivedStage(query)) return [];
  const wanted = query.archived === 'IS:true' ? 1 : 0;
  return [bitFilter(archived, wanted)];
}

function asksForArchivedStage({ lifecycle }: FeatureSearchQuery): boolean {
  const filter = parseFilter(lifecycle);
  return filter !== undefined && !isNegative(filter) && filter.values.has('archived');
}

function visibilityFilters({ columns, visible }: SearchContext): SlotFilter[] {
  return visible.isAll ? [] : [valueFilter(columns.projects, (project) => visible.has(project))];
}

function favoriteFilters(text: string | undefined, context: SearchContext): SlotFilter[] {
  const filter = parseFilter(text);
  if (!filter) return [];
  const isFavorite = favoriteTest(context);
  return [testFilter((slot) => filter.values.has(String(isFavorite(slot))))];
}

interface Filter {
  readonly operator: string;
  readonly values: ReadonlySet<string>;
}

/** Parses a filter; the schema has already checked its syntax. Returns undefined if the query does not have this filter. */
function parseFilter(text: string | undefined): Filter | undefined {
  if (text === undefined) return undefined;
  const colon = text.indexOf(':');
  const values = text.slice(colon + 1).split(',');
  return {
    operator: text.slice(0, colon),
    values: new Set(values.map((value) => value.trim()).filter((value) => value !== '')),
  };
}

/** Whether the filter excludes its values. `IS` and `IS_ANY_OF` mean the same for any number of values, and so do `IS_NOT` and `IS_NONE_OF`. */
function isNegative({ operator }: Filter): boolean {
  return operator === 'IS_NOT' || operator === 'IS_NONE_OF';
}

function valueFilters(text: string | undefined, column: ValueColumn<string>): SlotFilter[] {
  const filter = parseFilter(text);
  if (!filter) return [];
  const isPositive = !isNegative(filter);
  return [valueFilter(column, (value) => filter.values.has(value) === isPositive)];
}

/** A flag can be active and potentially stale at the same time. The flag has a state of the filter if any of its states is listed. */
function stateFilters(text: string | undefined, context: SearchContext): SlotFilter[] {
  const filter = parseFilter(text);
  if (!filter) return [];
  const isPositive = !isNegative(filter);
  const { stale } = context.columns;
  const [staleMatches, activeMatches] = [filter.values.has('stale'), filter.values.has('active')];
  const keepPotentiallyStale = filter.values.has('potentially-stale') ? potentiallyStaleFilter(context) : () => 0;
  const hits = new Int32Array(BLOCK_SLOTS);
  return [
    (slots, count) => {
      hits.set(slots.subarray(0, count));
      const hitCount = keepPotentiallyStale(hits, count);
      let kept = 0;
      let hit = 0;
      for (let index = 0; index < count; index++) {
        const slot = slots[index] as number;
        const isHit = hit < hitCount && hits[hit] === slot;
        if (isHit) hit++;
        if ((isHit || (stale[slot] === 1 ? staleMatches : activeMatches)) === isPositive) slots[kept++] = slot;
      }
      return kept;
    },
  ];
}

function dayFilters(text: string | undefined, timeOf: SlotTimes): SlotFilter[] {
  const filter = parseFilter(text);
  const [day] = filter?.values ?? [];
  if (!filter || day === undefined) return [];
  const startMs = startOfDay(day);
  const isBefore = filter.operator === 'IS_BEFORE';
  return [
    testFilter((slot) => {
      const timeMs = timeOf(slot);
      return timeMs !== -1 && isBefore === timeMs < startMs;
    }),
  ];
}

/** Returns a time in milliseconds; -1 if it is unknown. */
type SlotTimes = (slot: number) => number;

/** The first and the last time that a text of a time can state. */
const [FIRST_MS, LAST_MS] = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/**
 * The first time whose text is not before `day`. The text of a time begins with its day, so this is the start of the day. A day that does not exist,
 * such as 2026-02-31, is between two days.
 */
function startOfDay(day: string): number {
  let [low, high] = [FIRST_MS, LAST_MS + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isoTime(middle) < day) low = middle + 1;
    else high = middle;
  }
  return low;
}

function statusFilters(status: readonly string[] | undefined, { enabledIn }: FlagColumns): SlotFilter[] {
  if (!status || status.length === 0) return [];
  const wantedStates = status.map((text) => {
    const colon = text.lastIndexOf(':');
    return { environment: text.slice(0, colon), enabled: text.slice(colon + 1) === 'enabled' };
  });
  return [
    valueFilter(enabledIn, (environments) =>
      wantedStates.some(({ environment, enabled }) => environments.includes(environment) === enabled),
    ),
  ];
}

/** Whether a flag with these values matches, by how many of the values of the filter it has. */
function matchesSet({ operator, values: { size } }: Filter, hits: number): boolean {
  switch (operator) {
    case 'INCLUDE_ALL_OF':
      return hits === size;
    case 'EXCLUDE_ALL':
      return hits !== size;
    case 'DO_NOT_INCLUDE':
    case 'EXCLUDE_IF_ANY_OF':
      return hits === 0;
    default:
      return hits > 0;
  }
}

function tagFilters(text: string | undefined, { tags, tagTexts }: FlagColumns): SlotFilter[] {
  const filter = parseFilter(text);
  if (!filter) return [];
  const wanted = new Set<number>();
  for (const value of filter.values) {
    const number = tagTexts.numberOf(value);
    if (number !== undefined) wanted.add(number);
  }
  const hitsOf = (numbers: readonly number[]) => {
    let hits = 0;
    for (const number of numbers) if (wanted.has(number)) hits++;
    return hits;
  };
  return [valueFilter(tags, (numbers) => matchesSet(filter, hitsOf(numbers)))];
}

function segmentFilters(text: string | undefined, { state, columns }: SearchContext): SlotFilter[] {
  const filter = parseFilter(text);
  if (!filter) return [];
  const hitsOf = (ids: readonly number[]) =>
    namesOfSegments(ids, state).filter((name) => filter.values.has(name)).length;
  return [valueFilter(columns.segments, (ids) => matchesSet(filter, hitsOf(ids)))];
}

/** The names of the segments, without duplicates. */
export function namesOfSegments(ids: readonly number[], state: StateReader): string[] {
  return [...new Set(ids.flatMap((id) => state.get('segments', String(id))?.name ?? []))];
}

/** The texts of `query`; a flag matches if it contains one of them. Empty: all flags match. */
export function wantedTexts(query: string | undefined): string[] {
  return (query ?? '')
    .split(',')
    .map((text) => text.trim().toLowerCase())
    .filter((text) => text !== '');
}

/** Returns the names of the segments that strategies of the flag use, without duplicates. */
export function segmentNames({ environments }: Feature, state: StateReader): string[] {
  let ids: Set<number> | undefined;
  for (const { strategies } of environments) {
    for (const { segments } of strategies) {
      for (const id of segments) {
        ids ??= new Set();
        ids.add(id);
      }
    }
  }
  return ids ? [...ids].flatMap((id) => state.get('segments', String(id))?.name ?? []) : [];
}
