import type { CommandContext } from '../../../engine/command.ts';
import { type Feature, type FeatureEnvironment, featureEnvironment } from '../../../model/feature.ts';
import { activeMilestone, type PlanMilestone, planStrategyIds, type ReleasePlan } from '../../../model/release-plan.ts';
import type { Strategy } from '../../../model/strategy.ts';
import { nextSortOrder, switchOff, withEnvironment } from '../environments/settings.ts';

/** A flag with a plan in one environment. */
export interface PlannedLocation {
  readonly feature: Feature;
  readonly config: FeatureEnvironment;
  readonly plan: ReleasePlan;
}

export const locationOf = ({ feature, config }: Omit<PlannedLocation, 'plan'>) => ({
  project: feature.project,
  featureName: feature.name,
  environment: config.environment,
});

/** How audit events name the plan. */
export const auditedPlan = ({ id, name }: ReleasePlan) => ({ id, name });

const auditedMilestone = (milestone: PlanMilestone | undefined) =>
  milestone ? { id: milestone.id, name: milestone.name } : null;

/** The strategies of the environment that do not belong to the plan. */
export function ownStrategies({ strategies }: FeatureEnvironment, plan: ReleasePlan): Strategy[] {
  const planned = planStrategyIds(plan);
  return strategies.filter(({ id }) => !planned.has(id));
}

/**
 * Starts a milestone: its strategies take the place of those of the milestone before it, after the environment's own strategies. `isDue`: because the
 * interval of the milestone before it has passed.
 */
export function startMilestone(
  context: CommandContext,
  { feature, config, plan }: PlannedLocation,
  milestone: PlanMilestone,
  isDue = false,
): PlannedLocation {
  const { draft, now, emit } = context;
  const before = activeMilestone(plan);
  const own = ownStrategies(config, plan);
  const first = nextSortOrder(own);
  const started = milestone.strategies.map((strategy, index) => ({ ...strategy, sortOrder: first + index }));
  const milestones = plan.milestones.map((one): PlanMilestone => {
    if (one === milestone) return { ...one, strategies: started, startedAt: now };
    return one === before && isDue ? { ...one, progressionExecutedAt: now } : one;
  });
  const releasePlan: ReleasePlan = { ...plan, milestones, activeMilestoneId: milestone.id, countingFrom: now };
  const after = putPlan(context, {
    feature,
    config: { ...config, strategies: [...own, ...started] },
    plan: releasePlan,
  });
  emit({
    ...locationOf(after),
    type: 'release-plan-milestone-started',
    data: { ...auditedPlan(plan), milestone: auditedMilestone(milestone), strategies: started, isDue },
    preData: { milestone: auditedMilestone(before) },
  });
  switchOffWithoutStrategies(context, after);
  return { ...after, feature: draft.get('features', feature.name) ?? after.feature };
}

/** Stores the settings with this plan. */
export function putPlan({ draft }: CommandContext, { feature, config, plan }: PlannedLocation): PlannedLocation {
  const planned = { ...config, releasePlan: plan };
  const after = withEnvironment(feature, planned);
  draft.put('features', after);
  return { feature: after, config: planned, plan };
}

/** SDKs treat a flag without strategies as on. */
export function switchOffWithoutStrategies(
  context: CommandContext,
  { feature, config }: Pick<PlannedLocation, 'feature' | 'config'>,
): void {
  if (config.strategies.every(({ disabled }) => disabled)) switchOff(context, { feature, config });
}

/**
 * What switching the flag on does to its plan and its safeguards: a plan that waited starts its first milestone, the interval of an active milestone
 * begins again, and safeguards count anew. The caller switches the flag on.
 */
export function continuePlan(
  context: CommandContext,
  feature: Feature,
  before: FeatureEnvironment,
): Pick<PlannedLocation, 'feature' | 'config'> {
  const config = before.safeguards ? { ...before, guardedFrom: context.now } : before;
  const plan = config.releasePlan;
  if (!plan) return { feature: config === before ? feature : withEnvironment(feature, config), config };
  const [first] = plan.milestones;
  if (plan.activeMilestoneId === null && first) {
    const { feature: started } = startMilestone(context, { feature, config, plan }, first);
    return { feature: started, config: featureEnvironment(started, config.environment) };
  }
  return putPlan(context, { feature, config, plan: { ...plan, countingFrom: context.now } });
}
