import { type ResultOrWork, resultOf, type Work, workAtOnce } from '../../base/work.ts';
import type { StrategyParameters } from '../../model/strategy.ts';
import { always, type Condition, condition, conditionOf } from '../condition.ts';
import type { EvaluationContext } from '../context.ts';
import { Interner, KEY_LENGTH_MAX } from '../interner.ts';
import { compileRanges } from '../ip-address.ts';
import { LIST_PARAMETERS, listEntries } from '../lists.ts';
import { memberOfSet } from '../operators/membership.ts';
import { parameter } from '../rollout.ts';
import type { StrategyFamily } from './strategy-family.ts';

const readUserId = ({ userId }: EvaluationContext) => userId;

const ALWAYS = condition(always);

/** Strategies with equal short lists share one condition, which is evaluated once for each context. */
const interner = new Interner<Condition>();

/** Entries per step, and units of work for each entry. */
const STEP_ENTRIES = 512;
const ENTRY_COST = 10;

/** A strategy that compares one field with a list. The list may be as long as a parameter may be. */
function listStrategy(name: string, compile: (entries: ReadonlySet<string>) => ResultOrWork<Condition>) {
  const parameterName = LIST_PARAMETERS.get(name) ?? '';
  return (parameters: StrategyParameters) => {
    const text = parameter(parameters, parameterName) ?? '';
    const key = `${name} ${text}`;
    if (key.length > KEY_LENGTH_MAX) return compileList(text, compile);
    return interner.get(key, () => conditionOf(workAtOnce(compileList(text, compile)), true));
  };
}

function* compileList(
  text: string,
  compile: (entries: ReadonlySet<string>) => ResultOrWork<Condition>,
): Work<Condition> {
  return yield* resultOf(compile(yield* setOf(listEntries(text))));
}

/** The entries without duplicates. */
function* setOf(entries: Iterable<string>): Work<ReadonlySet<string>> {
  const set = new Set<string>();
  let count = 0;
  for (const entry of entries) {
    set.add(entry);
    if (++count % STEP_ENTRIES === 0) yield STEP_ENTRIES * ENTRY_COST;
  }
  return set;
}

/** The strategies that are on for all contexts, or for the values of a list. */
export const listStrategies: StrategyFamily = {
  /** On for all contexts that satisfy the constraints. */
  default: () => ALWAYS,

  /** Only the listed users. */
  userWithId: listStrategy('userWithId', (entries) => condition(memberOfSet(readUserId, entries))),

  /** Only the listed machines; letter case is ignored. */
  applicationHostname: listStrategy('applicationHostname', function* (entries) {
    const hostnames = yield* setOf(lowerCased(entries));
    return condition(({ hostname }) => hostname !== undefined && hostnames.has(hostname.toLowerCase()));
  }),

  /**
   * The listed addresses: IPv4 by range, every address by its exact text. IPv6 ranges do not match, because SDKs do not match them and server and
   * SDK must give the same answer (the IN_CIDR operator supports them). Entries that are not addresses never match.
   */
  remoteAddress: listStrategy('remoteAddress', function* (entries) {
    const ranges = yield* compileRanges(ipv4Ranges(entries));
    return condition(
      ({ remoteAddress }) =>
        remoteAddress !== undefined && (entries.has(remoteAddress) || ranges.hasIpv4(remoteAddress)),
      { fixed: ranges.cost, perChar: 0.1 },
    );
  }),
};

function* lowerCased(entries: Iterable<string>): Generator<string, void> {
  for (const entry of entries) yield entry.toLowerCase();
}

/** An IPv4 address has exactly one text, so entries without a prefix length are matched as text. */
function* ipv4Ranges(entries: Iterable<string>): Generator<string, void> {
  for (const entry of entries) if (entry.includes('/') && !entry.includes(':')) yield entry;
}
