import { pushAll } from '../../../base/lists/push-all.ts';
import type { Strategy } from '../../../model/strategy.ts';
import { withoutId } from './copy.ts';

/** How a list of strategies differs from an earlier one. */
interface StrategyDifference {
  readonly removed: readonly Strategy[];
  readonly added: readonly Strategy[];
  /** Counterparts that differ. */
  readonly changed: readonly { readonly before: Strategy; readonly after: Strategy }[];
  /** Number of strategies with the same content and sort order. */
  readonly unchanged: number;
}

type KeyOf = (strategy: Strategy) => string;

/**
 * Compares two lists whose ids have nothing to do with each other. Counterparts are, in this order: strategies with the same content, with the same
 * type and title, with the same type. Yields an empty text where the event loop may run, as a piece of an answer.
 */
export function* strategyDifference(
  before: readonly Strategy[],
  after: readonly Strategy[],
): Generator<string, StrategyDifference> {
  const changed: { before: Strategy; after: Strategy }[] = [];
  const same = yield* counterparts(before, after, (strategy) => JSON.stringify(withoutId(strategy)));
  let rest = same;
  for (const keyOf of [titleKey, ({ name }: Strategy) => name]) {
    rest = yield* counterparts(rest.removed, rest.added, keyOf);
    pushAll(changed, rest.pairs);
  }
  const { removed, added } = rest;
  return { removed, added, changed, unchanged: same.pairs.length };
}

function titleKey({ name, title }: Strategy): string {
  return JSON.stringify([name, title]);
}

/** Pairs strategies with equal keys, in their order, and returns the pairs and the strategies without a counterpart. */
function* counterparts(before: readonly Strategy[], after: readonly Strategy[], keyOf: KeyOf) {
  const waiting = new Map<string, Strategy[]>();
  for (const strategy of before) {
    const key = keyOf(strategy);
    waiting.set(key, [...(waiting.get(key) ?? []), strategy]);
    yield '';
  }
  const pairs: { before: Strategy; after: Strategy }[] = [];
  const added: Strategy[] = [];
  const paired = new Set<Strategy>();
  for (const strategy of after) {
    const counterpart = waiting.get(keyOf(strategy))?.shift();
    if (counterpart) {
      pairs.push({ before: counterpart, after: strategy });
      paired.add(counterpart);
    } else added.push(strategy);
    yield '';
  }
  return { pairs, added, removed: before.filter((strategy) => !paired.has(strategy)) };
}
