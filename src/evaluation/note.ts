import type { EvaluationContext } from './context.ts';

/**
 * Cached answers for one context: a question that many flags use is evaluated once. Each number shows the context that it was written for:
 * `turn` means no, `turn + 1` means yes. An older number counts as empty, so the book is never cleared.
 */
type Book = Float64Array;

/** The slot that caches a question's answer. */
export interface NoteSlot {
  readonly book: Book | null;
  readonly slot: number;
}

/** No slot: the question is evaluated each time. */
export const NOWHERE: NoteSlot = Object.freeze({ book: null, slot: 0 });

/** Number of slots of a book: 1 KB. A book stays in memory as long as one of its questions. */
const BOOK_SLOTS = 128;

let newest = new Float64Array(BOOK_SLOTS);
let taken = 0;

/** A slot for one new question. */
export function newSlot(): NoteSlot {
  if (taken === BOOK_SLOTS) {
    newest = new Float64Array(BOOK_SLOTS);
    taken = 0;
  }
  return { book: newest, slot: taken++ };
}

let noted: EvaluationContext | null = null;
let turn = 0;

/**
 * The number under which answers for this context are cached; valid until another context is evaluated. Contexts are immutable, so a caller that
 * returns to a context after a pause may call this again; it only finds no cached answers.
 */
export function turnOf(context: EvaluationContext): number {
  if (context !== noted) {
    noted = context;
    turn += 2;
  }
  return turn;
}
