import type { StrategyParameters } from '../../model/strategy.ts';
import { type Condition, condition } from '../condition.ts';
import { parameter, splitList } from '../rollout.ts';

export const name = 'userWithId';

/** The listed users only. */
export function compile(parameters: StrategyParameters): Condition {
  const userIds = new Set(splitList(parameter(parameters, 'userIds')));
  return condition((context) => context.userId !== undefined && userIds.has(context.userId));
}
