import type { StrategyParameters } from '../../model/strategy.ts';
import type { Condition } from '../condition.ts';
import { compileRollout, parameter } from '../rollout.ts';

export const name = 'gradualRolloutUserId';

/** A share of the users. Without a groupId the hash has an empty group, as in SDKs. */
export function compile(parameters: StrategyParameters): Condition {
  return compileRollout(
    parameter(parameters, 'percentage'),
    parameter(parameters, 'groupId') ?? '',
    (context) => context.userId,
  );
}
