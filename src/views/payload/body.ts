import { GZIP_HEADER, gzipTrailer } from '../../base/gzip-frame.ts';
import { bodyInParts, type PreparedBody } from '../../base/prepared-answer.ts';
import { type CrcSum, crcCombine, NO_BYTES } from './crc32.ts';
import type { Piece } from './piece.ts';

/**
 * A body up to this size is also copied into one buffer, which needs few writes: to send 10,000 flags from their parts costs a quarter more. A larger
 * body is sent only from its parts, which exist once in memory: the copy would use much memory and take milliseconds.
 */
const COPIED_BYTES_MAX = 8 * 1024 * 1024;

/** An empty final block of deflate, with fixed codes. The pieces have no final block. */
const FINAL_BLOCK = Uint8Array.of(0x03, 0x00);

/** The pieces one after the other. */
export function identityBody(pieces: readonly Piece[]): PreparedBody {
  return withCopyIfSmall(pieces.map(({ bytes }) => bytes));
}

/** The pieces one after the other, as one gzip member. Compresses only the new pieces, and copies the bytes. */
export function gzipBody(pieces: readonly Piece[]): PreparedBody {
  return withCopyIfSmall(gzipParts(joined(pieces)).parts);
}

/** Pieces one after the other, in the two forms in which a body contains them, with the checksum of all of them. */
export interface JoinedPieces {
  readonly bytes: readonly Uint8Array[];
  readonly deflated: readonly Uint8Array[];
  readonly sum: CrcSum;
  readonly lengthBytes: number;
}

/** Joins the pieces to those before them. Compresses only the new pieces. */
export function joined(pieces: readonly Piece[], before: JoinedPieces = NO_PIECES): JoinedPieces {
  let { sum, lengthBytes } = before;
  for (const piece of pieces) {
    sum = crcCombine(sum, piece.sum);
    lengthBytes += piece.lengthBytes;
  }
  const bytes = [...before.bytes, ...pieces.map((piece) => piece.bytes)];
  return { bytes, deflated: [...before.deflated, ...pieces.map((piece) => piece.deflated)], sum, lengthBytes };
}

const NO_PIECES: JoinedPieces = { bytes: [], deflated: [], sum: NO_BYTES, lengthBytes: 0 };

/** The pieces as one gzip member, without a copy of their bytes. */
export function gzipParts({ deflated, sum, lengthBytes }: JoinedPieces): PreparedBody {
  return bodyInParts([GZIP_HEADER, ...deflated, Buffer.concat([FINAL_BLOCK, gzipTrailer(sum.crc, lengthBytes)])]);
}

function withCopyIfSmall(parts: readonly Uint8Array[]): PreparedBody {
  const body = bodyInParts(parts);
  return body.lengthBytes <= COPIED_BYTES_MAX ? { ...body, buffer: Buffer.concat(parts, body.lengthBytes) } : body;
}
