import { expect, it } from 'vitest';
import { inGroups } from '../../../console/src/kit/lists/groups.ts';

it('gives groups of the same name different keys: a clock that was set back has a day twice', () => {
  const groups = inGroups(['Today', 'Today', 'Yesterday', 'Today'], (day) => day);
  expect(groups.map(({ name, items }) => [name, items.length])).toEqual([
    ['Today', 2],
    ['Yesterday', 1],
    ['Today', 1],
  ]);
  expect(new Set(groups.map(({ key }) => key)).size).toBe(3);
});
