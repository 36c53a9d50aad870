import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { compileConstraint } from '../../src/evaluation/constraint.ts';
import { expressionOf } from '../../src/evaluation/expression.ts';

import { COMMON_EXPRESSIONS, LONG_TEXTS, TOO_LARGE_EXPRESSIONS } from './long-expressions.ts';

describe('a regular expression', () => {
  it('finds the same as RE2, for any parts and any texts', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '\\w',
      '\\pL',
      '\\P{Greek}',
      '[a-c]',
      '[^b]',
      '[[:upper:]]',
      'é',
      '😀',
      '\\x{3b1}',
      '\\n',
      '(?:a|bc)',
      '(?i:K)',
      '(?i:ß)',
      '(b)',
      '^',
      '$',
      '\\b',
      '\\B',
      '\\A',
      '\\z',
      '(?m:^)',
      '(?m:$)',
      '(?s:.)',
      '|',
    );
    const times = fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{1,3}', '{2,}');
    const pattern = fc
      .array(fc.tuple(atom, times), { maxLength: 6 })
      .map((parts) => parts.map(([text, count]) => text + count).join(''));
    const character = fc.constantFrom(...'aAbBcC1 _.\nkK\u212aßéαΩ😀\ud83dЖ');
    const texts = fc.array(fc.array(character, { maxLength: 12 }), { minLength: 8, maxLength: 8 });
    let asked = 0;
    fc.assert(
      fc.property(pattern, fc.boolean(), texts, (value, foldsCase, samples) => {
        const { automaton } = expressionOf(value, foldsCase);
        if (automaton === null) return;
        const oracle = RE2JS.compile(value, foldsCase ? RE2JS.CASE_INSENSITIVE : 0);
        for (const text of samples.map((characters) => characters.join(''))) {
          asked++;
          expect([value, text, automaton.test(text)]).toEqual([value, text, oracle.test(text)]);
        }
      }),
      { numRuns: 2000 },
    );
    expect(asked).toBeGreaterThan(10_000);
  });

  it.each(COMMON_EXPRESSIONS)('%s is accepted, and finds the same as RE2 in long texts', (pattern) => {
    for (const foldsCase of [false, true]) {
      const { automaton } = expressionOf(pattern, foldsCase);
      const oracle = RE2JS.compile(pattern, foldsCase ? RE2JS.CASE_INSENSITIVE : 0);
      for (const text of LONG_TEXTS) expect(automaton?.test(text)).toBe(oracle.test(text));
    }
  });

  it.each(TOO_LARGE_EXPRESSIONS)('of %s is refused', (_what, pattern) => {
    expect(expressionOf(pattern, false).automaton).toBeNull();
  });

  it('that is too large, but was stored before the limit, is never satisfied, inverted or not, and has a warning', () => {
    for (const inverted of [false, true]) {
      const stored = { contextName: 'a', operator: 'REGEX' as const, value: 'a.{900}$', inverted };
      const { test, warning } = compileConstraint(stored);
      expect(warning).toContain('too large to be evaluated in bounded time');
      const context = { properties: { a: 'a'.repeat(901) }, currentTimeMs: 0, random: () => 0, longestValue: 901 };
      expect(test(context)).toBe(false);
    }
  });

  it('is compiled once for all constraints that use it', () => {
    expect(expressionOf('^once$', false)).toBe(expressionOf('^once$', false));
    expect(expressionOf('^once$', false)).not.toBe(expressionOf('^once$', true));
  });
});
