import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workAtOnce } from '../../src/base/work.ts';
import { expressionOf } from '../../src/evaluation/expression.ts';
import { containsAny } from '../../src/evaluation/text-search.ts';
import { WorkCounter } from '../support/work-counter.ts';
import { COMMON_EXPRESSIONS, LONG_TEXTS, TEXT_LENGTH, TOO_LARGE_EXPRESSIONS } from './long-expressions.ts';

const counter = new WorkCounter(/^file:.*(\/src\/|\/node_modules\/re2js\/)/);
beforeAll(() => counter.start());
afterAll(() => counter.stop());

/** The work for each character of a search that finds nothing before the end of the text. */
function workPerCharacter(search: () => boolean | undefined): number {
  let isFound: boolean | undefined;
  const work = counter.during(() => {
    isFound = search();
  });
  expect(isFound).toBe(false);
  return work / TEXT_LENGTH;
}

describe('a regular expression', () => {
  it.each(COMMON_EXPRESSIONS)('%s searches a text with one look-up for each character', (pattern) => {
    for (const foldsCase of [false, true]) {
      const { automaton } = expressionOf(pattern, foldsCase);
      for (const text of LONG_TEXTS) {
        const work = counter.during(() => automaton?.test(text)) / TEXT_LENGTH;
        // A character after Latin-1 needs a binary search for its range. RE2's own machine has up to 60 blocks for each character.
        expect(work, text.slice(0, 9)).toBeLessThan(text.startsWith('Ж') ? 14 : 1.1);
      }
    }
  });

  it.each(TOO_LARGE_EXPRESSIONS)('of %s is refused early', (_what, pattern) => {
    // The limit of steps of a table allows 320,800, which took 54 ms of CPU with code that had not run before. The others have less than 12,000.
    expect(counter.during(() => expressionOf(pattern, false))).toBeLessThan(350_000);
  });
});

const many = (value: (index: number) => string) => Array.from({ length: 250 }, (_, index) => value(index));

describe('a search for many values in one text', () => {
  it.each([
    ['values that begin alike', many((index) => `${'a'.repeat(50)}b${index}`), 'a'],
    ['values that end alike', many((index) => `${index}${'a'.repeat(50)}b`), 'a'],
    ['a long value', [`${'a'.repeat(1_000)}b${'a'.repeat(1_000)}`], 'a'],
    ['values of one character each', many((index) => String.fromCharCode(0x400 + index)), '\u0600'],
    ['values that nest', many((index) => `${'ab'.repeat(index + 1)}c`), 'ab'],
  ])('takes one pass, with %s', (_what, values, piece) => {
    const contains = workAtOnce(containsAny(values));
    const text = piece.repeat(TEXT_LENGTH).slice(0, TEXT_LENGTH);
    const work = workPerCharacter(() => contains(text));
    // Less than one: V8 searches for each value, in work that is not counted.
    expect(work).toBeGreaterThan(1);
    expect(work).toBeLessThan(16);
  });
});
