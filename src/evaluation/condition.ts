import { type CacheSlot, contextNumberOf, NO_SLOT, newSlot } from './answer-cache.ts';
import type { EvaluationContext } from './context.ts';

/** A compiled rule: total, never throws, and draws randomness only through the context. */
export type Predicate = (context: EvaluationContext) => boolean;

/**
 * Maximum cost of evaluating a rule, in units of work (`base/work.ts`): a fixed part, and a part for each character of the context's longest value.
 */
export interface Cost {
  readonly fixed: number;
  readonly perChar: number;
}

/** A question about a context: a constraint, a segment or a strategy's own rule. */
export interface Question extends CacheSlot {
  readonly test: Predicate;
  readonly cost: Cost;
}

/**
 * The compiled form of an operator or a strategy. `warning` describes the problem of the definition; null when it is valid. `broken` means that the
 * rule could not be compiled: it is never true, so its strategy is off, and `inverted` must not change that.
 */
export interface Condition extends Question {
  readonly warning: string | null;
  readonly broken: boolean;
}

/** Cost of a look-up, a comparison or a random number. */
const LOOKUP_COST: Cost = { fixed: 2, perChar: 0.05 };

/** Cost of hashing a sticky id, whose characters have up to three bytes each. */
export const HASHING_COST: Cost = { fixed: 2, perChar: 0.1 };

export const always: Predicate = () => true;
export const never: Predicate = () => false;

/** A condition without a warning, whose answer is not cached. */
export function condition(test: Predicate, cost = LOOKUP_COST): Condition {
  return conditionOf({ test, cost, warning: null, broken: false });
}

/**
 * The only function that creates conditions. All have the same object shape: evaluation in a loop is fast only with one shape. `isShared`: many flags
 * use the condition, so its answer is cached, unless it is the same for every context.
 */
export function conditionOf(parts: Omit<Condition, keyof CacheSlot>, isShared = false): Condition {
  const { test, cost, warning, broken } = parts;
  const { cache, slot } = isShared && test !== never && test !== always ? newSlot() : NO_SLOT;
  return { test, cache, slot, cost, warning, broken };
}

/** Whether the question is true for the context, from the cache if it contains the answer. `contextNumber`: `contextNumberOf(context)`. */
export function holds({ test, cache, slot }: Question, context: EvaluationContext, contextNumber: number): boolean {
  if (cache === null) return test(context);
  const entry = cache[slot] as number;
  if (entry >= contextNumber) return entry !== contextNumber;
  const answer = test(context);
  cache[slot] = answer ? contextNumber + 1 : contextNumber;
  return answer;
}

/** For a definition with a value that no context can satisfy, such as text instead of a number: false, and true when inverted, as in SDKs. */
export function unsatisfiableCondition(warning: string): Condition {
  return conditionOf({ ...condition(never), warning });
}

/** For a definition that cannot be compiled: it never enables a strategy, inverted or not. */
export function brokenCondition(warning: string): Condition {
  return conditionOf({ ...condition(never), warning, broken: true });
}

/**
 * True if all questions are true. They are evaluated in order, up to the first one that is false. `isShared`: many flags use this conjunction, so its
 * answer is cached.
 */
export function allOf(questions: readonly Condition[], isShared: boolean): Question {
  const [only] = questions;
  if (only !== undefined && questions.length === 1) return only;
  const cost = sumOf(questions.map((question) => question.cost));
  return conditionOf(condition(allHold(questions), cost), isShared);
}

function allHold(questions: readonly Question[]): Predicate {
  if (questions.every(({ test }) => test === always)) return always;
  if (questions.some(({ test }) => test === never)) return never;
  return (context) => {
    const contextNumber = contextNumberOf(context);
    for (let index = 0; index < questions.length; index++) {
      if (!holds(questions[index] as Question, context, contextNumber)) return false;
    }
    return true;
  };
}

export function sumOf(costs: readonly Cost[]): Cost {
  let fixed = 0;
  let perChar = 0;
  for (const cost of costs) {
    fixed += cost.fixed;
    perChar += cost.perChar;
  }
  return { fixed, perChar };
}
