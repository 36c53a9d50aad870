import type { Slicer } from '../../base/yield-control.ts';
import type { Piece } from '../payload/piece.ts';

/**
 * Maximum number of new pieces, and of their bytes, that a poll compresses synchronously: this takes two milliseconds for ordinary flags, and four
 * for random text. More pieces are compressed in slices, and the poll waits.
 */
const INLINE_PIECES = 12;
const INLINE_BYTES = 192 * 1024;

/** Pieces above this size are compressed on another thread, when the caller waits for the list anyway. */
const ASIDE_BYTES = 64 * 1024;

/** Whether it takes longer than a poll may take to compress the new pieces. */
export function isTooMuch(...lists: readonly (readonly Piece[])[]): boolean {
  let count = 0;
  let bytes = 0;
  for (const pieces of lists) {
    for (const piece of pieces) {
      const { uncompressedBytes } = piece;
      if (uncompressedBytes === 0) continue;
      count++;
      bytes += uncompressedBytes;
    }
  }
  return count > INLINE_PIECES || bytes > INLINE_BYTES;
}

/** Makes the piece ready for a body: its compressed bytes and its checksum, which would otherwise be made for all new pieces in one turn. */
export async function compress(piece: Piece, slicer: Slicer): Promise<void> {
  if (piece.uncompressedBytes > ASIDE_BYTES) await piece.deflateAside();
  else void piece.deflated;
  void piece.sum;
  if (slicer.spent) await slicer.pause();
}
