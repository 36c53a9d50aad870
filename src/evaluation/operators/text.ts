import type { Work } from '../../base/work.ts';
import type { Constraint } from '../../model/constraint.ts';
import { type Condition, condition, never, type Predicate, type PredicateInSteps } from '../condition.ts';
import type { OperatorFamily } from '../constraint.ts';
import { fieldReader } from '../context.ts';
import { listOperand } from './membership.ts';

type Match = (text: string, value: string) => boolean;

/** STR_*: the field's text and one of the values satisfy the match; letter case is folded on both sides when asked for. */
export const textOperators: OperatorFamily = {
  STR_STARTS_WITH: (constraint) => compile(constraint, (text, value) => text.startsWith(value), AT_AN_END),
  STR_ENDS_WITH: (constraint) => compile(constraint, (text, value) => text.endsWith(value), AT_AN_END),
  STR_CONTAINS: (constraint) => compile(constraint, (text, value) => text.includes(value), ANYWHERE),
};

/** Units for one value, and for one value and character of the field. The second is of texts made to be slow to search. */
interface MatchCost {
  readonly fixed: number;
  readonly perChar: number;
}

const AT_AN_END: MatchCost = { fixed: 1, perChar: 0 };
const ANYWHERE: MatchCost = { fixed: 1, perChar: 0.2 };

/** Values that are compared between two looks at the clock. */
const STEP_VALUES = 16;

function compile(constraint: Constraint, matches: Match, cost: MatchCost): Condition {
  const read = fieldReader(constraint.contextName);
  const foldCase = constraint.caseInsensitive === true;
  const values = foldCase ? listOperand(constraint).map((value) => value.toLowerCase()) : listOperand(constraint);
  if (values.length === 0) return condition(never);
  const test: Predicate = (context) => {
    const text = read(context);
    if (text === undefined) return false;
    const compared = foldCase ? text.toLowerCase() : text;
    for (let index = 0; index < values.length; index++) {
      if (matches(compared, values[index] as string)) return true;
    }
    return false;
  };
  const inSteps: PredicateInSteps = (context) => {
    const text = read(context);
    return matchesAny(text !== undefined && foldCase ? text.toLowerCase() : text, values, matches, cost);
  };
  const total = { fixed: 3 + values.length * cost.fixed, perChar: 0.5 + values.length * cost.perChar };
  return condition(test, total, values.length > STEP_VALUES ? inSteps : null);
}

function* matchesAny(
  text: string | undefined,
  values: readonly string[],
  matches: Match,
  { fixed, perChar }: MatchCost,
): Work<boolean> {
  if (text === undefined) return false;
  const stepCost = STEP_VALUES * (fixed + perChar * text.length);
  for (let start = 0; start < values.length; start += STEP_VALUES) {
    const end = Math.min(values.length, start + STEP_VALUES);
    for (let index = start; index < end; index++) if (matches(text, values[index] as string)) return true;
    yield stepCost;
  }
  return false;
}
