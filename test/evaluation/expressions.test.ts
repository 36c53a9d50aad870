import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { compileConstraint } from '../../src/evaluation/constraint.ts';
import { expressionOf } from '../../src/evaluation/expression.ts';
import { leastCpuMs } from '../support/programs/cpu.ts';

const TEXT_LENGTH = 4096;
/** Searches of one measurement: some milliseconds. */
const ROUNDS = 50;

/** Texts on which searches take long: no match before the end, or many open partial matches. */
const LONG_TEXTS = [
  'a'.repeat(TEXT_LENGTH),
  'ab'.repeat(TEXT_LENGTH / 2),
  Array.from({ length: TEXT_LENGTH }, (_, index) => 'ab1.'[(index * 2_654_435_761) >>> 30]).join(''),
  'Жé'.repeat(TEXT_LENGTH / 2),
];

describe('a regular expression', () => {
  it('finds the same as RE2, for any parts and any texts', () => {
    const atom = fc.constantFrom(
      ...[
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
      ],
      ...[
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
      ],
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

  it.each([
    '^.*@example\\.(com|org)$',
    '^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$',
    '^\\d{1,3}(\\.\\d{1,3}){3}$',
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    '(android|iphone|ipad|windows phone|blackberry)',
    'v?\\d+\\.\\d+\\.\\d+(-[a-z0-9.]+)?',
    '^(a|b|c|d|e|f|g)+$',
    '^\\pL{1,50}$',
    '\\bbeta\\b',
    'a.{4}$',
  ])('%s is accepted, and searches a long text in less than 0.5 ms', (pattern) => {
    for (const foldsCase of [false, true]) {
      const { automaton } = expressionOf(pattern, foldsCase);
      expect(automaton).not.toBeNull();
      for (const text of LONG_TEXTS) {
        const took = leastCpuMs(() => {
          for (let round = 0; round < ROUNDS; round++) automaton?.test(text);
        });
        expect(took / ROUNDS).toBeLessThan(0.5);
      }
    }
  });

  it.each([
    ['many open partial matches', 'a.{900}$'],
    ['too many states', 'a.{20}$'],
    ['nested repetitions', '((a{1,10}){1,10}){1,10}x'],
    ['very many named classes', `[${'\\pL'.repeat(300)}]`],
    ['the largest class, folded', `(?i)${'[B-\\x{1E942}]'.repeat(50)}`],
    ['a class beside a class, folded', `(?i)[${'B-\\x{1E942}'.repeat(50)}]`],
    ['very many optional parts', `(${'a?'.repeat(500)}){10}`],
    ['deeply nested groups', `${'('.repeat(60)}a${')'.repeat(60)}`],
    ['a look-behind', '(?<=a{1,100})b'],
  ])('of %s is refused early, at a low cost', (_what, pattern) => {
    const took = leastCpuMs(() => {
      const { automaton } = expressionOf(pattern, false);
      expect(automaton).toBeNull();
    });
    expect(took).toBeLessThan(100);
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
