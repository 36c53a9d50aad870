import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../src/base/asking/asker.ts';
import { JSON_DEPTH_MAX, JSON_VALUES_MAX, parseJson, parseLargeJson } from '../../src/base/json-text.ts';
import { Rejection } from '../../src/base/rejection.ts';
import { anyText } from '../support/any-text.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** The value, or the message of the rejection. */
function outcome(parsed: { readonly value: unknown } | Rejection): unknown {
  return parsed instanceof Rejection ? parsed.message : parsed.value;
}

/** The text after enough white space that the fragment parser is used. */
function padded(text: string, at: number): string {
  return `${' '.repeat(40_000)}${text.slice(0, at)}${text.slice(at)}`;
}

const malformed = [
  '',
  ' ',
  '{',
  '[',
  ']',
  '}',
  '[1,]',
  '[,1]',
  '[1 2]',
  '[1}',
  '{"a":1]',
  '{"a":1,}',
  '{,}',
  '{"a"}',
  '{"a":}',
  '{a:1}',
  '{1:1}',
  '{"a":1 "b":2}',
  '[[]',
  '[]]',
  '{}{}',
  '"open',
  '"\\',
  '"\\x"',
  '"line\nbreak"',
  'nul',
  'NaN',
  '01',
  '1.',
  '+1',
  "'a'",
  '[1,,2]',
  '{"a":1,,"b":2}',
  '\u0000',
];

describe('bodies', () => {
  it.each(malformed)('that are not JSON are refused: %j', async (text) => {
    expect(outcome(parseJson(bytesOf(text)))).toMatch(/^The body is not valid JSON/);
    expect(outcome(await parseLargeJson(bytesOf(padded(text, 0)), SERVICE))).toMatch(/^The body is not valid JSON/);
    // As one member of a list that is larger than a fragment.
    const filler = `"${'x'.repeat(100)}",`.repeat(500);
    if (text.trim() !== '') {
      expect(outcome(await parseLargeJson(bytesOf(`[${filler}${text}]`), SERVICE))).toMatch(
        /^The body is not valid JSON/,
      );
    }
  });

  it('that are not UTF-8 are refused', async () => {
    const invalid = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xe2, 0x82]];
    for (const bytes of invalid) {
      const text = Uint8Array.from([0x22, ...bytes, 0x22]);
      expect(outcome(parseJson(text))).toMatch(/not UTF-8/);
      expect(outcome(await parseLargeJson(Buffer.concat([Buffer.alloc(40_000, ' '), text]), SERVICE))).toMatch(
        /not UTF-8/,
      );
    }
  });

  it('may begin with a byte order mark', async () => {
    expect(outcome(parseJson(bytesOf('\ufeff{"a":1}')))).toEqual({ a: 1 });
    expect(outcome(await parseLargeJson(bytesOf(`\ufeff${padded('{"a":1}', 0)}`), SERVICE))).toEqual({ a: 1 });
  });

  it('nested too deep are refused, at the limit they are not', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(bytesOf(nested(JSON_DEPTH_MAX)))).not.toBeInstanceOf(Rejection);
    expect(outcome(parseJson(bytesOf(nested(JSON_DEPTH_MAX + 1))))).toMatch(/nested deeper/);
    expect(outcome(parseJson(bytesOf('['.repeat(1_000_000))))).toMatch(/nested deeper/);
    expect(outcome(await parseLargeJson(bytesOf('{"a":'.repeat(200_000)), SERVICE))).toMatch(/nested deeper/);
    // Brackets in text do not count.
    expect(parseJson(bytesOf(`["${'['.repeat(1_000)}\\"${'['.repeat(1_000)}"]`))).not.toBeInstanceOf(Rejection);
  });

  it('of too many values are refused, at the limit they are not', () => {
    const list = (length: number) => JSON.stringify(Array.from({ length }, () => 1));
    expect(parseJson(bytesOf(list(JSON_VALUES_MAX)))).not.toBeInstanceOf(Rejection);
    expect(outcome(parseJson(bytesOf(list(JSON_VALUES_MAX + 1))))).toMatch(/more values/);
  });

  it.each([
    '{"__proto__":1}',
    '{"a":[{"b":{"__proto__":{}}}]}',
    '{"\\u005f_proto__":1}',
    '{"__proto\\u005F_":1}',
    '{"__\\u0070roto__":1}',
    '{"__p\\u0072oto__":1}',
    '{"__pr\\u006Fto__":1}',
    '{"__pro\\u0074o__":1}',
    '{"a\\"":"__proto__","__proto__" :1}',
  ])('with a key named __proto__ are refused: %s', async (text) => {
    expect(outcome(parseJson(bytesOf(text)))).toMatch(/__proto__/);
    const filler = `"k":"${'x'.repeat(100)}",`.repeat(500);
    expect(outcome(await parseLargeJson(bytesOf(`{${filler}${text.slice(1)}`), SERVICE))).toMatch(/__proto__/);
    // The key of a member that is larger than a fragment.
    const long = text.replace(/:(1|\{\})/, `:["${'y'.repeat(40_000)}"]`);
    expect(outcome(await parseLargeJson(bytesOf(long), SERVICE))).toMatch(/__proto__/);
  });

  it.each([
    '{"name":"__proto__"}',
    '["__proto__",":"]',
    '{"constructor":1,"toString":2,"hasOwnProperty":3}',
    '"\\u005f"',
  ])('with such names elsewhere are accepted: %s', async (text) => {
    expect(outcome(parseJson(bytesOf(text)))).toEqual(JSON.parse(text));
    expect(outcome(await parseLargeJson(bytesOf(padded(text, 0)), SERVICE))).toEqual(JSON.parse(text));
  });
});

describe('parsing in fragments', () => {
  /** Documents with small members, members near the size of a fragment and larger ones, keys that need escapes, text of all planes. */
  const text = fc.oneof(
    { weight: 30, arbitrary: anyText({ maxLength: 20 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 40_000 }).map((length) => 'é"\\😀x'.repeat(length / 7)) },
  );
  const key = text.filter((candidate) => candidate !== '__proto__');
  const leaf = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null));
  const document = fc.letrec((tie) => ({
    // Only leaves are repeated, and the depth is bounded: repeated branches can make documents of gigabytes.
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 30 }),
      fc.dictionary(key, tie('value'), { maxKeys: 30 }),
      fc.tuple(leaf, fc.integer({ min: 0, max: 49 })).map(([value, count]) => Array(count).fill(value)),
    ),
  })).value;

  it('returns the same value as JSON.parse', async () => {
    await fc.assert(
      fc.asyncProperty(document, fc.constantFrom(undefined, 1, '\t', ' \n'), async (value, indent) => {
        const json = JSON.stringify([' '.repeat(33_000), value, [value]], null, indent);
        expect(JSON.stringify(outcome(await parseLargeJson(bytesOf(json), SERVICE)))).toBe(
          JSON.stringify(JSON.parse(json)),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('refuses the same damaged documents as JSON.parse', async () => {
    const base = JSON.stringify({
      list: Array.from({ length: 2_000 }, (_, index) => ({ id: index, name: `n"${index}` })),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: base.length - 1 }),
        fc.constantFrom('', ',', ':', '[', ']', '{', '}', '"', '\\', ' ', '1', 'x'),
        fc.boolean(),
        async (at, inserted, remove) => {
          const damaged = base.slice(0, at) + inserted + base.slice(at + (remove ? 1 : 0));
          let expected: unknown;
          try {
            expected = JSON.parse(damaged);
          } catch {
            expected = 'refused';
          }
          const parsed = await parseLargeJson(bytesOf(damaged), SERVICE);
          if (expected === 'refused') expect(parsed).toBeInstanceOf(Rejection);
          else expect(outcome(parsed)).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });
});
