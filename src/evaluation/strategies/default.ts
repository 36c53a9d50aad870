import { always, type Condition, condition } from '../condition.ts';

export const name = 'default';

/** On for everybody whom the constraints let through. */
export function compile(): Condition {
  return condition(always);
}
