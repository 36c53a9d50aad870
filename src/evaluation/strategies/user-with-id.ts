import type { StrategyParameters } from '../../model/strategy.ts';
import { type Condition, condition } from '../condition.ts';
import type { EvaluationContext } from '../context.ts';
import { memberOf } from '../operands/membership.ts';
import { parameter, splitList } from '../rollout.ts';

export const name = 'userWithId';

const readUserId = ({ userId }: EvaluationContext) => userId;

/** The listed users only. */
export function compile(parameters: StrategyParameters): Condition {
  return condition(memberOf(readUserId, splitList(parameter(parameters, 'userIds'))));
}
