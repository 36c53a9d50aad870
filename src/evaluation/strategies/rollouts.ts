import { condition } from '../condition.ts';
import { ROLLOUT_BUCKETS } from '../hashing.ts';
import { compileRollout, parameter, parsePercentage, unusablePercentageCondition } from '../rollout.ts';
import { rolloutStickiness, SESSION_ID, USER_ID } from '../stickiness.ts';
import type { StrategyFamily } from './strategy-family.ts';

/** The strategies that are on for a percentage of the contexts. */
export const rolloutStrategies: StrategyFamily = {
  /** The id is chosen by the stickiness in the definition. */
  flexibleRollout: (parameters, flagName, hashEncoding) =>
    compileRollout(
      parameter(parameters, 'rollout'),
      parameter(parameters, 'groupId') || flagName,
      rolloutStickiness(parameter(parameters, 'stickiness') || 'default'),
      hashEncoding,
    ),

  /** The id is the user id. Without a groupId the hash has an empty group, as in SDKs. */
  gradualRolloutUserId: (parameters, _flagName, hashEncoding) =>
    compileRollout(parameter(parameters, 'percentage'), parameter(parameters, 'groupId') ?? '', USER_ID, hashEncoding),

  /** The id is the session id. Without a groupId the hash has an empty group, as in SDKs. */
  gradualRolloutSessionId: (parameters, _flagName, hashEncoding) =>
    compileRollout(
      parameter(parameters, 'percentage'),
      parameter(parameters, 'groupId') ?? '',
      SESSION_ID,
      hashEncoding,
    ),

  /** Random for each evaluation. */
  gradualRolloutRandom: (parameters) => {
    const text = parameter(parameters, 'percentage');
    const percentage = parsePercentage(text);
    if (Number.isNaN(percentage)) return unusablePercentageCondition(text);
    return condition((context) => Math.floor(context.random() * ROLLOUT_BUCKETS) + 1 <= percentage);
  },
};
