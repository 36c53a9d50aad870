import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workAtOnce } from '../../src/base/work.ts';
import { containsAny } from '../../src/evaluation/text-search.ts';
import { texts } from './long-lists.ts';

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

  it('is prepared in many steps for many values, and finds each of them', () => {
    const values = texts(2_000, 5);
    const work = containsAny(values);
    let steps = 0;
    let step = work.next();
    for (; !step.done; step = work.next()) steps++;
    expect(steps).toBeGreaterThan(3);
    const contains = step.value;
    for (const value of values) expect([value, contains(`before ${value}`)]).toEqual([value, true]);
    expect(contains('aaaa1999')).toBe(false);
  });
});
