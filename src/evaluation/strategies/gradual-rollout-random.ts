import type { StrategyParameters } from '../../model/strategy.ts';
import { type Condition, condition } from '../condition.ts';
import { ROLLOUT_BUCKETS } from '../hashing.ts';
import { parameter, parsePercentage, unusablePercentage } from '../rollout.ts';

export const name = 'gradualRolloutRandom';

/** A share of the evaluations, drawn anew each time. */
export function compile(parameters: StrategyParameters): Condition {
  const text = parameter(parameters, 'percentage');
  const percentage = parsePercentage(text);
  if (Number.isNaN(percentage)) return unusablePercentage(text);
  return condition((context) => Math.floor(context.random() * ROLLOUT_BUCKETS) + 1 <= percentage);
}
