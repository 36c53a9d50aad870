import type { Constraint } from '../../model/constraint.ts';
import { type Condition, condition, unsatisfiable } from '../condition.ts';
import { type EvaluationContext, fieldReader } from '../context.ts';

/** Reads a field as a number; NaN when it is missing or none, which makes every comparison false. */
export type NumberReader = (context: EvaluationContext) => number;

/** Compiles the rule's number and hands it, with the field's reader, to the operator. */
export function compileNumber(
  constraint: Constraint,
  build: (read: NumberReader, operand: number) => (context: EvaluationContext) => boolean,
): Condition {
  const operand = constraint.value === undefined ? Number.NaN : Number(constraint.value);
  if (Number.isNaN(operand)) return unsatisfiable(`"${constraint.value ?? ''}" is not a number`);
  const text = fieldReader(constraint.contextName);
  return condition(build((context) => Number(text(context)), operand));
}
