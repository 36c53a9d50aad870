import { useQuery } from '@tanstack/react-query';
import { usableTemplatesQuery } from '../../data/release-templates.ts';
import type { FeatureEnvironment } from '../../domain/model.ts';
import type { RequestedChange } from '../../domain/requested.ts';
import { changeTexts } from '../../words/en/change-requests.ts';
import { minutesText } from '../../words/en/flags/release.ts';

/** Names of templates, plans, milestones and metrics, by id. */
export type PlanNames = ReadonlyMap<string, string>;

/** The names that changes of release plans need: of the plan that the flag has, and of the templates if a plan is added. */
export function usePlanNames(
  project: string,
  changes: readonly RequestedChange[],
  now: FeatureEnvironment | undefined,
): PlanNames {
  const isAdded = changes.some(({ action }) => action === 'addReleasePlan');
  const { data: templates = [] } = useQuery({ ...usableTemplatesQuery(project), enabled: isAdded });
  const plans = now?.releasePlans ?? [];
  return new Map([
    ...[...templates, ...plans, ...plans.flatMap(({ milestones }) => milestones)].map(
      ({ id, name }) => [id, name] as const,
    ),
    ...plans.flatMap(({ safeguards }) =>
      safeguards.map(({ id, query, metricName }) => [id, query ?? metricName] as const),
    ),
  ]);
}

/** A change of a release plan; undefined for other changes. */
export function planChangeWords({ action, payload }: RequestedChange, names: PlanNames): string | undefined {
  const { templateId, planId, milestoneId, safeguardId, transitionCondition, safeguard } = (payload ?? {}) as {
    readonly templateId?: string;
    readonly planId?: string;
    readonly milestoneId?: string;
    readonly safeguardId?: string;
    readonly transitionCondition?: { readonly intervalMinutes: number } | null;
    readonly safeguard?: { readonly metricName?: string; readonly query?: string };
  };
  const nameOf = (id: string | undefined) => names.get(id ?? '');
  switch (action) {
    case 'addReleasePlan':
      return changeTexts.planAdded(nameOf(templateId));
    case 'deleteReleasePlan':
      return changeTexts.planRemoved(nameOf(planId));
    case 'startMilestone':
      return changeTexts.milestoneStarted(nameOf(milestoneId));
    case 'changeMilestoneProgression':
    case 'deleteMilestoneProgression':
      return transitionCondition
        ? changeTexts.milestoneTime(nameOf(milestoneId), minutesText(transitionCondition.intervalMinutes))
        : changeTexts.milestoneByHand(nameOf(milestoneId));
    case 'updateMilestoneStrategy':
      return changeTexts.milestoneStrategyChanged;
    case 'changeSafeguard':
      return changeTexts.safeguardSet(safeguard?.query ?? safeguard?.metricName ?? nameOf(safeguardId));
    case 'deleteSafeguard':
      return changeTexts.safeguardRemoved(nameOf(safeguardId));
    default:
      return undefined;
  }
}
