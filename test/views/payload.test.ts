import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crcCombine, crcShift } from '../../src/views/payload/crc32.ts';
import { COMMA, Piece, stitchGzip, stitchIdentity } from '../../src/views/payload/piece.ts';

const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ minLength: 600, maxLength: 3000 }));

describe('payloads', () => {
  it('combine checksums of neighbours to the checksum of the whole', () => {
    fc.assert(
      fc.property(bytes, bytes, (left, right) => {
        expect(crcCombine(crc32(left), crc32(right), crcShift(right.byteLength))).toBe(
          crc32(Buffer.concat([left, right])),
        );
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
