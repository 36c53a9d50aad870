import type { StrategyParameters } from '../../model/strategy.ts';
import { always, type Condition, condition, conditionOf } from '../condition.ts';
import type { EvaluationContext } from '../context.ts';
import { Interner } from '../interner.ts';
import { compileRanges } from '../ip-address.ts';
import { memberOf } from '../operators/membership.ts';
import { parameter, splitList } from '../rollout.ts';
import type { StrategyFamily } from '../strategy.ts';

const readUserId = ({ userId }: EvaluationContext) => userId;

const ALWAYS = condition(always);

/** Strategies with equal short lists are one, which is asked once for each context. */
const interned = new Interner<Condition>();

/** A strategy that compares one field with the list in one parameter. */
function listed(field: string, parameterName: string, compile: (entries: readonly string[]) => Condition) {
  return (parameters: StrategyParameters) => {
    const text = parameter(parameters, parameterName) ?? '';
    return interned.get(`${field} ${text}`, () => conditionOf(compile(splitList(text)), true));
  };
}

/** On for everybody, or for those who are listed. */
export const listStrategies: StrategyFamily = {
  /** On for everybody whom the constraints let through. */
  default: () => ALWAYS,

  /** The listed users only. */
  userWithId: listed('userId', 'userIds', (entries) => condition(memberOf(readUserId, entries))),

  /** The listed machines only, whatever the letter case. */
  applicationHostname: listed('hostname', 'hostNames', (entries) => {
    const hostnames = new Set(entries.map((entry) => entry.toLowerCase()));
    return condition(({ hostname }) => hostname !== undefined && hostnames.has(hostname.toLowerCase()));
  }),

  /**
   * The listed addresses: IPv4 by range, anything by its exact text. IPv6 ranges do not match, because SDKs do not match them and a
   * flag must not differ between the two sides (the IN_CIDR operator knows them). Entries that are no address never match anything.
   */
  remoteAddress: listed('remoteAddress', 'IPs', (entries) => {
    const exact = new Set(entries);
    const ranges = compileRanges(entries);
    return condition(
      ({ remoteAddress }) => remoteAddress !== undefined && (exact.has(remoteAddress) || ranges.hasIpv4(remoteAddress)),
      { fixed: ranges.cost, perChar: 0.1 },
    );
  }),
};
