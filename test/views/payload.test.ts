import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crcCombine, crcShift, NO_BYTES } from '../../src/views/payload/crc32.ts';
import { GzipMember } from '../../src/views/payload/gzip.ts';
import { COMMA, Piece, runsOf, runsToSend } from '../../src/views/payload/piece.ts';
import { Rope } from '../../src/views/payload/rope.ts';
import { type Packed, Stretches } from '../../src/views/payload/stretches.ts';
import { Strip } from '../../src/views/payload/strip.ts';

const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ minLength: 600, maxLength: 3000 }));

const sumOf = (of: Uint8Array) => ({ crc: crc32(of), shift: crcShift(of.byteLength) });

/** Items with a comma before each, and where each ends. */
function joined(items: readonly string[]): { bytes: Buffer; ends: number[] } {
  let end = 0;
  return {
    bytes: Buffer.from(items.map((item) => `,${item}`).join('')),
    ends: items.map((item) => (end += item.length + 1)),
  };
}

const unpacked = (packed: readonly Packed[]): Buffer =>
  inflateRawSync(Buffer.concat([...packed.map(({ blocks }) => blocks), Buffer.of(3, 0)]));

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('payloads', () => {
  it('combine checksums of neighbours to the checksum of the whole', () => {
    fc.assert(
      fc.property(bytes, bytes, (left, right) => {
        const both = Buffer.concat([left, right]);
        expect(crcCombine(sumOf(left), sumOf(right))).toEqual(sumOf(both));
      }),
    );
  });

  it('stitched from pieces are one gzip member of all their bytes', () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 12 }), (parts) => {
        const pieces = parts.map((part) => Piece.of(part));
        const member = Buffer.concat(new GzipMember().of(pieces).parts);
        expect(Buffer.from(gunzipSync(member)).equals(Buffer.concat(parts))).toBe(true);
      }),
    );
  });

  it('stitched again while pieces come, go and change, are one gzip member each time', () => {
    const edit = fc.record({ at: fc.nat(), removed: fc.nat(3), put: fc.array(bytes, { maxLength: 3 }) });
    const property = fc.property(fc.array(bytes, { maxLength: 40 }), fc.array(edit), (parts, edits) => {
      const pieces = parts.map((part) => Piece.of(part));
      const member = new GzipMember();
      member.of(pieces);
      for (const { at, removed, put } of edits) {
        const index = at % (pieces.length + 1);
        pieces.splice(index, removed, ...put.map((part) => Piece.of(part)));
        const expected = Buffer.concat(pieces.map((piece) => piece.bytes));
        expect(Buffer.from(gunzipSync(Buffer.concat(member.of(pieces).parts))).equals(expected)).toBe(true);
      }
    });
    fc.assert(property);
  });

  it('laid where another one lay are told in one run as long as nothing else is laid there, and in their parts for ever', () => {
    // Some are as long as others.
    const pool = Array.from({ length: 9 }, (_, index) => Buffer.alloc(10 ** (index % 3), `${index}`));
    const body = fc.array(fc.constantFrom(...pool), { maxLength: 30 });
    const property = fc.property(fc.array(body, { minLength: 2 }), (bodies) => {
      const strip = new Strip();
      const laid = bodies.map((parts) => {
        const told = strip.lay(parts);
        expect(told.inOne?.()).toHaveLength(told.lengthBytes);
        expect(Buffer.concat(parts).equals(told.inOne?.() ?? Buffer.of(1))).toBe(true);
        return told;
      });
      for (const [index, told] of laid.entries()) {
        expect(told.parts).toBe(bodies[index]);
        expect(told.inOne?.() === undefined).toBe(index < laid.length - 1);
      }
    });
    fc.assert(property);
  });

  it('laid are copied from where they begin to differ', () => {
    const parts = Array.from({ length: 20 }, (_, index) => Buffer.alloc(100, `${index}`));
    const strip = new Strip();
    const first = strip.lay(parts).inOne?.() as Uint8Array;
    // What is the same is not even looked at.
    first.fill(0);
    const told = strip.lay(parts.with(12, Buffer.from('other'))).inOne?.() as Uint8Array;
    expect(told.subarray(0, 1200).every((byte) => byte === 0)).toBe(true);
    expect(Buffer.concat([Buffer.from('other'), ...parts.slice(13)]).equals(told.subarray(1200))).toBe(true);
  });

  it('laid where a much larger one lay do not hold its memory', () => {
    const strip = new Strip();
    strip.lay([Buffer.alloc(100_000)]);
    const told = strip.lay([Buffer.from('small')]).inOne?.();
    expect(told?.buffer.byteLength).toBeLessThan(1_000);
    expect(Buffer.from(told ?? []).toString()).toBe('small');
  });

  it('laid are given back when nobody has asked since the list became another one', () => {
    const strip = new Strip();
    const told = strip.lay([Buffer.from('one'), Buffer.from('two')]);
    strip.pass();
    // It was asked for before that one: who asks for each is served from the same memory.
    expect(told.inOne?.()).toBeDefined();
    strip.pass();
    expect(told.inOne?.()).toBeUndefined();
    expect(Buffer.concat(told.parts).toString()).toBe('onetwo');
  });

  it('laid and given back are kept by no reader who still holds the body', async () => {
    const strip = new Strip();
    const told = strip.lay([Buffer.alloc(50_000, 'x'), Buffer.alloc(50_000, 'y')]);
    const memory = new WeakRef(told.inOne?.()?.buffer ?? new ArrayBuffer(0));
    expect(memory.deref()?.byteLength).toBe(100_000);
    strip.pass();
    strip.pass();
    // Until the end of its turn a weak reference that was read holds what it tells.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(memory.deref()).toBeUndefined();
    expect(told.parts).toHaveLength(2);
  });

  it('of a rope do not keep what is gone: of what it holds at most as much again is kept', () => {
    const [count, size] = [100, 1_000];
    let rope = Rope.of(Buffer.alloc(count * size, 'x'));
    for (let left = count - 1; left > 0; left--) {
      rope = rope.spliced(0, size);
      const kept = new Set(rope.runs.map(({ buffer }) => buffer));
      const keptBytes = [...kept].reduce((sum, { byteLength }) => sum + byteLength, 0);
      expect(keptBytes).toBeLessThanOrEqual(2 * left * size);
    }
  });

  it('of a rope that is replaced as a whole are those that were put in, and are not copied', () => {
    let rope = Rope.of(Buffer.alloc(300_000, 'x'));
    for (let time = 0; time < 5; time++) {
      const put = Buffer.alloc(300_000 + time, 'y');
      rope = rope.spliced(0, rope.lengthBytes, put);
      expect(rope.runs).toHaveLength(1);
      expect(rope.runs[0]).toBe(put);
    }
  });

  it('to be sent in parts lie in few of them after a while, and a turn joins no more than some', () => {
    const chunkBytes = 100_000;
    const pieces = Array.from({ length: 100 }, () => {
      let row = Rope.of(Buffer.alloc(chunkBytes, ','));
      let stretches = Stretches.of([chunkBytes]);
      for (let at = 0; at < 8; at++) {
        row = row.spliced(at * 1_000, at * 1_000 + 10, Buffer.alloc(10, 'x'));
        stretches = stretches.spliced(at * 1_000, at * 1_000 + 10, 0);
      }
      return Piece.ofItems(row, stretches);
    });
    const expected = Buffer.concat(pieces.flatMap((piece) => piece.runs));
    const counts: number[] = [];
    for (let asked = 0; asked < 6; asked++) {
      const runs = runsToSend(pieces);
      expect(expected.equals(Buffer.concat(runs))).toBe(true);
      counts.push(runs.length);
    }
    expect(counts[0]).toBeGreaterThan(800);
    expect(counts.at(-1)).toBe(100);
  });

  it('that are too large to be copied are told in their parts alone', () => {
    const strip = new Strip();
    strip.lay([Buffer.from('small')]);
    const parts = [Buffer.alloc(5 * 1024 * 1024), Buffer.alloc(5 * 1024 * 1024)];
    expect(strip.lay(parts).inOne?.()).toBeUndefined();
    expect(Buffer.from(strip.lay([Buffer.from('small')]).inOne?.() ?? []).toString()).toBe('small');
  });

  it('of a rope are those of one run, however it was spliced, and those of the rope before stay what they were', () => {
    const splice = fc.record({
      from: fc.nat(),
      length: fc.nat(40),
      put: fc.option(bytes, { nil: undefined }),
      joined: fc.boolean(),
    });
    const property = fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 500 }),
      fc.array(splice, { maxLength: 200 }),
      (first, splices) => {
        let expected = Buffer.from(first);
        let rope = Rope.of(first);
        for (const { from, length, put, joined } of splices) {
          const start = from % (expected.byteLength + 1);
          const end = Math.min(expected.byteLength, start + length);
          const [ropeBefore, before] = [rope, expected];
          rope = rope.spliced(start, end, put);
          expected = Buffer.concat([expected.subarray(0, start), put ?? Buffer.alloc(0), expected.subarray(end)]);
          expect(rope.lengthBytes).toBe(expected.byteLength);
          expect(expected.equals(Buffer.concat(rope.runs))).toBe(true);
          expect(expected.subarray(1).equals(Buffer.concat(rope.runsBehindFirst))).toBe(true);
          expect(expected.subarray(start, start + 20).equals(rope.slice(start, start + 20))).toBe(true);
          expect(rope.runs.length).toBeLessThanOrEqual(25);
          if (joined) expect(expected.equals(rope.bytes)).toBe(true);
          expect(before.equals(Buffer.concat(ropeBefore.runs))).toBe(true);
        }
      },
    );
    fc.assert(property, { numRuns: 50 });
  });

  it('of a rope that nobody joins lie in some runs, and not in many', () => {
    let rope = Rope.of(Buffer.alloc(60_000, 'x'));
    const counts: number[] = [];
    for (let at = 0; at < 100; at++) {
      rope = rope.spliced(at * 500, at * 500 + 10, Buffer.alloc(10, 'y'));
      counts.push(rope.runCount);
    }
    expect(Math.max(...counts)).toBeGreaterThan(20);
    expect(Math.max(...counts)).toBeLessThanOrEqual(25);
  });

  it('of an item that is larger than what others are put in a row in are compressed as well', () => {
    const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, index) => `,${index}`).join(''));
    const row = Rope.of(bytes).spliced(0, 6, bytes.subarray(0, 6));
    expect(bytes.byteLength).toBeGreaterThan(200_000);
    expect(unpacked(Stretches.of([bytes.byteLength]).pack(row)).equals(bytes.subarray(1))).toBe(true);
  });

  it('compressed in stretches hold what was put in, replaced and taken out, in any order', () => {
    const item = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 9 }).map((text) => text.repeat(2000));
    const edit = fc.record({
      at: fc.nat(),
      kind: fc.constantFrom('put', 'replace', 'remove'),
      item,
      asked: fc.boolean(),
    });
    const property = fc.property(fc.array(item, { minLength: 1, maxLength: 12 }), fc.array(edit), (items, edits) => {
      let { bytes, ends } = joined(items);
      let stretches = Stretches.of(ends);
      for (const { at, kind, item: other, asked } of edits) {
        if (kind === 'remove' && items.length === 1) continue;
        const index = at % (kind === 'put' ? items.length + 1 : items.length);
        const removed = kind === 'put' ? 0 : 1;
        const start = ends[index - 1] ?? 0;
        const end = ends[index + removed - 1] ?? 0;
        items.splice(index, removed, ...(kind === 'remove' ? [] : [other]));
        const before = bytes.byteLength;
        ({ bytes, ends } = joined(items));
        stretches = stretches.spliced(start, end, bytes.byteLength - before);
        // What is asked for in between is kept from then on; what is not has to be made in the end.
        if (asked) stretches.pack(Rope.of(bytes));
      }
      const packed = stretches.pack(Rope.of(bytes));
      expect(unpacked(packed).equals(bytes.subarray(1))).toBe(true);
      expect(packed.reduce((sum, stretch) => crcCombine(sum, stretch.sum), NO_BYTES)).toEqual(sumOf(bytes.subarray(1)));
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('compressed in stretches are compressed anew only around what has changed', () => {
    const items = Array.from({ length: 16 }, (_, index) => `${index % 10}`.repeat(16_000));
    const { bytes, ends } = joined(items);
    const stretches = Stretches.of(ends);
    stretches.pack(Rope.of(bytes));
    // Not even looked at: all but the stretch that has changed.
    const blank = Buffer.alloc(bytes.byteLength, 'x');
    const start = ends[6] ?? 0;
    const told = unpacked(stretches.spliced(start, ends[7] ?? 0, 0).pack(Rope.of(blank)));
    const expected = Buffer.from(bytes.subarray(1));
    const [from, to] = [told.findIndex((byte, index) => byte !== expected[index]), told.lastIndexOf('x') + 1];
    expect(from + 1).toBeLessThanOrEqual(start);
    expect(from + 1).toBeGreaterThan(start - 57_000);
    expect(to).toBeLessThan((ends[7] ?? 0) + 57_000);
    expect(to - from).toBeLessThan(58_000);
  });

  it('are told in the runs that they lie in', () => {
    const pieces = Array.from({ length: 5 }, (_, index) => {
      const items = Array.from({ length: 3 }, (_, item) => `${index}${item}`.repeat(100));
      const { bytes, ends } = joined(items);
      if (index % 2 === 1) return Piece.of(bytes.subarray(1));
      const row = Rope.of(bytes).spliced(ends[0] ?? 0, ends[1] ?? 0, Buffer.from(',other'));
      return Piece.ofItems(row, Stretches.of(ends).spliced(ends[0] ?? 0, ends[1] ?? 0, 6 - 201));
    });
    const separated = pieces.flatMap((piece, index) => (index === 0 ? [piece] : [COMMA, piece]));
    const told = Buffer.concat(runsOf(separated));
    expect(told.equals(Buffer.concat(separated.map((piece) => piece.bytes)))).toBe(true);
    // Joined meanwhile they are the same.
    expect(told.equals(Buffer.concat(runsOf(separated)))).toBe(true);
    expect(told.includes(',other,')).toBe(true);
  });
});
