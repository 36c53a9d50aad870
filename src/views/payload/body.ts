import { bodyInParts, type PreparedBody } from '../../base/prepared-answer.ts';
import { crcCombine, NO_BYTES } from './crc32.ts';
import type { Piece } from './piece.ts';

/**
 * Up to this size a body is also copied into one buffer, which a socket takes in few writes: sent from its parts, 10,000 flags cost a quarter more.
 * Larger ones are sent from their parts alone, which exist once: memory counts for more there, and the copy would take milliseconds.
 */
const COPIED_BYTES_MAX = 8 * 1024 * 1024;

/** gzip: magic, deflate, no flags, no time, no extra flags, unknown system. Nothing in it varies, so equal content gives equal bytes. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

/** Pieces in a row. */
export function identityBody(pieces: readonly Piece[]): PreparedBody {
  return joinedWhereSmall(pieces.map(({ bytes }) => bytes));
}

/** Pieces in a row as one gzip member. Costs the compression of those pieces that are new, and a copy. */
export function gzipBody(pieces: readonly Piece[]): PreparedBody {
  return joinedWhereSmall([GZIP_HEADER, ...pieces.map(({ deflated }) => deflated), gzipEnd(pieces)]);
}

function joinedWhereSmall(parts: readonly Uint8Array[]): PreparedBody {
  const body = bodyInParts(parts);
  return body.lengthBytes <= COPIED_BYTES_MAX ? { ...body, whole: Buffer.concat(parts, body.lengthBytes) } : body;
}

/** An empty final block with fixed codes, the checksum and the length. */
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
