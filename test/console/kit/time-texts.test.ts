import { expect, it } from 'vitest';
import { momentText } from '../../../console/src/kit/texts/time-texts.ts';

it('a moment has its day, unless that is today, and its year, unless that is this one', () => {
  const now = new Date(2026, 4, 20, 9, 0);
  const numbers = (at: Date) => [...momentText(at, now).matchAll(/\d+/g)].map(Number);
  expect(numbers(new Date(2026, 4, 20, 0, 5))).not.toContain(20);
  expect(numbers(new Date(2026, 4, 19, 23, 55))).toContain(19);
  expect(numbers(new Date(2026, 4, 19, 23, 55))).not.toContain(2026);
  expect(numbers(new Date(2025, 4, 20, 9, 0))).toEqual(expect.arrayContaining([20, 2025]));
});
