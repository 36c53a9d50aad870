import type { Constraint } from '../../model/constraint.ts';
import type { Condition } from '../condition.ts';
import { compileDate } from '../operands/date.ts';

export const operator = 'DATE_AFTER';

export function compile(constraint: Constraint): Condition {
  return compileDate(constraint, (readMs, operandMs) => (context) => readMs(context) > operandMs);
}
