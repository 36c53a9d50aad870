import type { components } from '../api/schema.d.ts';
import type { EnvironmentSettings, FeatureEnvironment, StrategyDraft } from './model.ts';

type StoredStrategy = components['schemas']['releasePlanMilestoneStrategySchema'];

/** A strategy of a milestone in the form in which strategies are edited. */
export const plannedStrategy = (stored: StoredStrategy): StrategyDraft => ({
  id: stored.id,
  name: stored.strategyName,
  title: stored.title || null,
  disabled: stored.disabled,
  parameters: stored.parameters,
  constraints: stored.constraints,
  segments: stored.segments,
  variants: stored.variants,
});

/** A strategy of a template as the flag gets it: an empty group is replaced with the name of the flag. */
export const strategyForFlag = (strategy: StrategyDraft, feature: string): StrategyDraft =>
  strategy.parameters.groupId === ''
    ? { ...strategy, parameters: { ...strategy.parameters, groupId: feature } }
    : strategy;

export interface WaitingMilestone {
  readonly name: string;
  readonly strategies: readonly StrategyDraft[];
}

/** The milestone that starts when the flag is switched on: the first one of a plan that waits. */
export function waitingMilestone(environment: FeatureEnvironment | undefined): WaitingMilestone | undefined {
  if (!environment || environment.enabled) return undefined;
  const plan = environment.releasePlans[0];
  const first = plan?.milestones[0];
  if (!first || plan.activeMilestoneId !== null) return undefined;
  return { name: first.name, strategies: first.strategies.map(plannedStrategy) };
}

/**
 * The strategies that switching the flag on adds to those of the environment: those of a milestone that waits, and `first` if no strategy would be active.
 * `first` is undefined where the flag is on already, or where it is not known.
 */
export function addedWhenOn(
  { strategies }: EnvironmentSettings,
  waiting: WaitingMilestone | undefined,
  first?: StrategyDraft,
): readonly StrategyDraft[] {
  const ofMilestone = waiting?.strategies ?? [];
  const isActive = [...strategies, ...ofMilestone].some(({ disabled }) => !disabled);
  return isActive || !first ? ofMilestone : [...ofMilestone, first];
}

/** The settings with what switching the flag on adds. */
export const withAdded = (settings: EnvironmentSettings, added: readonly StrategyDraft[]): EnvironmentSettings =>
  added.length === 0 ? settings : { ...settings, strategies: [...settings.strategies, ...added] };

/** The name of the active milestone, if the strategy belongs to it. Such a strategy cannot be deleted alone. */
export function milestoneOf(environment: FeatureEnvironment | undefined, strategyId: string): string | undefined {
  const plan = environment?.releasePlans[0];
  const active = plan?.milestones.find(({ id }) => id === plan.activeMilestoneId);
  return active?.strategies.some(({ id }) => id === strategyId) ? active.name : undefined;
}
