import type { Constraint } from '../../model/constraint.ts';
import { type Condition, condition } from '../condition.ts';
import { compileMembership } from '../operands/membership.ts';

export const operator = 'NOT_IN';

/** A missing field is in no list, so it satisfies NOT_IN. */
export function compile(constraint: Constraint): Condition {
  const isMember = compileMembership(constraint);
  return condition((context) => !isMember(context));
}
