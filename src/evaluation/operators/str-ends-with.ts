import type { Constraint } from '../../model/constraint.ts';
import type { Condition } from '../condition.ts';
import { compileTextMatch } from '../operands/text.ts';

export const operator = 'STR_ENDS_WITH';

export function compile(constraint: Constraint): Condition {
  return compileTextMatch(constraint, (text, value) => text.endsWith(value));
}
