import type { Work } from '../../base/work.ts';
import type { Constraint } from '../../model/constraint.ts';
import { type Condition, type Cost, condition, never } from '../condition.ts';
import { type EvaluationContext, type FieldReader, fieldReader } from '../context.ts';
import { containsAny, searchesSeparately, TRIE_COST_PER_CHAR } from '../text-search.ts';
import { listOperand } from './membership.ts';
import type { OperatorFamily } from './operator-family.ts';

type Match = (text: string, value: string) => boolean;

/** STR_*: the field's text and one of the values match; if requested, letter case is folded on both sides. */
export const textOperators: OperatorFamily = {
  STR_STARTS_WITH: (constraint) => compileStartOrEnd(constraint, (text, value) => text.startsWith(value)),
  STR_ENDS_WITH: (constraint) => compileStartOrEnd(constraint, (text, value) => text.endsWith(value)),
  STR_CONTAINS: compileAnywhere,
};

/** Units of work for values folded in one step. */
const STEP_COST = 1_000;

/** Units for one value, and for each of its characters: two texts may differ only at the end. */
const VALUE_COST = 4;
const VALUE_CHAR_COST = 0.06;
/** Units for each character whose letter case is folded. */
const FOLDING_COST = 0.5;

function* compileStartOrEnd(constraint: Constraint, matches: Match): Work<Condition> {
  const { read, values, cost } = yield* operands(constraint);
  if (values.length === 0) return condition(never);
  const valueCost = VALUE_COST + mean(values) * VALUE_CHAR_COST;
  return condition(
    (context) => {
      const text = read(context);
      if (text === undefined) return false;
      for (let index = 0; index < values.length; index++) if (matches(text, values[index] as string)) return true;
      return false;
    },
    { ...cost, fixed: cost.fixed + values.length * valueCost },
  );
}

/** Units for each character in which the engine searches for one value: a client can send texts that are slow to search. */
const SEPARATE_COST = 0.3;

function* compileAnywhere(constraint: Constraint): Work<Condition> {
  const { read, values, cost } = yield* operands(constraint);
  if (values.length === 0) return condition(never);
  const contains = yield* containsAny(values);
  const perChar = searchesSeparately(values) ? values.length * SEPARATE_COST : TRIE_COST_PER_CHAR;
  return condition(
    (context) => {
      const text = read(context);
      return text !== undefined && contains(text);
    },
    { ...cost, perChar: cost.perChar + perChar },
  );
}

/** Average length of a value, in characters. */
function mean(values: readonly string[]): number {
  return values.reduce((sum, { length }) => sum + length, 0) / values.length;
}

interface Operands {
  readonly read: FieldReader;
  readonly values: readonly string[];
  readonly cost: Cost;
}

function* operands(constraint: Constraint): Work<Operands> {
  const field = fieldReader(constraint.contextName);
  const values = listOperand(constraint);
  if (constraint.caseInsensitive !== true) return { read: field, values, cost: { fixed: 3, perChar: 0 } };
  return {
    read: (context: EvaluationContext) => folded(field(context)),
    values: yield* foldedValues(values),
    cost: { fixed: 3, perChar: FOLDING_COST },
  };
}

function* foldedValues(values: readonly string[]): Work<readonly string[]> {
  const result: string[] = [];
  let work = 0;
  for (const value of values) {
    result.push(value.toLowerCase());
    work += VALUE_COST + value.length * FOLDING_COST;
    if (work < STEP_COST) continue;
    yield work;
    work = 0;
  }
  return result;
}

let lastText: string | undefined;
let lastFolded: string | undefined;

/** The text in lower case. The last result is cached: conditions on one field are evaluated in sequence, and some characters are slow to fold. */
function folded(text: string | undefined): string | undefined {
  if (text !== lastText) {
    lastText = text;
    lastFolded = text?.toLowerCase();
  }
  return lastFolded;
}
