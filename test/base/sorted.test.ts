import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byText, firstInSteps, type Order, sortedInSteps } from '../../src/base/sorted.ts';
import { atOnce } from '../../src/base/yield-control.ts';

const byNumber: Order<number> = (one, other) => one - other;

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
});
