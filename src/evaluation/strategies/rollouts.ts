import type { Strategy, StrategyParameters } from '../../model/strategy.ts';
import { condition } from '../condition.ts';
import type { EvaluationContext } from '../context.ts';
import { type HashEncoding, ROLLOUT_BUCKETS } from '../hashing.ts';
import {
  compileRollout,
  parameter,
  parsePercentage,
  positionIn,
  type Rollout,
  type RolloutPosition,
  unusablePercentageCondition,
} from '../rollout.ts';
import { rolloutStickiness, SESSION_ID, type Stickiness, USER_ID } from '../stickiness.ts';
import type { StrategyFamily } from './strategy-family.ts';

type RolloutOf = (parameters: StrategyParameters, flagName: string) => Rollout;

/** The strategies that are on for the ids of a part of all contexts. */
const STICKY: Readonly<Record<'flexibleRollout' | 'gradualRolloutUserId' | 'gradualRolloutSessionId', RolloutOf>> = {
  /** The id is chosen by the stickiness in the definition. */
  flexibleRollout: (parameters, flagName) => ({
    percentageText: parameter(parameters, 'rollout'),
    groupId: parameter(parameters, 'groupId') || flagName,
    stickiness: rolloutStickiness(parameter(parameters, 'stickiness') || 'default'),
  }),

  /** The id is the user id. Without a groupId the hash has an empty group, as in SDKs. */
  gradualRolloutUserId: (parameters) => byField(parameters, USER_ID),

  /** The id is the session id. Without a groupId the hash has an empty group, as in SDKs. */
  gradualRolloutSessionId: (parameters) => byField(parameters, SESSION_ID),
};

const byField = (parameters: StrategyParameters, stickiness: Stickiness): Rollout => ({
  percentageText: parameter(parameters, 'percentage'),
  groupId: parameter(parameters, 'groupId') ?? '',
  stickiness,
});

const compiledBy =
  (rolloutOf: RolloutOf): StrategyFamily[string] =>
  (parameters, flagName, hashEncoding) =>
    compileRollout(rolloutOf(parameters, flagName), hashEncoding);

/** The strategies that are on for a percentage of the contexts. */
export const rolloutStrategies: StrategyFamily = {
  flexibleRollout: compiledBy(STICKY.flexibleRollout),
  gradualRolloutUserId: compiledBy(STICKY.gradualRolloutUserId),
  gradualRolloutSessionId: compiledBy(STICKY.gradualRolloutSessionId),

  /** Random for each evaluation. */
  gradualRolloutRandom: (parameters) => {
    const text = parameter(parameters, 'percentage');
    const percentage = parsePercentage(text);
    if (Number.isNaN(percentage)) return unusablePercentageCondition(text);
    return condition((context) => Math.floor(context.random() * ROLLOUT_BUCKETS) + 1 <= percentage);
  },
};

/** The position of the context in the rollout of the strategy; undefined if the strategy has no rollout by an id, or the context has no id. */
export function rolloutPosition(
  { name, parameters }: Pick<Strategy, 'name' | 'parameters'>,
  flag: { readonly name: string; readonly hashEncoding: HashEncoding },
  context: EvaluationContext,
): RolloutPosition | undefined {
  if (!Object.hasOwn(STICKY, name)) return undefined;
  return positionIn(STICKY[name as keyof typeof STICKY](parameters, flag.name), flag.hashEncoding, context);
}
