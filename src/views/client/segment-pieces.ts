import type { Segment } from '../../model/segment.ts';
import type { State } from '../../state/state.ts';
import { Piece } from '../payload/piece.ts';
import { segmentFragment } from './fragment.ts';

/** The bytes of each segment in version 2 lists. They are compressed once after each change, because a segment may contain ten thousand ids. */
export class SegmentPieces {
  readonly #state: State;
  readonly #pieces = new Map<number, { readonly segment: Segment; readonly piece: Piece }>();

  constructor(state: State) {
    this.#state = state;
  }

  piece(id: number): Piece | undefined {
    const segment = this.#state.get('segments', String(id));
    const cached = this.#pieces.get(id);
    if (cached?.segment === segment) return cached?.piece;
    if (!segment) {
      this.#pieces.delete(id);
      return undefined;
    }
    const piece = Piece.ofText(segmentFragment(segment));
    this.#pieces.set(id, { segment, piece });
    return piece;
  }
}
