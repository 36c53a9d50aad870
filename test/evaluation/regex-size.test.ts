import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { regexSize } from '../../src/evaluation/regex-size.ts';

/** Steps of the compiled program, or null when RE2 refuses the pattern. */
function programSize(pattern: string): number | null {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return null;
  }
}

/** Includes the steps that are not atoms: alternatives, loops, the beginning and the end. */
const STEPS_PER_ATOM = 4;

describe('the size of an expression', () => {
  it.each([
    ['^abc$', 5],
    ['.{1000}', 1000],
    ['(((a{10}){10}){10})', 1111],
    ['a{2,30}', 30],
    ['a{5,}', 5],
    ['[a-z[:alpha:]\\]{}()]{3}', 3],
    ['\\pL{9}', 81],
    ['\\p{Greek}{2}', 18],
    ['\\x{10FFFF}{3}', 3],
    ['\\Q(x{9}\\E', 9],
    ['[[[', 1],
    ['a\\', 2],
  ])('%s is %i', (pattern, size) => {
    expect(regexSize(pattern)).toBe(size);
  });

  it('is never much smaller than the compiled program, for any pattern', () => {
    const atom = fc.constantFrom(
      'a',
      '.',
      '\\d',
      '\\pL',
      '\\p{Lu}',
      '[a-z]',
      '[^\\pN]',
      '[]a]',
      '[[:digit:]]',
      '\\Q[\\E',
      '\\Q(\\E',
      '\\x41',
      '\\x{41}',
      '\\(',
      '\\[',
      '\\{',
      '(?:a|b)',
      '(?i:k)',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '|',
      '^',
      '\\Q',
      '\\E',
    );
    const times = fc.constantFrom('', '', '*', '+?', '{7}', '{3,20}', '{0,9}', '{12,}', '{', '{1', '{,3}', '{0}');
    const piece = fc.tuple(atom, times).map(([text, repetition]) => text + repetition);
    const pattern = fc.letrec<{ node: string; group: string }>((tie) => ({
      node: fc.oneof({ maxDepth: 4 }, piece, tie('group')),
      group: fc.tuple(fc.array(tie('node'), { maxLength: 3 }), times).map(([parts, t]) => `(${parts.join('')})${t}`),
    })).node;
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 4 }), (parts) => {
        const text = parts.join('');
        if (regexSize(text) > 20_000) return;
        const size = programSize(text);
        if (size !== null) expect(size).toBeLessThanOrEqual(STEPS_PER_ATOM * (regexSize(text) + 1));
      }),
      { numRuns: 2000 },
    );
  });

  it('of very deeply nested groups is infinite', () => {
    expect(regexSize(`${'('.repeat(60)}a${')'.repeat(60)}`)).toBe(Number.POSITIVE_INFINITY);
  });
});
