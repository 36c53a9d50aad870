import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrangeInSteps, byText, firstInSteps, type Order, sortedInSteps } from '../../../src/base/lists/sorted.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { isDeep } from '../../support/tiers/depth.ts';

const byNumber: Order<number> = (one, other) => one - other;

/** Orders that hand-made sorts are slow with, or recurse deeply. */
const ORDERS: Readonly<Record<string, (length: number) => number[]>> = {
  'sorted, with outliers': (length) => [length + 1, ...Array.from({ length: length - 2 }, (_, index) => index + 1), 0],
  'sorted, the last one first': (length) => [length, ...Array.from({ length: length - 1 }, (_, index) => index)],
  rotated: (length) => Array.from({ length }, (_, index) => (index + (length >> 1)) % length),
  'an organ pipe': (length) => Array.from({ length }, (_, index) => Math.min(index, length - index)),
  'an organ pipe, upside down': (length) => Array.from({ length }, (_, index) => -Math.min(index, length - index)),
  reversed: (length) => Array.from({ length }, (_, index) => length - index),
  sawtooth: (length) => Array.from({ length }, (_, index) => index % 37),
  'equal keys': (length) => Array.from({ length }, () => 7),
  'made for the middle pivot': madeForTheMiddle,
};

/** The middle of each part is its greatest item, for as long as parts are divided by their middle item. */
function madeForTheMiddle(length: number): number[] {
  const places = Array.from({ length }, (_, index) => index);
  const keys = new Array<number>(length).fill(0);
  for (let high = length - 1; high >= 0; high--) {
    const middle = high >>> 1;
    keys[places[middle] as number] = high;
    [places[middle], places[high]] = [places[high] as number, places[middle] as number];
  }
  return keys;
}

/** Counts how often an order is asked, and how often at most between two pauses. */
class Counted {
  all = 0;
  longest = 0;
  #since = 0;
  readonly order: Order<number> = (one, other) => {
    this.#since++;
    return one - other;
  };

  run<Result>(steps: Generator<unknown, Result>): Result {
    for (;;) {
      const { done, value } = steps.next();
      this.all += this.#since;
      this.longest = Math.max(this.longest, this.#since);
      this.#since = 0;
      if (done) return value;
    }
  }
}

/** Arranges the rows for three pages, and counts the greatest number of keys that were read, for a page and between two pauses. */
function arrangedReads(items: readonly number[], draws?: { next(): number }): { all: number; longest: number } {
  const { length } = items;
  const sorted = items
    .map((key, rank) => ({ key, rank }))
    .sort((one, other) => one.key - other.key || one.rank - other.rank);
  const most = { all: 0, longest: 0 };
  for (const start of [0, length >> 1, length - 50]) {
    let [all, since] = [0, 0];
    const ranks = Int32Array.from(items, (_, rank) => rank);
    const keys = new Proxy(Float64Array.from(items), {
      get(target, name) {
        if (typeof name === 'string' && /^\d/.test(name)) since++;
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const steps = arrangeInSteps({ length, ranks, keys }, start, start + 50, draws);
    for (let done = false; !done; since = 0) {
      done = steps.next().done === true;
      all += since;
      most.longest = Math.max(most.longest, since);
    }
    most.all = Math.max(most.all, all);
    expect(Array.from(ranks.slice(start, start + 50))).toEqual(sorted.slice(start, start + 50).map(({ rank }) => rank));
  }
  return most;
}

/** Some steps of 1,024 items, and many. */
const LENGTHS = [3_000, 5_000, isDeep ? 100_000 : 20_000];

/** Lists that can be longer than one step sorts or keeps. */
const numbers = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 0, maxLength: 6_000, size: 'max' });

describe('sorting in steps', () => {
  it('has the same result as sorting at once', () => {
    fc.assert(
      fc.property(numbers, (items) => {
        expect(atOnce(sortedInSteps(items, byNumber))).toEqual([...items].sort(byNumber));
      }),
      { numRuns: 20 },
    );
  });

  it('keeps the order of equal items', () => {
    const items = Array.from({ length: 5_000 }, (_, index) => ({ key: String(index % 7), index }));
    const sorted = atOnce(sortedInSteps(items, (one, other) => byText(one.key, other.key)));
    expect(sorted).toEqual([...items].sort((one, other) => byText(one.key, other.key) || one.index - other.index));
  });

  it('finds the first items, for any count and any order of the items', () => {
    fc.assert(
      fc.property(numbers, fc.constantFrom(1, 50, 1_024, 1_025, 10_000), (items, count) => {
        const expected = [...items].sort(byNumber).slice(0, count);
        expect(atOnce(firstInSteps(items, byNumber, count))).toEqual(expected);
        expect(atOnce(firstInSteps([...expected].reverse(), byNumber, count))).toEqual(expected);
      }),
      { numRuns: 30 },
    );
    const falling = Array.from({ length: 20_000 }, (_, index) => 20_000 - index);
    expect(atOnce(firstInSteps(falling, byNumber, 3))).toEqual([1, 2, 3]);
  });

  describe.each(Object.entries(ORDERS))('of items that are %s', (_what, make) => {
    it.each(LENGTHS)('asks the order at most 2 n log n times, and pauses, with %i items', (length) => {
      const items = make(length);
      const sorted = [...items].sort(byNumber);
      const most = 2 * length * Math.log2(length);
      for (const count of [undefined, 1, 100, 2_000]) {
        const counted = new Counted();
        const { order } = counted;
        const result = counted.run(count ? firstInSteps(items, order, count) : sortedInSteps(items, order));
        expect(result).toEqual(sorted.slice(0, count));
        expect(counted.all).toBeLessThan(most);
        expect(counted.longest).toBeLessThanOrEqual(1_024 * 12);
      }
    });

    it.each(LENGTHS)('arranges %i rows of columns with few reads', (length) => {
      const reads = arrangedReads(make(length));
      expect(reads.all).toBeLessThan(20 * length);
      expect(reads.longest).toBeLessThan(length + 4 * 8_192);
    });
  });

  it.each([3_000, 20_000])(
    'arranges %i rows with at most 5 n log n reads when every drawn row is the greatest one of its part',
    (length) => {
      const reads = arrangedReads(madeForTheMiddle(length), { next: () => 0.5 - 1e-9 });
      // The part was divided too often: without a limit there would be n² / 2 reads.
      expect(reads.all).toBeGreaterThan(20 * length);
      expect(reads.all).toBeLessThan(5 * length * Math.log2(length));
      expect(reads.longest).toBeLessThan(length + 4 * 8_192);
    },
  );
});
