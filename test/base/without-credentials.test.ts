import { expect, it } from 'vitest';
import { withoutCredentials } from '../../src/base/without-credentials.ts';

it('shows an address without its user name and its password', () => {
  for (const [text, shown] of [
    ['', ''],
    ['https://flags.example.com/a?b=c', 'https://flags.example.com/a?b=c'],
    ['https://me:word@flags.example.com/a', 'https://***@flags.example.com/a'],
    ['https://me:w@rd@flags.example.com', 'https://***@flags.example.com'],
    ['https:///me:word@flags.example.com', 'https:///***@flags.example.com'],
    ['https://flags.example.com/@me', 'https://flags.example.com/@me'],
    ['https://me:wo/rd@flags.example.com', '***@flags.example.com'],
    ['me:word@flags.example.com', '***@flags.example.com'],
  ] as const) {
    expect(withoutCredentials(text, '***')).toBe(shown);
  }
  expect(withoutCredentials('https://me:word@host')).toBe('https://host');
});
