import { expect, it } from 'vitest';
import { shortened } from '../../src/base/shortened.ts';

it('cuts a text to a length, but never inside a surrogate pair', () => {
  expect(shortened('short', 5)).toBe('short');
  expect(shortened('longer', 5)).toBe('longe');
  expect(shortened('größer als das', 6)).toBe('größer');
  expect(shortened('ab😀cd', 4)).toBe('ab😀');
  expect(shortened('ab😀cd', 3)).toBe('ab');
  expect(shortened('', 0)).toBe('');
});
