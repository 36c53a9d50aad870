import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workAtOnce } from '../../src/base/work.ts';
import { containsAny } from '../../src/evaluation/text-search.ts';

describe('a search for many values in one text', () => {
  it('has the same result as a search for each value', () => {
    const text = (maxLength: number) =>
      fc
        .array(fc.constantFrom(...'aab', 'ab', 'ä', '😀', '\ud83d', '\uffff', '\0'), { maxLength })
        .map((all) => all.join(''));
    const values = fc.array(text(6), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(values, fc.array(text(20), { minLength: 4, maxLength: 4 }), (wanted, texts) => {
        const contains = workAtOnce(containsAny(wanted));
        for (const sample of texts) {
          expect([wanted, sample, contains(sample)]).toEqual([
            wanted,
            sample,
            wanted.some((each) => sample.includes(each)),
          ]);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
