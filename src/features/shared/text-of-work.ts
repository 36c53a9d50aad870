import type { Work } from '../../base/work.ts';
import { SliceClock } from '../../base/yield-control.ts';

/**
 * Number of characters after which the collected text is sent. The runtime keeps a concatenated text as a tree of its parts until it is sent;
 * flattening several small trees is several times as fast as flattening one large tree.
 */
const PIECE_CHARS = 16 * 1024;

/**
 * Collects the text that counted work (`Work`) produces, and returns it in pieces. A piece ends when a stretch of work ends, so that the sender can
 * pause after the piece.
 */
export class TextOfWork {
  readonly #stretch = new SliceClock();
  #text = '';

  add(text: string): void {
    this.#text += text;
  }

  /** The text that was added since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    this.#stretch.restart();
    return text;
  }

  /** Counts work. Returns true if the caller should take the text now: a stretch has ended, or the text has become long. */
  charge(work: number): boolean {
    return this.#stretch.charge(work) || this.#text.length >= PIECE_CHARS;
  }

  /** Does the work, and yields the text so far whenever `charge` says so. */
  *pieces<T>(work: Work<T>): Generator<string, T> {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      if (this.charge(step.value)) yield this.take();
    }
  }
}
