import fc from 'fast-check';
import { Packr } from 'msgpackr/pack';
import { describe, expect, it } from 'vitest';
import { MsgpackWriter } from '../../src/base/msgpack-writer.ts';

const packr = new Packr({ useRecords: false, moreTypes: false });

const key = fc.oneof(fc.constantFrom('a', 'name', 'toString', 'hasOwnProperty'), fc.string({ maxLength: 80 }));
const text = fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: 'binary', maxLength: 80 }));
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, undefined),
    fc.double(),
    fc.integer({ min: -70_000, max: 70_000 }),
    fc.integer(),
    fc.maxSafeInteger(),
    text,
    fc.array(tie('document'), { maxLength: 20 }),
    fc.dictionary(key, tie('document'), { maxKeys: 20, noNullPrototype: true }),
  ),
}));

/** Compared as bytes: `toEqual` walks each of them. */
function isAsPacked(writer: MsgpackWriter, value: unknown): boolean {
  return writer.write(value) !== undefined && packr.pack(value).equals(writer.write(value) as Uint8Array);
}

/** Numbers and lengths at which another form begins. */
const EDGES = [0, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 65_535, 65_536];

describe('the writer of MessagePack', () => {
  it('writes what msgpackr packs, to the byte', () => {
    const writer = new MsgpackWriter();
    fc.assert(
      fc.property(document, (value) => {
        expect(writer.write(value)).toEqual(packr.pack(value));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(EDGES)('writes numbers and texts around %i as msgpackr does', (edge) => {
    const writer = new MsgpackWriter();
    for (const near of [edge - 1, edge, edge + 1]) {
      const length = Math.max(0, near);
      const texts = ['a'.repeat(length), 'é'.repeat(length), `${'a'.repeat(length)}☃`];
      for (const value of [near, -near, near + 0.5, 2 ** 32 - near, -(2 ** 31) + near, ...texts]) {
        expect(isAsPacked(writer, [value])).toBe(true);
      }
    }
  });

  it.each(EDGES.slice(0, -1))('writes a list and an object of %i as msgpackr does', (length) => {
    const writer = new MsgpackWriter();
    const list = Array.from({ length }, (_, index) => index);
    const object = Object.fromEntries(list.map((index) => [`k${index}`, index]));
    expect(isAsPacked(writer, { list, object })).toBe(true);
  });

  it('leaves documents as they are when it writes others', () => {
    const writer = new MsgpackWriter();
    const values = Array.from({ length: 300 }, (_, index) => ({ index, text: 'x'.repeat((index * 37) % 1_000) }));
    const documents = values.map((value) => writer.write(value));
    expect(documents).toEqual(values.map((value) => packr.pack(value)));
  });

  it('does not have small documents share the memory of a large one', () => {
    const writer = new MsgpackWriter();
    const large = { text: 'a'.repeat(1_000_000), last: 'é'.repeat(50) };
    expect(isAsPacked(writer, large)).toBe(true);
    expect(writer.write('small')?.buffer.byteLength).toBeLessThan(100_000);
  });

  it.each([
    ['a number of another kind', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['an object that says it is of a class', { constructor: 1 }],
    ['an object without a prototype', Object.create(null)],
    ['half a character', '\ud800'],
    ['a list that is too long', new Array(65_536).fill(0)],
  ])('does not write %s, and writes what comes next', (_what, value) => {
    const writer = new MsgpackWriter();
    expect(writer.write(['a', value])).toBeUndefined();
    expect(writer.write(['b'])).toEqual(packr.pack(['b']));
  });
});
