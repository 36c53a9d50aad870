import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSameJson } from '../../src/base/same-json.ts';

/** Values so small that two of them are often equal or almost equal. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, 0, 1, '', 'a', '1'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'length', '0'), tie('value'), { maxKeys: 2 }),
  ),
}));

it('returns the same as isDeepStrictEqual of Node for any two values', () => {
  fc.assert(
    fc.property(value, value, (left, right) => {
      const [mine, theirs] = [JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(right))];
      expect(isSameJson(mine, theirs)).toBe(isDeepStrictEqual(mine, theirs));
      expect(isSameJson(mine, JSON.parse(JSON.stringify(left)))).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

it('ignores the order of properties', () => {
  expect(isSameJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true);
  expect(isSameJson([1, 2], [2, 1])).toBe(false);
  expect(isSameJson([], {})).toBe(false);
});
