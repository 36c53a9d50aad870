import type { Steps } from '../../../base/yield-control.ts';
import type { Feature } from '../../../model/feature.ts';
import type { FacetCounter } from './facets.ts';
import { containsText, type SlotTest } from './filters.ts';
import type { FlagColumns } from './flag-columns.ts';
import type { Position, Selection } from './selection.ts';
import type { SortOrder } from './sort-order.ts';

/** Maximum number of slots, and of searched characters, in one step. Both take well under a millisecond. */
const STEP_SLOTS = 512;
const STEP_CHARS = 500_000;

/** Rows that are collected in addition to twice the wanted ones, before the last ones are dropped. */
const EXTRA_ROWS = 4_096;

export interface PlannedSearch {
  /** A flag must pass all of them. */
  readonly tests: readonly SlotTest[];
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

/** Reads every flag once. The columns must not change until the search ends. */
export function* searchInSteps(search: PlannedSearch, columns: FlagColumns, selection: Selection): Steps<Found> {
  const { offset, limit, order } = search;
  const scan = new Scan(search, columns, selection);
  const wanted = offset + limit;
  let slot = 0;
  while (slot < columns.length) {
    slot = scan.step(slot);
    if (selection.length >= 2 * wanted + EXTRA_ROWS) scan.last = (yield* selection.keepFirst(wanted)) ?? undefined;
    yield;
  }
  const page = yield* selection.page(offset, wanted);
  const last = page.at(-1);
  const hasMore = scan.afterCount > wanted && last !== undefined;
  return {
    total: scan.total,
    features: page.map((at) => columns.features[at] as Feature),
    cursor: hasMore ? order.cursorAt(last) : undefined,
    facets: search.facets.length > 0 ? yield* facetCounts(search.facets) : undefined,
  };
}

function* facetCounts(facets: readonly FacetCounter[]): Steps<Record<string, unknown>> {
  const counts: Record<string, unknown> = {};
  for (const counter of facets) counts[counter.facet] = yield* counter.counts();
  return counts;
}

class Scan {
  total = 0;
  /** Number of flags that match and are after the cursor. */
  afterCount = 0;
  /** Flags after this one are not on the page. */
  last: Position | undefined;
  readonly #search: PlannedSearch;
  readonly #columns: FlagColumns;
  readonly #selection: Selection;

  constructor(search: PlannedSearch, columns: FlagColumns, selection: Selection) {
    this.#search = search;
    this.#columns = columns;
    this.#selection = selection;
    const rowsMax = 2 * (search.offset + search.limit) + EXTRA_ROWS + STEP_SLOTS;
    selection.restart(Math.min(columns.length, rowsMax), columns.ranks);
  }

  /** Reads the slots from `start`. Returns the first slot of the next step. */
  step(start: number): number {
    const { tests, texts } = this.#search;
    const columns = this.#columns;
    const { ranks } = columns;
    const end = Math.min(start + STEP_SLOTS, columns.length);
    let chars = 0;
    next: for (let slot = start; slot < end; slot++) {
      if ((ranks[slot] as number) < 0) continue;
      for (const test of tests) if (!test(slot)) continue next;
      if (texts.length > 0) {
        if (chars > STEP_CHARS) return slot;
        chars += (columns.texts[slot] as string).length * texts.length;
        if (!containsText(columns, slot, texts)) continue;
      }
      this.#take(slot);
    }
    return end;
  }

  #take(slot: number): void {
    const { facets, order, after } = this.#search;
    this.total++;
    for (const counter of facets) counter.add(slot);
    const key = order.keyOf(slot);
    if (after && !this.#isAfter(after, slot, key)) return;
    this.afterCount++;
    if (this.last && this.#isAfter(this.last, slot, key)) return;
    this.#selection.add(slot, key);
  }

  #isAfter({ key, rank }: Position, slot: number, ownKey: number): boolean {
    return ownKey > key || (ownKey === key && (this.#columns.ranks[slot] as number) > rank);
  }
}
