import type { Constraint } from '../../model/constraint.ts';
import { cachingLastText } from '../caching-last-text.ts';
import { type Condition, condition, type Predicate, unsatisfiableCondition } from '../condition.ts';
import { CURRENT_TIME, type EvaluationContext, fieldReader } from '../context.ts';
import type { OperatorFamily } from './operator-family.ts';

/** Reads a field as Unix milliseconds; NaN when it is missing or not a date, which makes every comparison false. */
type TimeReader = (context: EvaluationContext) => number;

/** DATE_*: the field compared with the rule's date, exclusive on both sides. */
export const dateOperators: OperatorFamily = {
  DATE_AFTER: (constraint) => compile(constraint, (readMs, operandMs) => (context) => readMs(context) > operandMs),
  DATE_BEFORE: (constraint) => compile(constraint, (readMs, operandMs) => (context) => readMs(context) < operandMs),
};

const COST = { fixed: 30, perChar: 0 };

/** Longer texts are not dates. Without this limit, parsing them would be the most expensive part. */
const DATE_LENGTH_MAX = 100;

function compile(constraint: Constraint, build: (readMs: TimeReader, operandMs: number) => Predicate): Condition {
  const operandMs = Date.parse(constraint.value ?? '');
  if (Number.isNaN(operandMs)) return unsatisfiableCondition(`"${constraint.value ?? ''}" is not a date`);
  return condition(build(timeReader(constraint.contextName), operandMs), COST);
}

function timeReader(contextName: string): TimeReader {
  if (contextName === CURRENT_TIME) return (context) => context.currentTimeMs;
  const read = fieldReader(contextName);
  return (context) => {
    const text = read(context);
    return text === undefined || text.length > DATE_LENGTH_MAX ? Number.NaN : parseDate(text);
  };
}

const parseDate = cachingLastText(Date.parse);
