import { describe, expect, it } from 'vitest';
import { endOfValue, isContainer, isMap, listAt, mapAt, textAt } from '../../src/state/skip-value.ts';

const bytes = (...parts: readonly (number | string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part].flat()))));
const zeros = (count: number) => new Array<number>(count).fill(0);

/** Values of each form of MessagePack, by the table of its specification. */
const VALUES: readonly (readonly [name: string, Buffer])[] = [
  ['a small number', bytes(0x7f)],
  ['a small negative number', bytes(0xe0)],
  ['nil', bytes(0xc0)],
  ['true', bytes(0xc3)],
  ['bytes of an 8-bit length', bytes(0xc4, 2, 'ab')],
  ['bytes of a 16-bit length', bytes(0xc5, [0, 2], 'ab')],
  ['bytes of a 32-bit length', bytes(0xc6, [0, 0, 0, 2], 'ab')],
  ['an extension of an 8-bit length', bytes(0xc7, 3, 1, 'abc')],
  ['an extension of a 16-bit length', bytes(0xc8, [1, 2], 1, zeros(258))],
  ['an extension of a 32-bit length', bytes(0xc9, [0, 0, 0, 3], 1, 'abc')],
  ['a 32-bit float', bytes(0xca, zeros(4))],
  ['a 64-bit float', bytes(0xcb, zeros(8))],
  ['a 32-bit number', bytes(0xce, zeros(4))],
  ['a 64-bit number', bytes(0xd3, zeros(8))],
  ['an extension of 1 byte', bytes(0xd4, 1, zeros(1))],
  ['an extension of 4 bytes', bytes(0xd6, 1, zeros(4))],
  ['an extension of 16 bytes', bytes(0xd8, 1, zeros(16))],
  ['a short text', bytes(0xa3, 'abc')],
  ['a text of an 8-bit length', bytes(0xd9, 3, 'abc')],
  ['a text of a 16-bit length', bytes(0xda, [1, 0], 'x'.repeat(256))],
  ['a text of a 32-bit length', bytes(0xdb, [0, 0, 0, 3], 'abc')],
  ['a short list', bytes(0x92, 1, 0xa1, 'a')],
  ['a list of a 16-bit length', bytes(0xdc, [0, 2], 1, 0xa1, 'a')],
  ['a list of a 32-bit length', bytes(0xdd, [0, 0, 0, 2], 1, 0xa1, 'a')],
  ['a short object', bytes(0x81, 0xa1, 'a', 0x91, 0xc0)],
  ['an object of a 16-bit length', bytes(0xde, [0, 1], 0xa1, 'a', 0x91, 0xc0)],
  ['an object of a 32-bit length', bytes(0xdf, [0, 0, 0, 1], 0xa1, 'a', 0x91, 0xc0)],
];

it.each(VALUES)('%s ends where the next value begins, and nothing is accepted that ends earlier', (name, value) => {
  expect(endOfValue(bytes(0xc0, [...value], 0xc0), 1)).toBe(1 + value.length);
  for (let length = 0; length < value.length; length++)
    expect(() => endOfValue(value.subarray(0, length), 0), `${length} bytes`).toThrow('the event ends before');
  const first = value[0] as number;
  expect([isMap(first), isContainer(first)]).toEqual([/object/.test(name), /object|list/.test(name)]);
  expect(textAt(value, 0)).toBe(/a short text|text of an 8-bit/.test(name) ? 'abc' : undefined);
});

describe('a list and an object', () => {
  it.each(VALUES.filter(([name]) => /list|object/.test(name)))('begin after their length: %s', (name, value) => {
    const [readable, other] = name.includes('list') ? [listAt, mapAt] : [mapAt, listAt];
    const { count, at } = readable(value, 0);
    expect([count, value.subarray(at)]).toEqual(
      name.includes('list') ? [2, bytes(1, 0xa1, 'a')] : [1, bytes(0xa1, 'a', 0x91, 0xc0)],
    );
    expect(() => other(value, 0)).toThrow(/no list|no object/);
  });

  it('are not where the bytes have ended, and neither is a text', () => {
    expect(() => mapAt(bytes(), 0)).toThrow('no object');
    expect(() => listAt(bytes(), 0)).toThrow('no list');
    expect(() => mapAt(bytes(0xdf, 0), 0)).toThrow('the event ends before');
    expect([textAt(bytes(), 0), textAt(bytes(0xd9), 0)]).toEqual([undefined, '']);
  });
});
