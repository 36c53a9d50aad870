import { expect, it } from 'vitest';
import { laterTimes } from '../../../console/src/domain/later.ts';

const offered = (now: Date) => laterTimes(now).map(({ name, at }) => [name, at.getDate(), at.getHours()]);

it('offers each time to come once', () => {
  // A Thursday, 10:30; a Thursday after 20:00; a Sunday, of which tomorrow is the Monday; a Monday.
  expect(offered(new Date(2026, 9, 1, 10, 30))).toEqual([
    ['hour', 1, 11],
    ['tonight', 1, 20],
    ['tomorrow', 2, 9],
    ['monday', 5, 9],
  ]);
  expect(offered(new Date(2026, 9, 1, 20)).map(([name]) => name)).toEqual(['hour', 'tomorrow', 'monday']);
  expect(offered(new Date(2026, 9, 4, 12)).map(([name]) => name)).toEqual(['hour', 'tonight', 'tomorrow']);
  expect(offered(new Date(2026, 9, 5, 12)).at(-1)).toEqual(['monday', 12, 9]);
});
