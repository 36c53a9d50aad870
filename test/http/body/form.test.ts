import { expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { parseForm } from '../../../src/http/body/form.ts';

const parse = (text: string) => {
  const form = parseForm(Buffer.from(text));
  return form instanceof Rejection ? form.message : form.value;
};

it('a form has at most 20 fields, each at most once', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=${index}`).join('&');
  expect(parse('a=1+2&b=%C3%A9&__proto__=x')).toEqual(
    Object.fromEntries([
      ['a', '1 2'],
      ['b', 'é'],
      ['__proto__', 'x'],
    ]),
  );
  expect(Object.keys(parse(fields(20)))).toHaveLength(20);
  expect(parse(fields(21))).toBe('The form has too many fields.');
  expect(parse('&'.repeat(20))).toBe('The form has too many fields.');
  expect(parse('a=1&b=2&a=3')).toBe('The form has the field a twice.');
});
