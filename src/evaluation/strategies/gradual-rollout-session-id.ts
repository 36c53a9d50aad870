import type { StrategyParameters } from '../../model/strategy.ts';
import type { Condition } from '../condition.ts';
import { compileRollout, parameter } from '../rollout.ts';

export const name = 'gradualRolloutSessionId';

/** A share of the sessions. Without a groupId the hash has an empty group, as in SDKs. */
export function compile(parameters: StrategyParameters): Condition {
  return compileRollout(
    parameter(parameters, 'percentage'),
    parameter(parameters, 'groupId') ?? '',
    (context) => context.sessionId,
  );
}
