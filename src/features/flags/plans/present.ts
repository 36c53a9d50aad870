import { isoTime } from '../../../base/clock.ts';
import type { Feature, FeatureEnvironment } from '../../../model/feature.ts';
import { progressionDueMs, type ReleasePlan } from '../../../model/release-plan.ts';
import type { Safeguard } from '../../../model/safeguard.ts';
import { presentPlanMilestone } from './present-milestone.ts';

const NO_PLANS: readonly never[] = [];

/** The plans of the flag in the environment: one, or none. */
export function presentPlans(feature: Feature, config: FeatureEnvironment) {
  return config.releasePlan ? [presentPlan(feature, config, config.releasePlan)] : NO_PLANS;
}

/** Contract: Release plan. */
export function presentPlan({ name: featureName }: Feature, config: FeatureEnvironment, plan: ReleasePlan) {
  const { id, name, description, templateId, createdByUserId, createdAt, activeMilestoneId, paused } = plan;
  const dueMs = config.enabled ? progressionDueMs(plan) : undefined;
  return {
    id,
    discriminator: 'plan',
    name,
    description,
    featureName,
    environment: config.environment,
    createdByUserId,
    createdAt,
    releasePlanTemplateId: templateId,
    activeMilestoneId,
    milestones: plan.milestones.map((milestone) => presentPlanMilestone(milestone, id)),
    nextMilestoneAt: dueMs === undefined ? null : isoTime(dueMs),
    pausedAt: paused?.at ?? null,
    pauseReason: paused?.reason ?? null,
    safeguards: plan.safeguards.map(presentSafeguard),
  };
}

export function presentSafeguard({ triggeredAt, triggeredValue, changeRequest, query, ...safeguard }: Safeguard) {
  return {
    ...safeguard,
    query: query ?? null,
    triggeredAt: triggeredAt ?? null,
    triggeredValue: triggeredValue ?? null,
    changeRequest: changeRequest ?? null,
  };
}
