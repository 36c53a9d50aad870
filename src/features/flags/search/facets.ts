import { byText, firstInSteps } from '../../../base/lists/sorted.ts';
import type { Steps } from '../../../base/yield-control.ts';
import {
  bitFilter,
  favoriteTest,
  namesOfSegments,
  potentiallyStaleFilter,
  type SearchContext,
  type SlotFilter,
  testFilter,
} from './filters.ts';
import { FACET_VALUES_MAX, type Facet } from './schemas.ts';
import { BLOCK_SLOTS } from './text-blocks.ts';
import type { ValueColumn } from './value-column.ts';

/** Number of distinct values in one step. */
const STEP_VALUES = 512;

/** A value of the filter, and the number of flags that the search finds with this value. */
interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Counts the flags of a search by the values of one facet. */
export interface FacetCounter {
  readonly facet: Facet;
  /** Counts the flags in the first `count` slots of the list. */
  add(slots: Int32Array, count: number): void;
  /** The most frequent values. */
  counts(): Steps<ValueCount[]>;
}

export function facetCounter(facet: Facet, context: SearchContext): FacetCounter {
  const { state, columns } = context;
  const self = (text: string) => [text];
  switch (facet) {
    case 'project':
      return columnCounter(facet, columns.projects, self);
    case 'type':
      return columnCounter(facet, columns.types, self);
    case 'createdBy':
      return columnCounter(facet, columns.creators, self);
    case 'lifecycle':
      return columnCounter(facet, columns.stages, self);
    case 'segment':
      return columnCounter(facet, columns.segments, (ids) => namesOfSegments(ids, state));
    case 'tag':
      return columnCounter(facet, columns.tags, (numbers) =>
        numbers.map((number) => columns.tagTexts.valueOf(number) as string),
      );
    case 'status': {
      const environments = Array.from(state.values('environments'), ({ name }) => name);
      return columnCounter(facet, columns.enabledIn, (enabled) =>
        environments.map((name) => `${name}:${enabled.includes(name) ? 'enabled' : 'disabled'}`),
      );
    }
    case 'state': {
      const { stale } = columns;
      const [active, marked] = [bitFilter(stale, 0), bitFilter(stale, 1)];
      return filterCounter(facet, { active, stale: marked, 'potentially-stale': potentiallyStaleFilter(context) });
    }
    case 'favorite': {
      const isFavorite = favoriteTest(context);
      const [marked, others] = [testFilter(isFavorite), testFilter((slot) => !isFavorite(slot))];
      return filterCounter(facet, { true: marked, false: others });
    }
  }
}

/** `textsOf`: the values of the facet that a flag has. */
function columnCounter<Value>(
  facet: Facet,
  { numbers, distinct }: ValueColumn<Value>,
  textsOf: (value: Value) => readonly string[],
): FacetCounter {
  const counts = new Uint32Array(distinct.end);
  return {
    facet,
    add(slots, count) {
      for (let index = 0; index < count; index++) {
        const number = numbers[slots[index] as number] as number;
        counts[number] = (counts[number] as number) + 1;
      }
    },
    *counts() {
      const countByText = new Map<string, number>();
      for (let number = 0; number < counts.length; number++) {
        if (number % STEP_VALUES === 0) yield;
        const count = counts[number] as number;
        if (count === 0) continue;
        for (const text of textsOf(distinct.valueOf(number) as Value))
          countByText.set(text, (countByText.get(text) ?? 0) + count);
      }
      return yield* mostFrequent(countByText);
    },
  };
}

/** `filters`: value of the facet → the flags that have it. */
function filterCounter(facet: Facet, filters: Readonly<Record<string, SlotFilter>>): FacetCounter {
  const entries = Object.entries(filters);
  const countByText = new Map(entries.map(([text]) => [text, 0]));
  const copy = new Int32Array(BLOCK_SLOTS);
  return {
    facet,
    add(slots, count) {
      for (const [text, filter] of entries) {
        copy.set(slots.subarray(0, count));
        countByText.set(text, (countByText.get(text) as number) + filter(copy, count));
      }
    },
    counts: () => mostFrequent(countByText),
  };
}

function* mostFrequent(countByText: ReadonlyMap<string, number>): Steps<ValueCount[]> {
  const found: ValueCount[] = [];
  for (const [value, count] of countByText) if (count > 0) found.push({ value, count });
  yield;
  return yield* firstInSteps(
    found,
    (one, other) => other.count - one.count || byText(one.value, other.value),
    FACET_VALUES_MAX,
  );
}
