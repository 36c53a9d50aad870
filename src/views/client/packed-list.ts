import { setTimeout as sleep } from 'node:timers/promises';
import type { PreparedBody } from '../../base/prepared-answer.ts';
import { GzipMember } from '../payload/gzip.ts';
import type { Piece } from '../payload/piece.ts';

/** How long a piece must have been left alone before it is worth packing well. */
const QUIET_MS = 1000;

/** The pieces of a list as one gzip member: packed in haste where a poll waits for what has changed, and well once that has stayed for a while. */
export class PackedList {
  readonly #smaller: () => void;
  #pieces: readonly Piece[] = [];
  #gzip: PreparedBody | undefined;
  /** Of the pieces of `gzip` those that were packed in haste: another list that holds one may have it packed well. */
  #hastyParts: readonly Piece[] = [];
  readonly #member = new GzipMember();
  #isRepacking = false;

  /** `smaller` is told when `gzip` is the same list in fewer bytes. */
  constructor(smaller: () => void) {
    this.#smaller = smaller;
  }

  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  set pieces(pieces: readonly Piece[]) {
    this.#pieces = pieces;
    this.#gzip = undefined;
    this.#member.pass();
  }

  get gzip(): PreparedBody {
    this.#gzip ??= this.#stitched();
    return this.#gzip;
  }

  #stitched(): PreparedBody {
    const gzip = this.#member.of(this.#pieces);
    this.#hastyParts = this.#pieces.filter((piece) => piece.isHasty);
    if (this.#hastyParts.length > 0 && !this.#isRepacking) void this.#repack();
    return gzip;
  }

  /** What was packed while polls waited is packed well behind their backs. The list stays the same, and so does its ETag. */
  async #repack(): Promise<void> {
    this.#isRepacking = true;
    try {
      await this.#packWell();
    } catch {
      // No memory for it: the list goes on as it is, larger than it has to be.
    }
    this.#isRepacking = false;
  }

  /** On another thread and one at a time, until nothing is left. Bounded by the list; a piece that several lists hold is packed once. */
  async #packWell(): Promise<void> {
    for (;;) {
      if (this.#hastyParts.some((piece) => !piece.isHasty)) {
        this.#gzip = undefined;
        this.#hastyParts = [];
        this.#smaller();
      }
      const hasty = new Set(this.#pieces.filter((piece) => piece.isHasty));
      if (hasty.size === 0) return;
      // A service that is to stop does not wait for it.
      await sleep(QUIET_MS, undefined, { ref: false });
      for (const piece of this.#pieces) if (hasty.has(piece)) await piece.deflateAside();
    }
  }
}
