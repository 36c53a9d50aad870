import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FlagFilter, filterRows, typedFilter } from '../../../console/src/domain/flag-filter.ts';
import type { FlagRow, RowsHead } from '../../../console/src/domain/flag-row.ts';

const NONE: FlagFilter = { text: '', projects: [], types: [], tags: [], states: [], status: [], favorites: false };

const head: RowsHead = { places: new Map([['production', 0]]), lifetimesMs: new Map() };

const rowOf = (text: string, at: number): FlagRow => ({
  head,
  name: `flag-${at}`,
  project: at % 2 ? 'shop' : 'default',
  type: 'release',
  description: '',
  stale: at % 3 === 0,
  favorite: at % 4 === 0,
  createdMs: at,
  tags: [],
  states: String((at + 1) % 2),
  text,
});

const text = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 4 });
const filter = fc.record({
  text,
  projects: fc.subarray(['shop']),
  states: fc.subarray(['stale']),
  status: fc.subarray(['production:enabled']),
  favorites: fc.boolean(),
});
const lists = fc.array(
  fc.array(
    text.map((part) => part.repeat(2)),
    { maxLength: 12 },
  ),
  { minLength: 1, maxLength: 2 },
);

describe('the filter of a list while a text is typed', () => {
  it('finds after each key what a new filter finds', () => {
    const asked = fc.array(fc.record({ list: fc.nat(1), more: filter, keepsRest: fc.boolean() }), { maxLength: 10 });
    fc.assert(
      fc.property(lists, asked, (texts, filters) => {
        const all = texts.map((list) => list.map(rowOf));
        const filterTyped = typedFilter();
        let last = NONE;
        for (const { list, more, keepsRest } of filters) {
          const rows = all[list % all.length] ?? [];
          last = keepsRest ? { ...last, text: last.text + more.text } : { ...last, ...more };
          expect(filterTyped(rows, last)).toEqual(filterRows(rows, last));
        }
      }),
    );
  });
});
