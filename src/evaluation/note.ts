import type { EvaluationContext } from './context.ts';

/**
 * Answers that hold for one context, noted so that a question which many flags share is asked once. A number of the book says for which
 * context it was written: `turn` for no, `turn + 1` for yes. Whatever is older counts as unwritten, so nothing is ever cleared.
 */
type Book = Float64Array;

/** Where a question's answer is noted. */
export interface Place {
  readonly book: Book | null;
  readonly slot: number;
}

/** Questions that are asked anew each time. */
export const NOWHERE: Place = Object.freeze({ book: null, slot: 0 });

/** Places of a book. It lives as long as a question does that has a place in it: 1 KB. */
const BOOK_PLACES = 128;

let newest = new Float64Array(BOOK_PLACES);
let taken = 0;

/** A place that no other question has. */
export function newPlace(): Place {
  if (taken === BOOK_PLACES) {
    newest = new Float64Array(BOOK_PLACES);
    taken = 0;
  }
  return { book: newest, slot: taken++ };
}

let noted: EvaluationContext | null = null;
let turn = 0;

/**
 * What answers for this context are noted under; valid until another context is evaluated. Contexts are immutable, so whoever comes back to
 * one after a pause may ask again, and merely finds nothing noted.
 */
export function turnOf(context: EvaluationContext): number {
  if (context !== noted) {
    noted = context;
    turn += 2;
  }
  return turn;
}
