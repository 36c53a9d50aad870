import type { Constraint } from '../model/constraint.ts';
import type { Cost } from './condition.ts';
import { compileConstraint } from './constraint.ts';
import { expressionOf } from './expression.ts';
import { CONTEXT_VALUE_LENGTH_MAX } from './sdk-context.ts';
import { looksSeparately } from './text-search.ts';

/** Units of work in a microsecond. */
const UNITS = 50;

/** What asking costs at the worst context there can be. µs. */
export function worstCost({ fixed, perChar }: Cost): number {
  return (fixed + perChar * CONTEXT_VALUE_LENGTH_MAX) / UNITS;
}

/** What asking a constraint costs at the worst context there can be. µs. */
export function evaluationCost(constraint: Constraint): number {
  return worstCost(compileConstraint(constraint).cost);
}

/** Units of 0.1 µs for a character of the values that one search finds together. */
const TRIE_COST = 2;

/** What making a constraint's expression, or the search for its values, costs. In units of 0.1 µs. */
export function compilationCost({ operator, value = '', values = [], caseInsensitive = false }: Constraint): number {
  if (operator === 'REGEX') return expressionOf(value, caseInsensitive).compileCost;
  if (operator !== 'STR_CONTAINS' || looksSeparately(values)) return 0;
  return values.reduce((sum, { length }) => sum + length, 0) * TRIE_COST;
}
