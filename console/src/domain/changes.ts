import { type EnvironmentSettings, isNew, type StrategyDraft } from './model.ts';
import { same } from './same.ts';

/** A change as previews and change requests accept it, for one flag in one environment. */
export type Change =
  | {
      readonly action: 'updateEnabled';
      readonly payload: { enabled: boolean; shouldActivateDisabledStrategies?: boolean };
    }
  | {
      readonly action: 'addStrategy';
      readonly payload: Omit<StrategyDraft, 'id'> & { sortOrder: number };
      readonly draftId: string;
    }
  | { readonly action: 'updateStrategy'; readonly payload: StrategyDraft & { sortOrder: number } }
  | { readonly action: 'deleteStrategy'; readonly payload: { id: string } }
  | { readonly action: 'reorderStrategy'; readonly payload: readonly { id: string; sortOrder: number }[] }
  | { readonly action: 'patchVariant'; readonly payload: { variants: EnvironmentSettings['variants'] } };

/** What a request accepts: `draftId` is for the page only. */
export function sent(change: Change, feature: string) {
  return { action: change.action, feature, payload: change.payload as unknown };
}

const contentOf = ({ id: _, ...content }: StrategyDraft) => content;

const orderOf = (list: readonly StrategyDraft[], kept: ReadonlySet<string>) =>
  list.filter(({ id }) => kept.has(id)).map(({ id }) => id);

/** Whether the strategies that both have are in another order. */
export function isReordered(before: EnvironmentSettings, after: EnvironmentSettings): boolean {
  const ids = new Set(before.strategies.map(({ id }) => id));
  const kept = new Set(after.strategies.filter(({ id }) => ids.has(id)).map(({ id }) => id));
  return !same(orderOf(before.strategies, kept), orderOf(after.strategies, kept));
}

/**
 * The changes that make `after` of `before`, in an order in which each of them is accepted: strategies are added before others are
 * deleted and before the flag is switched on, so that the flag is never on for everybody in between.
 */
export function changesBetween(before: EnvironmentSettings, after: EnvironmentSettings): Change[] {
  const changes: Change[] = [];
  const earlier = new Map(before.strategies.map((strategy) => [strategy.id, strategy]));
  const ids = new Set(after.strategies.map(({ id }) => id));
  const switchedOff = before.enabled && !after.enabled;
  if (switchedOff) changes.push({ action: 'updateEnabled', payload: { enabled: false } });
  after.strategies.forEach((strategy, sortOrder) => {
    const old = earlier.get(strategy.id);
    if (isNew(strategy) || !old) {
      changes.push({ action: 'addStrategy', payload: { ...contentOf(strategy), sortOrder }, draftId: strategy.id });
    } else if (!same(contentOf(old), contentOf(strategy))) {
      changes.push({ action: 'updateStrategy', payload: { ...strategy, sortOrder } });
    }
  });
  for (const { id } of before.strategies) if (!ids.has(id)) changes.push({ action: 'deleteStrategy', payload: { id } });
  const isMixed = after.strategies.some((strategy, index) => isNew(strategy) && index < after.strategies.length - 1);
  if (isReordered(before, after) || (isMixed && earlier.size > 0)) {
    changes.push({
      action: 'reorderStrategy',
      payload: after.strategies.flatMap(({ id }, sortOrder) => (earlier.has(id) ? [{ id, sortOrder }] : [])),
    });
  }
  if (!same(before.variants, after.variants))
    changes.push({ action: 'patchVariant', payload: { variants: after.variants } });
  if (!before.enabled && after.enabled) changes.push({ action: 'updateEnabled', payload: { enabled: true } });
  return changes;
}

/** How many changes a person made. The new order that an added strategy brings with it is no change of its own. */
export const countOfChanges = (before: EnvironmentSettings, after: EnvironmentSettings): number =>
  changesBetween(before, after).filter(({ action }) => action !== 'reorderStrategy' || isReordered(before, after))
    .length;

/** Whether the changes only add strategies to a flag that is on. */
export const isOnlyAdded = (before: EnvironmentSettings, after: EnvironmentSettings): boolean =>
  before.enabled &&
  changesBetween(before, after).some(({ action }) => action === 'addStrategy') &&
  changesBetween(before, after).every(({ action }) => action === 'addStrategy' || action === 'reorderStrategy');
