import type { EvaluationContext } from './context.ts';

/**
 * The last answer of many questions, one slot for each, so that a question that many flags use is evaluated once for each context. A slot contains
 * the number of the context that was evaluated (the answer is no), or that number plus one (the answer is yes). A smaller number belongs to an
 * earlier context and counts as missing, so the cache is never cleared.
 */
type AnswerCache = Float64Array;

/** The slot for a question's answer. */
export interface CacheSlot {
  readonly cache: AnswerCache | null;
  readonly slot: number;
}

/** The question's answer is not cached. */
export const NO_SLOT: CacheSlot = Object.freeze({ cache: null, slot: 0 });

/** Number of slots of a cache: 1 KB. A cache stays in memory as long as any of its questions. */
const CACHE_SLOTS = 128;

let newestCache = new Float64Array(CACHE_SLOTS);
let usedSlots = 0;

/** A slot for one new question. */
export function newSlot(): CacheSlot {
  if (usedSlots === CACHE_SLOTS) {
    newestCache = new Float64Array(CACHE_SLOTS);
    usedSlots = 0;
  }
  return { cache: newestCache, slot: usedSlots++ };
}

let lastContext: EvaluationContext | null = null;
let lastNumber = 0;

/**
 * The number of this context for cached answers. It is valid until another context is evaluated. Contexts are immutable, so a caller that continues
 * with a context after a pause may call this function again: it then gets a new number and finds no cached answers.
 */
export function contextNumberOf(context: EvaluationContext): number {
  if (context !== lastContext) {
    lastContext = context;
    lastNumber += 2;
  }
  return lastNumber;
}
