import type { StrategyParameters } from '../../model/strategy.ts';
import { type Condition, condition } from '../condition.ts';
import { parameter, splitList } from '../rollout.ts';

export const name = 'applicationHostname';

/** The listed machines only, whatever the letter case. */
export function compile(parameters: StrategyParameters): Condition {
  const hostnames = new Set(splitList(parameter(parameters, 'hostNames')?.toLowerCase()));
  return condition(({ hostname }) => hostname !== undefined && hostnames.has(hostname.toLowerCase()));
}
