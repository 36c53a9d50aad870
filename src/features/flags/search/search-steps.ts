import type { Steps } from '../../../base/yield-control.ts';
import type { Feature } from '../../../model/feature.ts';
import type { FacetCounter } from './facets.ts';
import type { SlotFilter } from './filters.ts';
import type { FlagColumns } from './flag-columns.ts';
import type { Position, Selection } from './selection.ts';
import type { SortOrder } from './sort-order.ts';
import { BLOCK_SLOTS } from './text-blocks.ts';

/** Rows that are collected in addition to twice the wanted ones, before the last ones are dropped. */
const EXTRA_ROWS = 4_096;

export interface PlannedSearch {
  /** A flag must match all of them. */
  readonly filters: readonly SlotFilter[];
  /** A flag must contain one of them; empty: no condition. */
  readonly texts: readonly string[];
  readonly facets: readonly FacetCounter[];
  readonly order: SortOrder;
  /** The page begins after this position; undefined: at the first flag. */
  readonly after: Position | undefined;
  /** Number of flags to skip. */
  readonly offset: number;
  readonly limit: number;
}

export interface Found {
  /** Number of flags that match, on all pages. */
  readonly total: number;
  readonly features: readonly Feature[];
  /** The position after the page; undefined if the page is the last one. */
  readonly cursor: string | undefined;
  readonly facets: Readonly<Record<string, unknown>> | undefined;
}

/** Reads every flag once, block by block. The columns must not change until the search ends. */
export function* searchInSteps(search: PlannedSearch, columns: FlagColumns, selection: Selection): Steps<Found> {
  const { offset, limit, order, texts } = search;
  const wanted = offset + limit;
  const rowsMax = 2 * wanted + EXTRA_ROWS;
  selection.restart(Math.min(columns.length, rowsMax + BLOCK_SLOTS));
  const scan = new Scan(search, columns, selection);
  for (let start = 0; start < columns.length; start += BLOCK_SLOTS) {
    scan.begin(start);
    if (texts.length > 0 && scan.count > 0)
      scan.count = yield* columns.texts.filter(start, texts, scan.slots, scan.count);
    scan.take();
    if (selection.length >= rowsMax) scan.last = yield* selection.keepFirst(wanted);
    yield;
  }
  const page = Array.from(yield* selection.page(offset, wanted), (rank) => columns.order[rank] as number);
  const last = page.at(-1);
  const hasMore = scan.afterCount > wanted && last !== undefined;
  return {
    total: scan.total,
    features: page.map((slot) => columns.features[slot] as Feature),
    cursor: hasMore ? order.cursorAt(last) : undefined,
    facets: search.facets.length > 0 ? yield* facetCounts(search.facets) : undefined,
  };
}

function* facetCounts(facets: readonly FacetCounter[]): Steps<Record<string, unknown>> {
  const counts: Record<string, unknown> = {};
  for (const counter of facets) counts[counter.facet] = yield* counter.counts();
  return counts;
}

/** The state of a search. */
class Scan {
  total = 0;
  /** Number of flags that match and are after the cursor. */
  afterCount = 0;
  /** Flags after this one are not on the page. */
  last: Position | undefined;
  /** The first `count` slots are those that are left of the current block. */
  readonly slots = new Int32Array(BLOCK_SLOTS);
  count = 0;
  readonly #keys = new Float64Array(BLOCK_SLOTS);
  readonly #search: PlannedSearch;
  readonly #columns: FlagColumns;
  readonly #selection: Selection;

  constructor(search: PlannedSearch, columns: FlagColumns, selection: Selection) {
    this.#search = search;
    this.#columns = columns;
    this.#selection = selection;
  }

  /** Begins with the block at `start`: filters it, except by texts. */
  begin(start: number): void {
    const { slots } = this;
    const { ranks, length } = this.#columns;
    const end = Math.min(start + BLOCK_SLOTS, length);
    let count = 0;
    for (let slot = start; slot < end; slot++) if ((ranks[slot] as number) >= 0) slots[count++] = slot;
    for (const filter of this.#search.filters) if (count > 0) count = filter(slots, count);
    this.count = count;
  }

  /** Takes the flags that are left: counts them, and selects those that may be on the page. */
  take(): void {
    const { slots, count, last } = this;
    if (count === 0) return;
    const keys = this.#keys;
    const { ranks } = this.#columns;
    const { facets, order, after } = this.#search;
    this.total += count;
    for (const counter of facets) counter.add(slots, count);
    order.keysOf(slots, count, keys);
    const selection = this.#selection;
    let beforeCount = 0;
    for (let index = 0; index < count; index++) {
      const rank = ranks[slots[index] as number] as number;
      const key = keys[index] as number;
      if (after && (key < after.key || (key === after.key && rank <= after.rank))) beforeCount++;
      else if (!last || key < last.key || (key === last.key && rank < last.rank)) selection.add(key, rank);
    }
    this.afterCount += count - beforeCount;
  }
}
