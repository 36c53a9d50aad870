import type { StrategyParameters } from '../../model/strategy.ts';
import type { Condition } from '../condition.ts';
import { compileRollout, parameter } from '../rollout.ts';
import { rolloutStickiness } from '../stickiness.ts';

export const name = 'flexibleRollout';

/** A share of the contexts, by the stickiness the definition names. */
export function compile(parameters: StrategyParameters, flagName: string): Condition {
  return compileRollout(
    parameter(parameters, 'rollout'),
    parameter(parameters, 'groupId') || flagName,
    rolloutStickiness(parameter(parameters, 'stickiness') || 'default'),
  );
}
