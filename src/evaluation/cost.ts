import type { Constraint } from '../model/constraint.ts';
import { expressionOf } from './expression.ts';

/** What one condition costs at the worst context there can be: 4,096 characters in every field. */
export interface Cost {
  /** Asking it once. µs. */
  readonly evaluation: number;
  /** Making its regular expression, once. Units of 0.1 µs. */
  readonly compilation: number;
}

/** A strategy's own rule and its variants: hashing a sticky id of 4,096 characters, twice. µs. */
export const EVALUATION_BASE = 20;

const TEXT_LENGTH = 4_096;

/** Folding the letter case of a text: most of the world's scripts take so long. µs. */
const FOLDING = 15;

/** Measured on a small machine (docs/decisions/evaluation-cost.md). */
export function conditionCost(constraint: Constraint): Cost {
  const folding = constraint.caseInsensitive === true ? FOLDING : 0;
  const count = constraint.values?.length ?? 0;
  switch (constraint.operator) {
    case 'REGEX':
      return expressionCost(constraint);
    case 'STR_CONTAINS':
      return costing(folding + count * 25);
    case 'STR_STARTS_WITH':
    case 'STR_ENDS_WITH':
      return costing(folding + count * 0.05);
    case 'IN_CIDR':
      return costing(1 + count * 0.05);
    case 'DATE_AFTER':
    case 'DATE_BEFORE':
      return costing(30);
    case 'IN':
    case 'NOT_IN':
      return costing(0.5);
    default:
      return costing(5);
  }
}

function costing(evaluation: number): Cost {
  return { evaluation, compilation: 0 };
}

function expressionCost({ value = '', caseInsensitive = false }: Constraint): Cost {
  const { automaton, compileCost } = expressionOf(value, caseInsensitive);
  if (automaton === null) return { evaluation: 0, compilation: compileCost };
  const nsPerCharacter = 6 + 3 * Math.log2(automaton.ranges + 1);
  return { evaluation: (TEXT_LENGTH * nsPerCharacter) / 1000, compilation: compileCost };
}
