import type { Work } from '../../base/work.ts';
import { Slicer, STRETCH_BUDGET_MS } from '../../base/yield-control.ts';

/** A text that is added to is a tree of its parts until it is sent: small ones are put together several times as fast as one large one. */
const PIECE_CHARS = 16 * 1024;

/** Text that counted work adds to, handed on in pieces: one wherever a stretch of work is done, so that whoever sends it can pause there. */
export class TextOfWork {
  readonly #stretch = new Slicer(STRETCH_BUDGET_MS);
  #text = '';

  add(text: string): void {
    this.#text += text;
  }

  /** What was added since the last time. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    this.#stretch.restart();
    return text;
  }

  /** Counts work that was done; true when what was added should be handed on: a stretch is over, or the text has become long. */
  charge(work: number): boolean {
    return this.#stretch.charge(work) || this.#text.length >= PIECE_CHARS;
  }

  /** Does the work, with a piece wherever a stretch is over. */
  *pieces<T>(work: Work<T>): Generator<string, T> {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      if (this.#stretch.charge(step.value)) yield this.take();
    }
  }
}
