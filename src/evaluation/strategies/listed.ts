import { always, condition } from '../condition.ts';
import type { EvaluationContext } from '../context.ts';
import { compileRanges } from '../ip-address.ts';
import { memberOf } from '../operators/membership.ts';
import { parameter, splitList } from '../rollout.ts';
import type { StrategyFamily } from '../strategy.ts';

const readUserId = ({ userId }: EvaluationContext) => userId;

/** On for everybody, or for those who are listed. */
export const listStrategies: StrategyFamily = {
  /** On for everybody whom the constraints let through. */
  default: () => condition(always),

  /** The listed users only. */
  userWithId: (parameters) => condition(memberOf(readUserId, splitList(parameter(parameters, 'userIds')))),

  /** The listed machines only, whatever the letter case. */
  applicationHostname: (parameters) => {
    const hostnames = new Set(splitList(parameter(parameters, 'hostNames')?.toLowerCase()));
    return condition(({ hostname }) => hostname !== undefined && hostnames.has(hostname.toLowerCase()));
  },

  /**
   * The listed addresses: IPv4 by range, anything by its exact text. IPv6 ranges do not match, because SDKs do not match them and a
   * flag must not differ between the two sides (the IN_CIDR operator knows them). Entries that are no address never match anything.
   */
  remoteAddress: (parameters) => {
    const entries = splitList(parameter(parameters, 'IPs'));
    const exact = new Set(entries);
    const ranges = compileRanges(entries);
    return condition(
      ({ remoteAddress }) => remoteAddress !== undefined && (exact.has(remoteAddress) || ranges.hasIpv4(remoteAddress)),
      { fixed: ranges.cost, perChar: 0.1 },
    );
  },
};
