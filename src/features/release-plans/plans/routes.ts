import Type from 'typebox';
import { convertedInSteps } from '../../../base/converted.ts';
import { Rejection } from '../../../base/rejection.ts';
import { arrayAnswer, ok } from '../../../http/answer.ts';
import { nextMilestone, type PlanMilestone, type ReleasePlan } from '../../../model/release-plan.ts';
import { routesOf } from '../../endpoint.ts';
import { findFeatureLocation } from '../../flags/environments/settings.ts';
import { presentPlan, presentPlans, presentSafeguard } from '../../flags/plans/present.ts';
import { presentMilestoneStrategy, presentPlanMilestone } from '../../flags/plans/present-milestone.ts';
import { MilestoneSchema, MilestoneStrategySchema, PlanSchema, SafeguardSchema } from '../../flags/plans/schemas.ts';
import type { PlannedLocation } from '../../flags/plans/starting.ts';
import { withPast } from '../../past/with-past.ts';
import { change } from '../../shared/change.ts';
import { SentMilestoneStrategy, strategyChanges } from '../milestone-schemas.ts';
import { accessAtEnvironment, ENVIRONMENT, type EnvironmentParams, locationOf } from './at-environment.ts';
import {
  addReleasePlan,
  pauseReleasePlan,
  removeMilestoneProgression,
  removeReleasePlan,
  resumeReleasePlan,
  setMilestoneProgression,
  startMilestone,
  updatePlanStrategy,
} from './commands.ts';
import { removeSafeguard, setSafeguard, unnamedPrometheusProblem } from './safeguards.ts';
import { AddPlanBody, PauseBody, ProgressionBody, ProgressionSchema, SafeguardBody } from './schemas.ts';

const route = routesOf('Release templates', { mend: convertedInSteps });

const PLANS = `${ENVIRONMENT}/release-plans` as const;

const planLocationOf = ({ planId, ...params }: EnvironmentParams & { readonly planId: string }) => ({
  ...locationOf(params),
  planId,
});

const planAnswer = ({ feature, config, plan }: PlannedLocation) => ok(presentPlan(feature, config, plan));

/** Unleash has four of the routes at two paths. The earlier path is deprecated. */
const PATHS = [
  { path: PLANS, suffix: '', marks: {} },
  { path: `${ENVIRONMENT}/release_plans`, suffix: 'Deprecated', marks: { deprecated: true } },
] as const;

const listed = PATHS.flatMap(({ path, suffix, marks }) => [
  withPast(
    route(`GET ${path as typeof PLANS}`, `getReleasePlans${suffix}`, {
      ...marks,
      access: accessAtEnvironment('READ'),
      summary: 'The release plans of a flag in one environment: one, or none',
      responses: { 200: { description: 'The plans', schema: Type.Array(PlanSchema) } },
      handle({ params }, { state }) {
        const found = findFeatureLocation(state, locationOf(params), 'any');
        return found instanceof Rejection ? found : arrayAnswer(presentPlans(found.feature, found.config));
      },
    }),
    'flag',
  ),
  route(`POST ${path as typeof PLANS}`, `addReleasePlan${suffix}`, {
    ...marks,
    access: accessAtEnvironment('CREATE_FEATURE_STRATEGY'),
    edits: 'featureEnvironment',
    summary: 'Makes a release plan of a template; if the flag is on in the environment, the first milestone starts',
    body: AddPlanBody,
    responses: { 200: { description: 'The plan', schema: PlanSchema } },
    errors: [409],
    handle: ({ params, body: { templateId }, caller }, services) =>
      change(services, caller, addReleasePlan, { ...locationOf(params), templateId }, planAnswer),
  }),
  route(`DELETE ${path as typeof PLANS}/:planId`, `removeReleasePlan${suffix}`, {
    ...marks,
    access: accessAtEnvironment('DELETE_FEATURE_STRATEGY'),
    edits: 'featureEnvironment',
    summary: 'Removes a release plan with its strategies; a flag that then has no active strategy is switched off',
    responses: { 200: { description: 'The plan was removed' } },
    handle: ({ params, caller }, services) => change(services, caller, removeReleasePlan, planLocationOf(params)),
  }),
  route(`POST ${path as typeof PLANS}/:planId/milestones/:milestoneId/start`, `startMilestone${suffix}`, {
    ...marks,
    access: accessAtEnvironment('UPDATE_FEATURE_STRATEGY'),
    edits: 'featureEnvironment',
    summary: 'Starts a milestone of a release plan: its strategies take the place of those of the milestone before it',
    responses: { 200: { description: 'The milestone', schema: MilestoneSchema } },
    handle({ params, caller }, services) {
      const { milestoneId, ...rest } = params;
      return change(services, caller, startMilestone, { ...planLocationOf(rest), milestoneId }, ({ plan }) => {
        const milestone = plan.milestones.find(({ id }) => id === milestoneId) as PlanMilestone;
        return ok(presentPlanMilestone(milestone, plan.id));
      });
    },
  }),
]);

const pause = route(`POST ${PLANS}/:planId/pause`, 'pauseReleasePlan', {
  access: accessAtEnvironment('UPDATE_FEATURE_STRATEGY'),
  edits: 'featureEnvironment',
  summary: 'Pauses a release plan: its milestone stays active, and no later one is started without a person',
  body: PauseBody,
  bodyOptional: true,
  responses: { 200: { description: 'The plan as it is now', schema: PlanSchema } },
  handle: ({ params, body: { reason }, caller }, services) =>
    change(services, caller, pauseReleasePlan, { ...planLocationOf(params), reason }, planAnswer),
});

const resume = route(`POST ${PLANS}/:planId/resume`, 'resumeReleasePlan', {
  access: accessAtEnvironment('UPDATE_FEATURE_STRATEGY'),
  edits: 'featureEnvironment',
  summary: 'Continues a paused release plan; the time of its active milestone begins again',
  responses: { 200: { description: 'The plan as it is now', schema: PlanSchema } },
  handle: ({ params, caller }, services) =>
    change(services, caller, resumeReleasePlan, planLocationOf(params), planAnswer),
});

function presentProgression(plan: ReleasePlan, { id, intervalMinutes, progressionExecutedAt }: PlanMilestone) {
  const target = nextMilestone({ ...plan, activeMilestoneId: id });
  return {
    sourceMilestone: id,
    targetMilestone: target?.id ?? null,
    transitionCondition: { intervalMinutes },
    executedAt: progressionExecutedAt ?? null,
  };
}

const changeProgression = route(`PUT ${ENVIRONMENT}/progressions/:id`, 'changeMilestoneProgression', {
  access: accessAtEnvironment('UPDATE_FEATURE_STRATEGY'),
  edits: 'featureEnvironment',
  summary: 'States after which time the milestone with this id ends and the next one is started',
  body: ProgressionBody,
  responses: { 200: { description: 'The progression', schema: ProgressionSchema } },
  handle({ params: { id: milestoneId, ...params }, body: { transitionCondition }, caller }, services) {
    const input = { ...locationOf(params), milestoneId, transitionCondition };
    return change(services, caller, setMilestoneProgression, input, ({ plan, milestone }) =>
      ok(presentProgression(plan, milestone)),
    );
  },
});

const deleteProgression = route(`DELETE ${ENVIRONMENT}/progressions/:id`, 'deleteMilestoneProgression', {
  access: accessAtEnvironment('UPDATE_FEATURE_STRATEGY'),
  edits: 'featureEnvironment',
  summary: 'The milestone with this id does not end because of time any more',
  responses: { 200: { description: 'The progression was removed' } },
  handle({ params: { id: milestoneId, ...params }, caller }, services) {
    return change(services, caller, removeMilestoneProgression, { ...locationOf(params), milestoneId });
  },
});

const updateStrategy = route(`PUT ${ENVIRONMENT}/milestone-strategies/:strategyId`, 'updateProjectMilestoneStrategy', {
  access: accessAtEnvironment('UPDATE_FEATURE_STRATEGY'),
  edits: 'featureEnvironment',
  summary: 'Changes the specified properties of a strategy of a milestone of a release plan',
  body: SentMilestoneStrategy,
  responses: { 200: { description: 'The strategy as it is now', schema: MilestoneStrategySchema } },
  errors: [409],
  handle({ params: { strategyId, ...params }, body, caller }, services) {
    const { id: _id, ...changes } = strategyChanges(body);
    const input = { ...locationOf(params), strategyId, changes };
    return change(services, caller, updatePlanStrategy, input, ({ strategy, milestone }) =>
      ok(presentMilestoneStrategy(strategy, milestone.id)),
    );
  },
});

const changeSafeguard = route(`PUT ${PLANS}/:planId/safeguards`, 'changeSafeguard', {
  access: accessAtEnvironment('UPDATE_FEATURE_STRATEGY'),
  edits: 'featureEnvironment',
  summary: 'Adds or replaces a safeguard: a condition on an impact metric or a query that pauses the release plan',
  description: 'A safeguard that switches the flag off also needs the permission UPDATE_FEATURE_ENVIRONMENT.',
  body: SafeguardBody,
  responses: { 200: { description: 'The safeguard', schema: SafeguardSchema } },
  handle({ params, body: { id: safeguardId, ...safeguard }, caller }, services) {
    const problem = unnamedPrometheusProblem(safeguard, services.config);
    if (problem) return problem;
    const input = { ...planLocationOf(params), safeguardId, safeguard };
    return change(services, caller, setSafeguard, input, (stored) => ok(presentSafeguard(stored)));
  },
});

const deleteSafeguard = route(`DELETE ${PLANS}/:planId/safeguards/:safeguardId`, 'deleteSafeguard', {
  access: accessAtEnvironment('UPDATE_FEATURE_STRATEGY'),
  edits: 'featureEnvironment',
  summary: 'Removes a safeguard of a release plan',
  responses: { 200: { description: 'The safeguard was removed' } },
  handle({ params: { safeguardId, ...params }, caller }, services) {
    return change(services, caller, removeSafeguard, { ...planLocationOf(params), safeguardId });
  },
});

export const planEndpoints = [
  ...listed,
  pause,
  resume,
  changeProgression,
  deleteProgression,
  updateStrategy,
  changeSafeguard,
  deleteSafeguard,
];
