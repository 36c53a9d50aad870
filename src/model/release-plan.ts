import Type from 'typebox';
import type { EntityOf } from './entity.ts';
import { NAME_LENGTH_MAX } from './primitives.ts';
import { reviewedSafeguards, type Safeguard } from './safeguard.ts';
import { Strategy } from './strategy.ts';

/** Limits of release plans that schemas state. */
const PLAN_BOUNDS = {
  progressionMinutes: 525_600,
} as const;

/** The id of a template, a plan, a milestone or a strategy of a milestone: an ULID. */
const Ulid = Type.String({ maxLength: 36 });

/** How long a milestone stays before the next one is started. */
export const TransitionCondition = Type.Object(
  {
    intervalMinutes: Type.Integer({
      minimum: 1,
      maximum: PLAN_BOUNDS.progressionMinutes,
      description: 'Minutes after the start of the milestone at which the next milestone is started',
    }),
  },
  { $id: 'transitionCondition', description: 'When the next milestone is started without a person' },
);

/** One stage of a release: strategies that are in use together. */
export const Milestone = Type.Object({
  id: Ulid,
  name: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern: '\\S', description: 'Name of the milestone' }),
  sortOrder: Type.Integer(),
  /** In a plan, the strategies of the active milestone are those that the environment has: `withStrategies`. */
  strategies: Type.Array(Strategy),
  /** Missing: people, signals or change requests start the next milestone. */
  intervalMinutes: Type.Optional(TransitionCondition.properties.intervalMinutes),
});
export interface Milestone extends Omit<EntityOf<typeof Milestone>, 'strategies'> {
  readonly strategies: readonly Strategy[];
}

/** A milestone of a plan. */
export interface PlanMilestone extends Milestone {
  /** When it was last started. Missing if it never was. */
  readonly startedAt?: string;
  /** When it last ended because its interval had passed. */
  readonly progressionExecutedAt?: string;
}

/** The milestones through which a flag is released in one environment. It belongs to the settings of the flag in that environment. */
export interface ReleasePlan {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** The template that it was made from. The template may have been changed or deleted since. */
  readonly templateId: string;
  readonly createdByUserId: number;
  readonly createdAt: string;
  /** Null until the first milestone is started. */
  readonly activeMilestoneId: string | null;
  /** In the order in which they are started. */
  readonly milestones: readonly PlanMilestone[];
  readonly safeguards: readonly Safeguard[];
  /** The interval of the active milestone began then: its start, the end of a pause, or when the flag was last switched on. */
  readonly countingFrom?: string;
  /** When the plan was last continued after a pause. Safeguards use no samples from before it. Missing if it was never paused. */
  readonly guardedFrom?: string;
  /** Missing if the plan is not paused. No milestone is started without a person while it is. */
  readonly paused?: { readonly at: string; readonly reason: string };
}

export function activeMilestone({ milestones, activeMilestoneId }: ReleasePlan): PlanMilestone | undefined {
  return milestones.find(({ id }) => id === activeMilestoneId);
}

/** The milestone after the active one; the first one if none is active. */
export function nextMilestone({ milestones, activeMilestoneId }: ReleasePlan): PlanMilestone | undefined {
  return milestones[milestones.findIndex(({ id }) => id === activeMilestoneId) + 1];
}

/** When the next milestone is to be started without a person, in a flag that is on; undefined if it is not. */
export function progressionDueMs(plan: ReleasePlan): number | undefined {
  const active = plan.paused ? undefined : activeMilestone(plan);
  if (active?.intervalMinutes === undefined || plan.countingFrom === undefined || !nextMilestone(plan))
    return undefined;
  return Date.parse(plan.countingFrom) + active.intervalMinutes * 60_000;
}

/** Whether the service must look after the plan: to start its next milestone, or to check its safeguards. */
export function isWatched(plan: ReleasePlan): boolean {
  return progressionDueMs(plan) !== undefined || (!plan.paused && plan.safeguards.length > 0);
}

/** The ids of the strategies of all milestones. */
export function planStrategyIds({ milestones }: ReleasePlan): ReadonlySet<string> {
  return new Set(milestones.flatMap(({ strategies }) => strategies.map(({ id }) => id)));
}

/** The settings of a flag in an environment, as far as a plan concerns them. */
interface Settings {
  readonly strategies: readonly Strategy[];
  readonly releasePlan?: ReleasePlan;
}

/** The strategies of the environment and those that milestones may put there later. */
export function usableStrategies({ strategies, releasePlan }: Settings): readonly Strategy[] {
  if (!releasePlan) return strategies;
  const { milestones, activeMilestoneId } = releasePlan;
  const later = milestones.flatMap((milestone) => (milestone.id === activeMilestoneId ? [] : milestone.strategies));
  return [...strategies, ...later];
}

/**
 * The settings with other strategies. Strategies of the active milestone are changed in the plan too. If one of them is missing, something else has
 * replaced the strategies of the environment: then the plan ends, and the strategies stay as they are.
 */
export function withStrategies<S extends Settings>(config: S, strategies: readonly Strategy[]): S {
  const { releasePlan, ...rest } = config;
  if (!releasePlan) return { ...config, strategies };
  const active = activeMilestone(releasePlan);
  if (!active) return { ...config, strategies };
  const byId = new Map(strategies.map((strategy) => [strategy.id, strategy]));
  const current = active.strategies.flatMap(({ id }) => byId.get(id) ?? []);
  if (current.length < active.strategies.length) return { ...rest, strategies } as unknown as S;
  const milestones = releasePlan.milestones.map((one) => (one === active ? { ...one, strategies: current } : one));
  return { ...config, strategies, releasePlan: { ...releasePlan, milestones } };
}

/** What a review of the plan covers: which strategies it puts in use, when, and what stops it. */
export function reviewedPlan(plan: ReleasePlan | undefined): unknown {
  if (!plan) return null;
  const { id, milestones, safeguards, activeMilestoneId } = plan;
  return {
    id,
    activeMilestoneId,
    milestones: milestones.map(({ strategies, intervalMinutes }) => ({ strategies, intervalMinutes })),
    safeguards: reviewedSafeguards(safeguards),
  };
}
