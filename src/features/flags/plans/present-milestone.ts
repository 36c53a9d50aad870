import type { Milestone, PlanMilestone } from '../../../model/release-plan.ts';
import type { Strategy } from '../../../model/strategy.ts';

export function presentMilestoneStrategy({ id, name, sortOrder, ...content }: Strategy, milestoneId: string) {
  return { id, milestoneId, sortOrder, strategyName: name, ...content };
}

/** `ownerId`: id of the template or the plan. */
export function presentTemplateMilestone(
  { id, name, sortOrder, strategies, intervalMinutes }: Milestone,
  ownerId: string,
) {
  return {
    id,
    name,
    sortOrder,
    releasePlanDefinitionId: ownerId,
    strategies: strategies.map((strategy) => presentMilestoneStrategy(strategy, id)),
    transitionCondition: intervalMinutes === undefined ? null : { intervalMinutes },
  };
}

export function presentPlanMilestone(milestone: PlanMilestone, planId: string) {
  const { startedAt = null, progressionExecutedAt = null } = milestone;
  return { ...presentTemplateMilestone(milestone, planId), startedAt, progressionExecutedAt };
}
