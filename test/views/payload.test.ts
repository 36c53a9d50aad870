import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crcCombine, crcShift } from '../../src/views/payload/crc32.ts';
import { GzipRuns, stitchGzip } from '../../src/views/payload/gzip.ts';
import { COMMA, Piece, stitchIdentity } from '../../src/views/payload/piece.ts';
import { Stretches } from '../../src/views/payload/stretches.ts';

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
        const pieces = parts.map((part) => new Piece(part));
        expect(Buffer.from(gunzipSync(stitchGzip(pieces))).equals(Buffer.concat(parts))).toBe(true);
      }),
    );
  });

  it('in runs are one gzip member of all their bytes, and only the runs that have changed are copied', () => {
    const pieces = Array.from({ length: 60 }, (_, index) => new Piece(Buffer.alloc(1000, `${index} `)));
    const runs = new GzipRuns();
    const whole = () => Buffer.concat(pieces.map((piece) => piece.bytes));
    const told = ({ parts }: { parts: readonly Uint8Array[] }) => gunzipSync(Buffer.concat(parts));
    const first = runs.stitch(pieces);
    expect(told(first).equals(whole())).toBe(true);
    pieces[20] = new Piece(Buffer.alloc(3000, 'other'));
    const second = runs.stitch(pieces);
    expect(told(second).equals(whole())).toBe(true);
    expect(second.parts.filter((part) => !first.parts.includes(part))).toHaveLength(2);
    pieces.splice(3, 1);
    expect(told(runs.stitch(pieces)).equals(whole())).toBe(true);
    runs.forget();
    expect(told(runs.stitch(pieces)).equals(whole())).toBe(true);
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
        if (asked) stretches.deflate(bytes);
      }
      const member = Buffer.concat([stretches.deflate(bytes), Buffer.of(3, 0)]);
      expect(inflateRawSync(member).equals(bytes.subarray(1))).toBe(true);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('compressed in stretches are compressed anew only around what has changed', () => {
    const items = Array.from({ length: 16 }, (_, index) => `${index % 10}`.repeat(16_000));
    const { bytes, ends } = joined(items);
    const stretches = Stretches.of(ends);
    stretches.deflate(bytes);
    // Not even looked at: all but the stretch that has changed.
    const blank = Buffer.alloc(bytes.byteLength, 'x');
    const start = ends[6] ?? 0;
    const told = inflateRawSync(
      Buffer.concat([stretches.spliced(start, ends[7] ?? 0, 0).deflate(blank), Buffer.of(3, 0)]),
    );
    const expected = Buffer.from(bytes.subarray(1));
    const [from, to] = [told.findIndex((byte, index) => byte !== expected[index]), told.lastIndexOf('x') + 1];
    expect(from + 1).toBeLessThanOrEqual(start);
    expect(from + 1).toBeGreaterThan(start - 57_000);
    expect(to).toBeLessThan((ends[7] ?? 0) + 57_000);
    expect(to - from).toBeLessThan(58_000);
  });

  it('are the same bytes whether they are copied together or sent from their pieces', () => {
    for (const size of [10, 2_000_000]) {
      const pieces = Array.from({ length: 5 }, (_, index) => {
        const joined = Buffer.alloc(size, `,${index}`);
        return index % 2 === 0 ? new Piece(joined.subarray(1), joined) : new Piece(joined.subarray(1));
      });
      const separated = pieces.flatMap((piece, index) => (index === 0 ? [piece] : [COMMA, piece]));
      const payload = stitchIdentity(separated);
      const expected = Buffer.concat(separated.map((piece) => piece.bytes));
      expect(Buffer.concat(payload.parts).equals(expected)).toBe(true);
      expect(payload.lengthBytes).toBe(expected.byteLength);
    }
  });
});
