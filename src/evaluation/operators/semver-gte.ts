import type { Constraint } from '../../model/constraint.ts';
import type { Condition } from '../condition.ts';
import { compileSemver } from '../operands/semver.ts';

export const operator = 'SEMVER_GTE';

export function compile(constraint: Constraint): Condition {
  return compileSemver(constraint, (order) => (context) => order(context) >= 0);
}
