import type { StrategyParameters } from '../../model/strategy.ts';
import { type Condition, condition } from '../condition.ts';
import { compileRanges } from '../ip-address.ts';
import { parameter, splitList } from '../rollout.ts';

export const name = 'remoteAddress';

/**
 * The listed addresses: IPv4 by range, anything by its exact text. IPv6 ranges do not match, because SDKs do not match them and a
 * flag must not differ between the two sides (the IN_CIDR operator knows them). Entries that are no address never match anything.
 */
export function compile(parameters: StrategyParameters): Condition {
  const entries = splitList(parameter(parameters, 'IPs'));
  const exact = new Set(entries);
  const ranges = compileRanges(entries);
  return condition(
    ({ remoteAddress }) => remoteAddress !== undefined && (exact.has(remoteAddress) || ranges.hasIpv4(remoteAddress)),
  );
}
