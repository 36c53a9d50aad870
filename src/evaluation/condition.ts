import type { EvaluationContext } from './context.ts';

/** A compiled rule: total, never throws, and draws randomness only through the context. */
export type Predicate = (context: EvaluationContext) => boolean;

/**
 * What an operator or a strategy compiles to.
 * `warning` says what is wrong with the definition; null when nothing is.
 * `broken` means the rule could not be compiled at all: it never holds, so its strategy is off, and `inverted` must not flip that.
 */
export interface Condition {
  readonly test: Predicate;
  readonly warning: string | null;
  readonly broken: boolean;
}

export const always: Predicate = () => true;
export const never: Predicate = () => false;

export function condition(test: Predicate): Condition {
  return { test, warning: null, broken: false };
}

/** The definition holds a value no context can satisfy (a number that is none): false, and true when inverted, as in SDKs. */
export function unsatisfiable(warning: string): Condition {
  return { test: never, warning, broken: false };
}

/** Works, although a part of the definition was unusable and is skipped. */
export function conditionWithWarning(test: Predicate, warning: string | null): Condition {
  return { test, warning, broken: false };
}

/** The definition cannot be compiled: it never enables anything, inverted or not. */
export function brokenCondition(warning: string): Condition {
  return { test: never, warning, broken: true };
}

/** True when all predicates are, asked in order and only until one is false. */
export function allOf(predicates: readonly Predicate[]): Predicate {
  const [first, second, third] = predicates;
  if (first === undefined) return always;
  if (second === undefined) return first;
  if (third === undefined) return (context) => first(context) && second(context);
  if (predicates.length === 3) return (context) => first(context) && second(context) && third(context);
  const all = [...predicates];
  return (context) => {
    for (let index = 0; index < all.length; index++) {
      if (!(all[index] as Predicate)(context)) return false;
    }
    return true;
  };
}
