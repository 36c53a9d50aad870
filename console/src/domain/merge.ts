import type { EnvironmentSettings, StrategyDraft } from './model.ts';
import { same } from './same.ts';

/** A field that two people changed in different ways. */
export interface Conflict {
  /** `strategy id`, or empty for the settings of the environment. */
  readonly strategy: string;
  readonly field: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

interface Merged<T> {
  readonly value: T;
  readonly conflicts: readonly Conflict[];
}

/** Takes the side that changed; where both changed to different values, keeps mine and reports it. */
function pick(strategy: string, field: string, base: unknown, mine: unknown, theirs: unknown, conflicts: Conflict[]) {
  if (same(mine, theirs) || same(base, theirs)) return mine;
  if (same(base, mine)) return theirs;
  conflicts.push({ strategy, field, base, mine, theirs });
  return mine;
}

function mergeParameters(
  id: string,
  base: StrategyDraft,
  mine: StrategyDraft,
  theirs: StrategyDraft,
  conflicts: Conflict[],
) {
  const names = new Set([...Object.keys(mine.parameters), ...Object.keys(theirs.parameters)]);
  const merged: Record<string, string> = {};
  for (const name of names) {
    const value = pick(id, name, base.parameters[name], mine.parameters[name], theirs.parameters[name], conflicts);
    if (value !== undefined) merged[name] = value as string;
  }
  return merged;
}

function mergeStrategy(
  base: StrategyDraft,
  mine: StrategyDraft,
  theirs: StrategyDraft,
  conflicts: Conflict[],
): StrategyDraft {
  const { id } = mine;
  const field = <F extends keyof StrategyDraft>(name: F) =>
    pick(id, name, base[name], mine[name], theirs[name], conflicts) as StrategyDraft[F];
  return {
    id,
    name: field('name'),
    title: field('title'),
    disabled: field('disabled'),
    parameters: mergeParameters(id, base, mine, theirs, conflicts),
    constraints: field('constraints'),
    segments: field('segments'),
    variants: field('variants'),
  };
}

/** Mine in my order, then theirs that I have not seen, each behind the strategy that it follows there. */
function mergeOrder(
  merged: Map<string, StrategyDraft>,
  mine: EnvironmentSettings,
  theirs: EnvironmentSettings,
  mineMoved: boolean,
) {
  const [first, second] = mineMoved ? [mine, theirs] : [theirs, mine];
  const order = first.strategies.map(({ id }) => id).filter((id) => merged.has(id));
  second.strategies.forEach(({ id }, index) => {
    if (!merged.has(id) || order.includes(id)) return;
    const previous = second.strategies
      .slice(0, index)
      .reverse()
      .find((one) => order.includes(one.id));
    order.splice(previous ? order.indexOf(previous.id) + 1 : 0, 0, id);
  });
  return order.map((id) => merged.get(id) as StrategyDraft);
}

/** Combines what I changed since `base` with what others saved since `base`. Nothing of either is lost without a conflict. */
export function mergeSettings(
  base: EnvironmentSettings,
  mine: EnvironmentSettings,
  theirs: EnvironmentSettings,
): Merged<EnvironmentSettings> {
  const conflicts: Conflict[] = [];
  const of = (settings: EnvironmentSettings) => new Map(settings.strategies.map((one) => [one.id, one]));
  const [inBase, inMine, inTheirs] = [of(base), of(mine), of(theirs)];
  const merged = new Map<string, StrategyDraft>();
  for (const id of new Set([...inMine.keys(), ...inTheirs.keys()])) {
    const [b, m, t] = [inBase.get(id), inMine.get(id), inTheirs.get(id)];
    if (m && t) merged.set(id, b ? mergeStrategy(b, m, t, conflicts) : m);
    else if (m && !b) merged.set(id, m);
    else if (t && !b) merged.set(id, t);
    else if (m && b) {
      // They deleted it. If I changed it, I decide; otherwise it is gone.
      if (same(m, b)) continue;
      conflicts.push({ strategy: id, field: 'deleted', base: b, mine: m, theirs: null });
      merged.set(id, { ...m, id: `new-restored-${id}` });
    } else if (t && b && !same(t, b)) {
      conflicts.push({ strategy: id, field: 'deleted', base: b, mine: null, theirs: t });
    }
  }
  const ids = (settings: EnvironmentSettings) => settings.strategies.map(({ id }) => id);
  return {
    value: {
      enabled: pick('', 'enabled', base.enabled, mine.enabled, theirs.enabled, conflicts) as boolean,
      strategies: mergeOrder(rekeyed(merged), restored(mine, merged), theirs, !same(ids(base), ids(mine))),
      variants: pick(
        '',
        'variants',
        base.variants,
        mine.variants,
        theirs.variants,
        conflicts,
      ) as EnvironmentSettings['variants'],
    },
    conflicts,
  };
}

const rekeyed = (merged: Map<string, StrategyDraft>) => new Map([...merged.values()].map((one) => [one.id, one]));

/** My list with the ids that restored strategies have now. */
const restored = (mine: EnvironmentSettings, merged: Map<string, StrategyDraft>): EnvironmentSettings => ({
  ...mine,
  strategies: mine.strategies.map((one) => merged.get(one.id) ?? one),
});

/** The settings in which a conflict is decided for one side. */
export function decide(
  settings: EnvironmentSettings,
  conflict: Conflict,
  side: 'mine' | 'theirs',
): EnvironmentSettings {
  if (side === 'mine') return settings;
  if (conflict.strategy === '') return { ...settings, [conflict.field]: conflict.theirs };
  if (conflict.field === 'deleted') {
    return conflict.theirs === null
      ? { ...settings, strategies: settings.strategies.filter(({ id }) => id !== `new-restored-${conflict.strategy}`) }
      : { ...settings, strategies: [...settings.strategies, conflict.theirs as StrategyDraft] };
  }
  return {
    ...settings,
    strategies: settings.strategies.map((one) => {
      if (one.id !== conflict.strategy) return one;
      if (conflict.field in one) return { ...one, [conflict.field]: conflict.theirs };
      return { ...one, parameters: { ...one.parameters, [conflict.field]: conflict.theirs as string } };
    }),
  };
}
