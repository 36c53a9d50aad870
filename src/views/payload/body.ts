import { bodyInParts, type PreparedBody } from '../../base/prepared-answer.ts';
import { crcCombine, NO_BYTES } from './crc32.ts';
import type { Piece } from './piece.ts';

/**
 * A body up to this size is also copied into one buffer, which needs few writes: to send 10,000 flags from their parts costs a quarter more. A larger
 * body is sent only from its parts, which exist once in memory: the copy would use much memory and take milliseconds.
 */
const COPIED_BYTES_MAX = 8 * 1024 * 1024;

/** The gzip header: magic, deflate, no flags, no time, no extra flags, unknown system. It is constant, so equal content gives equal bytes. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

/** The pieces one after the other. */
export function identityBody(pieces: readonly Piece[]): PreparedBody {
  return withCopyIfSmall(pieces.map(({ bytes }) => bytes));
}

/** The pieces one after the other, as one gzip member. Compresses only the new pieces, and copies the bytes. */
export function gzipBody(pieces: readonly Piece[]): PreparedBody {
  return withCopyIfSmall([GZIP_HEADER, ...pieces.map(({ deflated }) => deflated), gzipEnd(pieces)]);
}

function withCopyIfSmall(parts: readonly Uint8Array[]): PreparedBody {
  const body = bodyInParts(parts);
  return body.lengthBytes <= COPIED_BYTES_MAX ? { ...body, buffer: Buffer.concat(parts, body.lengthBytes) } : body;
}

/** The end of a gzip member: an empty final block with fixed codes, the checksum and the length. */
function gzipEnd(pieces: readonly Piece[]): Uint8Array {
  let [sum, lengthBytes] = [NO_BYTES, 0];
  for (const piece of pieces) {
    sum = crcCombine(sum, piece.sum);
    lengthBytes += piece.lengthBytes;
  }
  const end = Buffer.from([0x03, 0x00, 0, 0, 0, 0, 0, 0, 0, 0]);
  end.writeUInt32LE(sum.crc, 2);
  end.writeUInt32LE(lengthBytes >>> 0, 6);
  return end;
}
