import type { components } from '../api/schema.d.ts';
import type { EnvironmentSettings, FeatureEnvironment, StrategyDraft } from './model.ts';

type StoredStrategy = components['schemas']['releasePlanMilestoneStrategySchema'];

/** A strategy of a milestone in the form in which strategies are edited. */
export const plannedStrategy = (stored: StoredStrategy): StrategyDraft => ({
  ...{ id: stored.id, name: stored.strategyName, title: stored.title || null, disabled: stored.disabled },
  ...{ parameters: stored.parameters, constraints: stored.constraints, segments: stored.segments },
  variants: stored.variants,
});

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

/** The settings as they are when the flag is on: the strategies of the milestone come after those of the environment. */
export const settingsWhenOn = (settings: EnvironmentSettings, waiting: WaitingMilestone | undefined) =>
  waiting ? { ...settings, strategies: [...settings.strategies, ...waiting.strategies] } : settings;

/** The name of the active milestone, if the strategy belongs to it. Such a strategy cannot be deleted alone. */
export function milestoneOf(environment: FeatureEnvironment | undefined, strategyId: string): string | undefined {
  const plan = environment?.releasePlans[0];
  const active = plan?.milestones.find(({ id }) => id === plan.activeMilestoneId);
  return active?.strategies.some(({ id }) => id === strategyId) ? active.name : undefined;
}
