import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gzipBody, identityBody } from '../../../src/views/payload/body.ts';
import { crcCombine, crcShift } from '../../../src/views/payload/crc32.ts';
import { commaSeparated, Piece } from '../../../src/views/payload/piece.ts';

const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ minLength: 600, maxLength: 3000 }));

const sumOf = (of: Uint8Array) => ({ crc: crc32(of), shift: crcShift(of.byteLength) });

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
        const member = Buffer.concat(gzipBody(parts.map((part) => new Piece(part))).parts);
        expect(Buffer.from(gunzipSync(member)).equals(Buffer.concat(parts))).toBe(true);
      }),
    );
  });

  it('are available as a whole up to 8 MB, and only in parts beyond', () => {
    const pieceOf = (lengthBytes: number) => new Piece(Buffer.alloc(lengthBytes, 'x'));
    const small = identityBody([pieceOf(10), pieceOf(1_000)]);
    expect(Buffer.concat(small.parts).equals(small.buffer ?? Buffer.of())).toBe(true);
    const large = identityBody([pieceOf(5 * 1024 * 1024), pieceOf(5 * 1024 * 1024)]);
    expect(large.buffer).toBeUndefined();
    expect(large.lengthBytes).toBe(10 * 1024 * 1024);
  });

  it('compressed on another thread are the same, and are compressed once', async () => {
    const text = Buffer.from(Array.from({ length: 5_000 }, (_, index) => `flag-${index % 977}`).join());
    const [aside, now] = [new Piece(text), new Piece(text)];
    await aside.deflateAside();
    expect(aside.uncompressedBytes).toBe(0);
    const { deflated } = aside;
    expect(Buffer.from(deflated).equals(now.deflated)).toBe(true);
    await aside.deflateAside();
    expect(aside.deflated).toBe(deflated);
  });

  it('are separated by commas', () => {
    const body = (texts: readonly string[]) =>
      Buffer.concat(identityBody(commaSeparated(texts.map((text) => Piece.ofText(text)))).parts).toString();
    expect(body([])).toBe('');
    expect(body(['a'])).toBe('a');
    expect(body(['a', 'b', 'c'])).toBe('a,b,c');
  });
});
