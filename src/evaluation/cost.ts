import type { Constraint } from '../model/constraint.ts';
import type { Strategy } from '../model/strategy.ts';
import type { Variant } from '../model/variant.ts';
import type { Cost } from './condition.ts';
import { expressionOf } from './expression.ts';
import { LIST_PARAMETERS } from './lists.ts';
import { parameter } from './rollout.ts';
import { CONTEXT_VALUE_LENGTH_MAX } from './sdk-context.ts';
import { searchesSeparately } from './text-search.ts';

/** Units of work in a microsecond. */
const UNITS_PER_US = 50;

/** Cost of evaluating the question with the most expensive context, in µs. */
export function worstCost({ fixed, perChar }: Cost): number {
  return (fixed + perChar * CONTEXT_VALUE_LENGTH_MAX) / UNITS_PER_US;
}

/** Costs of compiling, in units of 0.1 µs: a value of a list, an entry of a comma-separated parameter, and an address range. */
const VALUE_COST = 1.5;
const ENTRY_COST = 2;
const RANGE_COST = 15;
/** Additional cost for each character of values that one search finds together (`text-search.ts`), in units of 0.1 µs. */
const TRIE_COST = 1;

/** Cost of compiling a constraint, in units of 0.1 µs. */
export function compilationCost({ operator, value = '', values = [], caseInsensitive = false }: Constraint): number {
  if (operator === 'REGEX') return expressionOf(value, caseInsensitive).compileCost;
  if (operator === 'IN_CIDR') return values.length * RANGE_COST;
  const valuesCost = values.length * VALUE_COST;
  if (operator !== 'STR_CONTAINS' || searchesSeparately(values)) return valuesCost;
  return valuesCost + values.reduce((sum, { length }) => sum + length, 0) * TRIE_COST;
}

/** Cost of compiling the overrides of variants, in units of 0.1 µs. */
export function overridesCompilationCost(variants: readonly Pick<Variant, 'overrides'>[]): number {
  let values = 0;
  for (const { overrides } of variants) for (const override of overrides ?? []) values += override.values.length;
  return values * VALUE_COST;
}

const COMMA = 44;
const SLASH = 47;

/** Cost of compiling the list in a strategy's parameters, in units of 0.1 µs. */
export function listCompilationCost({ name, parameters }: Pick<Strategy, 'name' | 'parameters'>): number {
  const listName = LIST_PARAMETERS.get(name);
  const text = (listName && parameter(parameters, listName)) || '';
  let entries = 1;
  let ranges = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === COMMA) entries++;
    else if (code === SLASH && ranges < entries) ranges++;
  }
  return entries * ENTRY_COST + (name === 'remoteAddress' ? ranges * RANGE_COST : 0);
}
