import type { Constraint } from '../../model/constraint.ts';
import { type Condition, condition, unsatisfiable } from '../condition.ts';
import { CURRENT_TIME, type EvaluationContext, fieldReader } from '../context.ts';

/** Reads a field as Unix milliseconds; NaN when it is missing or no date, which makes every comparison false. */
export type TimeReader = (context: EvaluationContext) => number;

/** Compiles the rule's date and hands it, with the field's reader, to the operator. */
export function compileDate(
  constraint: Constraint,
  build: (readMs: TimeReader, operandMs: number) => (context: EvaluationContext) => boolean,
): Condition {
  const operandMs = Date.parse(constraint.value ?? '');
  if (Number.isNaN(operandMs)) return unsatisfiable(`"${constraint.value ?? ''}" is not a date`);
  return condition(build(timeReader(constraint.contextName), operandMs));
}

function timeReader(contextName: string): TimeReader {
  if (contextName === CURRENT_TIME) return (context) => context.currentTimeMs;
  const read = fieldReader(contextName);
  return (context) => {
    const text = read(context);
    return text === undefined ? Number.NaN : Date.parse(text);
  };
}
