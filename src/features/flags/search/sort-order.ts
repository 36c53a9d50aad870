import { byText, searchName } from '../../../base/lists/sorted.ts';
import type { Feature } from '../../../model/feature.ts';
import { favoriteTest, lastSeenMs, type SearchContext, type SlotTest } from './filters.ts';
import type { FlagColumns } from './flag-columns.ts';
import type { FeatureSearchQuery } from './schemas.ts';
import type { Position } from './selection.ts';
import type { ValueColumn } from './value-column.ts';

/** Added to the keys of flags that come after the favourites. It is greater than the difference of any two keys. */
const NOT_FIRST = 2 ** 51;

/** The order of the flags that a search finds. Flags with equal keys are in the order of their names. */
export interface SortOrder {
  /** Writes the keys of the first `count` slots of the list to `keys`. Lower keys come first. */
  keysOf(slots: Int32Array, count: number, keys: Float64Array): void;
  /** Returns a text that states where the flag is in the order, also if the flag is deleted later. */
  cursorAt(slot: number): string;
  /** Returns the position that the cursor states; undefined if it is not a cursor of this order. */
  positionOf(cursor: string): Position | undefined;
}

/** What a search sorts by: a number for each flag, and the value which a cursor states. */
interface SortKey {
  numberOf(slot: number): number;
  valueOf(slot: number): string | number;
  /**
   * The number for a value in a cursor. It is between two numbers of flags if no flag has the value any more. Undefined if it is not such a value.
   */
  numberFor(value: unknown): number | undefined;
}

export function sortOrder(
  query: Pick<FeatureSearchQuery, 'sortBy' | 'sortOrder' | 'favoritesFirst'>,
  context: SearchContext,
): SortOrder {
  const { columns } = context;
  const [by, key] = sortKey(query.sortBy ?? '', columns);
  const isDescending = query.sortOrder === 'desc';
  const favoritesFirst = query.favoritesFirst === true;
  const kind = `${by} ${isDescending} ${favoritesFirst}`;
  return orderBy(kind, key, { columns, isDescending, isFirst: favoritesFirst ? favoriteTest(context) : null });
}

/** The order of the names. */
export function nameOrder(columns: FlagColumns): SortOrder {
  return orderBy('names', nameKey(columns), { columns, isDescending: false, isFirst: null });
}

/** `isFirst`: these flags come before all others; null: no flags do. */
function orderBy(
  kind: string,
  key: SortKey,
  options: { readonly columns: FlagColumns; readonly isDescending: boolean; readonly isFirst: SlotTest | null },
): SortOrder {
  const { columns, isFirst } = options;
  const direction = options.isDescending ? -1 : 1;
  const keyOf = (comesFirst: boolean, number: number) => direction * number + (comesFirst ? 0 : NOT_FIRST);
  return {
    keysOf(slots, count, keys) {
      for (let index = 0; index < count; index++) keys[index] = direction * key.numberOf(slots[index] as number);
      if (!isFirst) return;
      for (let index = 0; index < count; index++)
        if (!isFirst(slots[index] as number)) keys[index] = (keys[index] as number) + NOT_FIRST;
    },
    cursorAt(slot) {
      const { name } = columns.features[slot] as Feature;
      return encode([kind, isFirst?.(slot) ?? true, key.valueOf(slot), name]);
    },
    positionOf(cursor) {
      const [statedKind, comesFirst, value, name] = decode(cursor) ?? [];
      if (statedKind !== kind || typeof comesFirst !== 'boolean' || typeof name !== 'string') return undefined;
      const number = key.numberFor(value);
      return number === undefined ? undefined : { key: keyOf(comesFirst, number), rank: rankFor(columns, name) };
    },
  };
}

/** The kind of the key, as cursors state it, and the key. */
function sortKey(sortBy: string, columns: FlagColumns): [kind: string, SortKey] {
  if (sortBy.startsWith('environment:')) {
    const environment = sortBy.slice('environment:'.length);
    const { numbers, distinct } = columns.enabledIn;
    const isEnabled = new Uint8Array(distinct.end);
    for (const [number, environments] of distinct.used())
      isEnabled[number] = environments.includes(environment) ? 1 : 0;
    return [sortBy, numberKey((slot) => isEnabled[numbers[slot] as number] as number)];
  }
  switch (sortBy) {
    case 'name':
      return [sortBy, nameKey(columns)];
    case 'type':
      return [sortBy, textKey(columns.types)];
    case 'project':
      return [sortBy, textKey(columns.projects)];
    case 'stale':
      return [sortBy, numberKey((slot) => columns.stale[slot] as number)];
    case 'lastSeenAt':
      return [sortBy, numberKey((slot) => lastSeenMs(columns, slot))];
    default:
      return ['createdAt', numberKey((slot) => columns.createdMs[slot] as number)];
  }
}

function numberKey(numberOf: (slot: number) => number): SortKey {
  return { numberOf, valueOf: numberOf, numberFor: (value) => (typeof value === 'number' ? value : undefined) };
}

function nameKey(columns: FlagColumns): SortKey {
  return {
    numberOf: (slot) => columns.ranks[slot] as number,
    valueOf: (slot) => columns.features[slot]?.name ?? '',
    numberFor: (name) => (typeof name === 'string' ? rankFor(columns, name) : undefined),
  };
}

/** The rank of the name. If no flag has the name, the result is between the ranks of the flags before and after it. */
function rankFor({ order, features }: FlagColumns, name: string): number {
  const nameAt = (rank: number) => (features[order[rank] as number] as Feature).name;
  const rank = searchName(order.length, nameAt, name);
  return rank >= 0 ? rank : -1 - rank - 0.5;
}

function textKey({ distinct, numbers }: ValueColumn<string>): SortKey {
  const texts = Array.from(distinct.used(), ([, text]) => text).sort(byText);
  const positionOf = (text: string) => searchName(texts.length, (at) => texts[at] as string, text);
  const positions = new Float64Array(distinct.end);
  for (const [number, text] of distinct.used()) positions[number] = positionOf(text);
  return {
    numberOf: (slot) => positions[numbers[slot] as number] as number,
    valueOf: (slot) => distinct.valueOf(numbers[slot] as number) ?? '',
    numberFor(text) {
      if (typeof text !== 'string') return undefined;
      const position = positionOf(text);
      return position >= 0 ? position : -1 - position - 0.5;
    },
  };
}

function encode(values: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

function decode(cursor: string): readonly unknown[] | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(values) ? values : undefined;
  } catch {
    return undefined;
  }
}
