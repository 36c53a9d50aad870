import { expect, it } from 'vitest';
import type { Logger } from '../../../src/base/logger.ts';
import { UiErrors } from '../../../src/features/instance/ui-errors.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function recorder() {
  const lines: [Record<string, unknown>, string][] = [];
  const warn = (fields: Record<string, unknown>, text: string) => void lines.push([fields, text]);
  const clock = new ManualClock();
  return { lines, clock, errors: new UiErrors({ warn } as unknown as Logger, clock) };
}

it('An error of a browser is logged with the id of the user, and without secrets', () => {
  const { lines, errors } = recorder();
  const secrets = ['default:development.0123456789abcdef', '*:*.unleash-insecure-api-token', 'user:0123456789abcdef'];
  const stack = `at f (https://flags.example.com/new-user?token=abcdef:3:4)\nafter ${secrets.join(' and ')}`;
  errors.record({ message: `no ${secrets[0]}`, stack, userId: 7 });
  const [[fields, text] = [{}, '']] = lines;
  expect(text).toContain('browser');
  expect(fields).toMatchObject({ userId: 7, uiError: 'no [token]' });
  for (const secret of [...secrets, 'abcdef']) expect(JSON.stringify(fields)).not.toContain(secret);
  expect(fields.uiStack).toContain('https://flags.example.com/new-user');
});

it('Errors beyond the limit for one minute are logged as a number only', () => {
  const { lines, clock, errors } = recorder();
  const error = { message: 'again', stack: undefined, userId: 1 };
  for (let count = 0; count < 1_000; count++) errors.record(error);
  expect(lines).toHaveLength(60);
  clock.advance(60_000);
  errors.record(error);
  expect(lines.slice(60)).toEqual([
    [{ errors: 940 }, expect.any(String)],
    [{ userId: 1, uiError: 'again' }, expect.any(String)],
  ]);
});

it('The longest texts of repeated patterns are logged without excessive work', () => {
  const { lines, errors } = recorder();
  for (const piece of ['a', 'a:', ':', 'http://', 'a:b', 'user:', '*.', '[a]:'])
    errors.record({ message: piece.repeat(1_000), stack: piece.repeat(Math.floor(10_000 / piece.length)), userId: 1 });
  expect(lines).toHaveLength(8);
});
