import fc from 'fast-check';
import { Packr } from 'msgpackr/pack';
import { describe, expect, it } from 'vitest';
import { MsgpackReader } from '../../src/base/msgpack-reader.ts';

const packr = new Packr({ useRecords: false, moreTypes: false });

const key = fc.oneof(fc.constantFrom('a', 'b', 'name', 'constructor', 'toString'), fc.string({ maxLength: 8 }));
const text = fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: 'binary', maxLength: 80 }));
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0.5, -1e300),
    fc.integer({ min: -70_000, max: 70_000 }),
    fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 }),
    text,
    fc.array(tie('document'), { maxLength: 20 }),
    fc.dictionary(key, tie('document'), { maxKeys: 20, noNullPrototype: true }),
  ),
}));

function unpacked(bytes: Uint8Array): { readonly value: unknown } | null {
  try {
    return { value: packr.unpack(bytes) };
  } catch {
    return null;
  }
}

describe('the reader of MessagePack', () => {
  it('reads what msgpackr packs, in the order of its keys, whatever it read before', () => {
    const reader = new MsgpackReader();
    fc.assert(
      fc.property(document, (value) => {
        const bytes = packr.pack([value]);
        const read = reader.read(bytes) as readonly unknown[] | undefined;
        // A key that a literal would take for something else, a long key: left to others.
        if (read === undefined) expect(JSON.stringify(value)).toMatch(/"[^"]{9,}":|"__proto__":|[^ -~]/);
        else expect(JSON.stringify(read)).toBe(JSON.stringify(packr.unpack(bytes)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads a damaged document as msgpackr does, or not at all', () => {
    const reader = new MsgpackReader();
    fc.assert(
      fc.property(document, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(), (value, place, byte, cut) => {
        const bytes = Uint8Array.from(packr.pack([value, 'end']));
        bytes[place % bytes.length] = byte;
        for (const damaged of [bytes, bytes.subarray(0, cut % bytes.length)]) {
          const read = reader.read(damaged);
          if (read !== undefined) expect({ value: read }).toEqual(unpacked(damaged));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('tells texts apart that are remembered in one place', () => {
    const reader = new MsgpackReader();
    const texts = Array.from(
      { length: 100 },
      (_, index) => `begin ${String.fromCharCode(40 + (index % 80))}${index} same end`,
    );
    for (let round = 0; round < 2; round++) for (const one of texts) expect(reader.read(packr.pack(one))).toBe(one);
  });

  it('reads objects that begin alike and go on in other ways, and more kinds of them than it remembers', () => {
    const reader = new MsgpackReader();
    const values = Array.from({ length: 1_000 }, (_, index) => ({
      name: index,
      [`k${index % 500}`]: { [`j${index}`]: 1 },
      last: 'é',
    }));
    for (const value of values) expect(JSON.stringify(reader.read(packr.pack(value)))).toBe(JSON.stringify(value));
  });

  it('leaves alone what would change the prototype of what is read', () => {
    const reader = new MsgpackReader();
    const bytes = packr.pack(JSON.parse('{"a":1,"__proto__":{"b":2}}'));
    expect(reader.read(bytes)).toBeUndefined();
    expect(reader.read(packr.pack(JSON.parse('{"__proto__":{"b":2}}')))).toBeUndefined();
    expect(reader.read(packr.pack({ a: 1, b: 2 }))).toEqual({ a: 1, b: 2 });
  });
});
