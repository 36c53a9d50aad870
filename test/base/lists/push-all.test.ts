import { expect, it } from 'vitest';
import { pushAll } from '../../../src/base/lists/push-all.ts';

it('adds more items than a call can have arguments', () => {
  const items = Array.from({ length: 300_000 }, (_, index) => index);
  const list = [-1];
  expect(() => list.push(...items)).toThrow(RangeError);
  pushAll(list, items);
  expect(list).toHaveLength(300_001);
  expect(list.at(-1)).toBe(299_999);
});
