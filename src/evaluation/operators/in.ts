import type { Constraint } from '../../model/constraint.ts';
import { type Condition, condition } from '../condition.ts';
import { compileMembership } from '../operands/membership.ts';

export const operator = 'IN';

export function compile(constraint: Constraint): Condition {
  return condition(compileMembership(constraint));
}
