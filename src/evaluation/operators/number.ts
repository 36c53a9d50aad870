import type { Constraint } from '../../model/constraint.ts';
import { cachingLastText } from '../caching-last-text.ts';
import { type Condition, condition, type Predicate, unsatisfiableCondition } from '../condition.ts';
import { type EvaluationContext, fieldReader } from '../context.ts';
import type { OperatorFamily } from './operator-family.ts';

/** Reads a field as a number; NaN when it is missing or not a number, which makes every comparison false. */
type NumberReader = (context: EvaluationContext) => number;

/** NUM_*: the field compared with the rule's number. */
export const numberOperators: OperatorFamily = {
  NUM_EQ: (constraint) => compile(constraint, (read, operand) => (context) => read(context) === operand),
  NUM_GT: (constraint) => compile(constraint, (read, operand) => (context) => read(context) > operand),
  NUM_GTE: (constraint) => compile(constraint, (read, operand) => (context) => read(context) >= operand),
  NUM_LT: (constraint) => compile(constraint, (read, operand) => (context) => read(context) < operand),
  NUM_LTE: (constraint) => compile(constraint, (read, operand) => (context) => read(context) <= operand),
};

/** Parsing a long number takes time for each digit. */
const COST = { fixed: 3, perChar: 0.1 };

function compile(constraint: Constraint, build: (read: NumberReader, operand: number) => Predicate): Condition {
  const operand = constraint.value === undefined ? Number.NaN : Number(constraint.value);
  if (Number.isNaN(operand)) return unsatisfiableCondition(`"${constraint.value ?? ''}" is not a number`);
  const text = fieldReader(constraint.contextName);
  return condition(
    build((context) => numberOf(text(context)), operand),
    COST,
  );
}

const parseNumber = cachingLastText(Number);

function numberOf(text: string | undefined): number {
  return text === undefined ? Number.NaN : parseNumber(text);
}
