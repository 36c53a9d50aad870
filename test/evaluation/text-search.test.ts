import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workAtOnce } from '../../src/base/work.ts';
import { containsAny } from '../../src/evaluation/text-search.ts';
import { leastCpuMs } from '../support/programs/cpu.ts';

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

  it.each([
    ['values that begin alike', Array.from({ length: 250 }, (_, index) => `${'a'.repeat(50)}b${index}`), 'a'],
    ['values that end alike', Array.from({ length: 250 }, (_, index) => `${index}${'a'.repeat(50)}b`), 'a'],
    ['a long value', [`${'a'.repeat(1_000)}b${'a'.repeat(1_000)}`], 'a'],
    [
      'values of one character each',
      Array.from({ length: 250 }, (_, index) => String.fromCharCode(0x400 + index)),
      'Ж\u0600',
    ],
    ['values that nest', Array.from({ length: 250 }, (_, index) => `${'ab'.repeat(index + 1)}c`), 'ab'],
  ])('takes one pass, with %s', (_what, values, piece) => {
    const contains = workAtOnce(containsAny(values.filter((value) => value !== 'Ж')));
    const text = piece.replace('Ж', '').repeat(4_096).slice(0, 4_096);
    const took = leastCpuMs(() => {
      for (let round = 0; round < 100; round++) expect(contains(text)).toBe(false);
    });
    expect(took / 100).toBeLessThan(1);
  });
});
