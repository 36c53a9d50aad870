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

/** What compiling takes in units of 0.1 µs: a value of a list, a range of addresses, a character of values that one search finds together. */
const VALUE_COST = 1.5;
const RANGE_COST = 15;
const TRIE_COST = 0.4;

/** What compiling a constraint costs, in units of 0.1 µs. */
export function compilationCost({ operator, value = '', values = [], caseInsensitive = false }: Constraint): number {
  if (operator === 'REGEX') return expressionOf(value, caseInsensitive).compileCost;
  if (operator === 'IN_CIDR') return values.length * RANGE_COST;
  const ofValues = values.length * VALUE_COST;
  if (operator !== 'STR_CONTAINS' || looksSeparately(values)) return ofValues;
  return ofValues + values.reduce((sum, { length }) => sum + length, 0) * TRIE_COST;
}
