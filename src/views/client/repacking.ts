import { setTimeout as sleep } from 'node:timers/promises';
import type { Piece } from '../payload/piece.ts';

/** How long a piece must have been left alone before it is worth packing well. */
const QUIET_MS = 250;

interface PackedList {
  readonly pieces: readonly Piece[];
  /** Some of the pieces have become smaller. */
  repacked(): void;
}

/**
 * Packs well, on another thread and one at a time, what was packed in haste and has stayed in the list since: until nothing is left of that.
 * Bounded by the list; a piece that several lists hold is packed once.
 */
export async function repack(list: PackedList): Promise<void> {
  for (let hasty = hastyOf(list); hasty.size > 0; hasty = hastyOf(list)) {
    // A service that is to stop does not wait for it.
    await sleep(QUIET_MS, undefined, { ref: false });
    let isBetter = false;
    for (const piece of list.pieces) {
      if (!hasty.has(piece)) continue;
      await piece.deflateAside();
      isBetter = true;
    }
    if (isBetter) list.repacked();
  }
}

function hastyOf({ pieces }: PackedList): ReadonlySet<Piece> {
  return new Set(pieces.filter((piece) => piece.isHasty));
}
