import type { Constraint } from '../../model/constraint.ts';
import type { Condition } from '../condition.ts';
import { compileNumber } from '../operands/number.ts';

export const operator = 'NUM_GT';

export function compile(constraint: Constraint): Condition {
  return compileNumber(constraint, (read, operand) => (context) => read(context) > operand);
}
