import Type, { type Static } from 'typebox';
import { conflict, invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command, longCommand } from '../../../engine/command.ts';
import { NameReference } from '../../../model/primitives.ts';
import {
  activeMilestone,
  type PlanMilestone,
  type ReleasePlan,
  TransitionCondition,
  withStrategies,
} from '../../../model/release-plan.ts';
import { type Strategy, StrategyInput } from '../../../model/strategy.ts';
import type { StateReader } from '../../../state/collections.ts';
import { FeatureLocation, findFeatureLocation, withEnvironment } from '../../flags/environments/settings.ts';
import {
  auditedPlan,
  locationOf,
  ownStrategies,
  type PlannedLocation,
  putPlan,
  startMilestone as start,
  switchOffWithoutStrategies,
} from '../../flags/plans/starting.ts';
import { contentOf } from '../../flags/strategies/commands.ts';
import { validateStrategy } from '../../flags/strategies/validate.ts';
import { findProject } from '../../shared/lookup.ts';
import { incompleteProblem, newUlid, planMilestones } from '../milestones.ts';
import { templateVersion } from '../templates/template.ts';

const PlanLocation = { ...FeatureLocation.properties, planId: NameReference };
const PlanLocationInput = Type.Object(PlanLocation);
type PlanLocationInput = Static<typeof PlanLocationInput>;

export const PauseReason = Type.String({ maxLength: 500, description: 'Why the plan is paused' });

/** Finds the plan of a flag in an environment. */
export function findPlan(
  reader: StateReader,
  { planId, ...location }: PlanLocationInput,
  archived: 'active' | 'any' = 'active',
): PlannedLocation | Rejection {
  const found = findFeatureLocation(reader, location, archived);
  if (found instanceof Rejection) return found;
  const plan = found.config.releasePlan;
  return plan?.id === planId ? { ...found, plan } : missing(location, `release plan with the id ${planId}`);
}

function missing({ featureName, environment }: FeatureLocation, what: string): Rejection {
  return notFound(`The feature ${featureName} has no ${what} in the environment ${environment}.`);
}

/** Finds the only plan of a flag in an environment. */
function findOnlyPlan(reader: StateReader, location: FeatureLocation): PlannedLocation | Rejection {
  const found = findFeatureLocation(reader, location);
  if (found instanceof Rejection) return found;
  const plan = found.config.releasePlan;
  return plan ? { ...found, plan } : missing(location, 'release plan');
}

function findMilestone({ plan }: PlannedLocation, milestoneId: string): PlanMilestone | Rejection {
  return (
    plan.milestones.find(({ id }) => id === milestoneId) ??
    notFound(`The release plan ${plan.id} has no milestone with the id ${milestoneId}.`)
  );
}

/** Makes a plan of a template for a flag in an environment. If the flag is on there, the first milestone starts. */
export const addReleasePlan = longCommand({
  name: 'add-release-plan',
  input: Type.Object({
    ...FeatureLocation.properties,
    templateId: NameReference,
    templateVersion: Type.Optional(Type.String({ description: '`templateVersion` of the template that was reviewed' })),
  }),
  *decide(context, { templateId, templateVersion: reviewed, ...location }) {
    const { draft, now, by, emit } = context;
    const found = findFeatureLocation(draft, location);
    if (found instanceof Rejection) return found;
    const { feature, config } = found;
    if (config.releasePlan)
      return conflict(
        `The feature ${feature.name} already has a release plan in the environment ${config.environment}.`,
      );
    const template = draft.get('releasePlanTemplates', templateId);
    if (!template || (template.project ?? feature.project) !== feature.project)
      return invalid(`There is no release template with the id ${templateId}.`, '/templateId');
    if (template.archivedAt !== null) return conflict(`The release template ${template.name} is archived.`);
    if (reviewed !== undefined && reviewed !== templateVersion(draft, templateId))
      return conflict(
        `The release template ${template.name} was changed after this plan was requested. Request it again.`,
      );
    const project = findProject(draft, feature.project);
    if (project instanceof Rejection) return project;
    const problem = incompleteProblem(template.name, template.milestones);
    if (problem) return problem;
    const milestones = yield* planMilestones(context, template.milestones, { project, featureName: feature.name });
    if (milestones instanceof Rejection) return milestones;
    const plan: ReleasePlan = {
      id: newUlid(context),
      name: template.name,
      description: template.description,
      templateId,
      createdByUserId: by.id,
      createdAt: now,
      activeMilestoneId: null,
      milestones,
      safeguards: [],
    };
    const added = putPlan(context, { feature, config, plan });
    emit({ ...locationOf(added), type: 'release-plan-added', data: plan });
    const [first] = plan.milestones;
    return config.enabled && first ? start(context, added, first) : added;
  },
});

/** Removes the plan with the strategies of its active milestone. */
export const removeReleasePlan = command({
  name: 'remove-release-plan',
  input: PlanLocationInput,
  decide(context, input) {
    const found = findPlan(context.draft, input);
    if (found instanceof Rejection) return found;
    const { feature, config, plan } = found;
    const { releasePlan: _plan, ...rest } = { ...config, strategies: ownStrategies(config, plan) };
    const after = withEnvironment(feature, rest);
    context.draft.put('features', after);
    context.emit({ ...locationOf(found), type: 'release-plan-removed', preData: plan });
    switchOffWithoutStrategies(context, { feature: after, config: rest });
    return undefined;
  },
});

export const startMilestone = command({
  name: 'start-milestone',
  input: Type.Object({ ...PlanLocation, milestoneId: NameReference }),
  decide(context, { milestoneId, ...location }) {
    const found = findPlan(context.draft, location);
    if (found instanceof Rejection) return found;
    const milestone = findMilestone(found, milestoneId);
    return milestone instanceof Rejection ? milestone : start(context, found, milestone);
  },
});

/** Which milestone a signal starts: the next one, or the one with this name. A plan that is there already stays as it is. */
export const startMilestoneByName = command({
  name: 'start-milestone-by-name',
  input: Type.Object({ ...FeatureLocation.properties, milestone: Type.Union([Type.String(), Type.Null()]) }),
  decide(context, { milestone: name, ...location }) {
    const found = findOnlyPlan(context.draft, location);
    if (found instanceof Rejection) return found;
    const { plan } = found;
    const at = plan.milestones.findIndex(({ id }) => id === plan.activeMilestoneId);
    const milestone = name === null ? plan.milestones[at + 1] : plan.milestones.find((one) => one.name === name);
    if (!milestone && name !== null) return notFound(`The release plan ${plan.name} has no milestone named ${name}.`);
    if (!milestone || milestone.id === plan.activeMilestoneId) return found;
    if (plan.paused) return conflict(`The release plan ${plan.name} is paused: only a person starts a milestone.`);
    return start(context, found, milestone);
  },
});

/** Pauses the plan: its milestone stays active, and no later one is started without a person. */
export const pauseReleasePlan = command({
  name: 'pause-release-plan',
  input: Type.Object({ ...PlanLocation, reason: Type.Optional(PauseReason) }),
  decide(context, { reason = '', ...location }) {
    const found = findPlan(context.draft, location);
    return found instanceof Rejection ? found : pause(context, found, reason);
  },
});

/** Pauses the only plan of the flag in the environment. */
export const pauseOnlyReleasePlan = command({
  name: 'pause-only-release-plan',
  input: Type.Object({ ...FeatureLocation.properties, reason: PauseReason }),
  decide(context, { reason, ...location }) {
    const found = findOnlyPlan(context.draft, location);
    return found instanceof Rejection ? found : pause(context, found, reason);
  },
});

/** `measured`: what an event shows beside the reason. */
export function pause(
  context: CommandContext,
  found: PlannedLocation,
  reason: string,
  measured: object = {},
): PlannedLocation {
  if (found.plan.paused) return found;
  const paused = { at: context.now, reason };
  const after = putPlan(context, { ...found, plan: { ...found.plan, paused } });
  const data = { ...auditedPlan(found.plan), reason, ...measured };
  context.emit({ ...locationOf(found), type: 'release-plan-paused', data });
  return after;
}

/** Continues a paused plan. The interval of its active milestone and the windows of its safeguards begin again. */
export const resumeReleasePlan = command({
  name: 'resume-release-plan',
  input: PlanLocationInput,
  decide(context, input) {
    const found = findPlan(context.draft, input);
    if (found instanceof Rejection || !found.plan.paused) return found;
    const { paused: _paused, ...plan } = found.plan;
    const after = putPlan(context, {
      ...found,
      plan: { ...plan, countingFrom: context.now, guardedFrom: context.now },
    });
    context.emit({ ...locationOf(found), type: 'release-plan-resumed', data: auditedPlan(plan) });
    return after;
  },
});

const ProgressionLocation = { ...FeatureLocation.properties, milestoneId: NameReference };

/** States after which time the next milestone is started; null: it is not started without a person. */
export const setMilestoneProgression = command({
  name: 'set-milestone-progression',
  input: Type.Object({
    ...ProgressionLocation,
    transitionCondition: Type.Union([TransitionCondition, Type.Null()]),
  }),
  decide(context, { milestoneId, transitionCondition, ...location }) {
    const found = findOnlyPlan(context.draft, location);
    if (found instanceof Rejection) return found;
    const before = findMilestone(found, milestoneId);
    if (before instanceof Rejection) return before;
    const { intervalMinutes: known, ...rest } = before;
    const intervalMinutes = transitionCondition?.intervalMinutes;
    const milestone: PlanMilestone = { ...rest, ...(intervalMinutes !== undefined && { intervalMinutes }) };
    const after = putPlan(context, { ...found, plan: withMilestone(found.plan, milestone) });
    context.emit({
      ...locationOf(found),
      type: 'release-plan-progression-changed',
      data: { ...auditedPlan(found.plan), milestone: before.name, intervalMinutes: intervalMinutes ?? null },
      preData: { intervalMinutes: known ?? null },
    });
    return { ...after, milestone };
  },
});

export const removeMilestoneProgression = command({
  name: 'remove-milestone-progression',
  input: Type.Object(ProgressionLocation),
  decide: (context, input) => setMilestoneProgression.decide(context, { ...input, transitionCondition: null }),
});

/** Changes the specified properties of a strategy of a milestone; if the milestone is active, in the environment too. */
export const updatePlanStrategy = longCommand({
  name: 'update-plan-strategy',
  input: Type.Object({
    ...FeatureLocation.properties,
    strategyId: NameReference,
    changes: Type.Partial(StrategyInput),
  }),
  *decide(context, { strategyId, changes, ...location }) {
    const found = findOnlyPlan(context.draft, location);
    if (found instanceof Rejection) return found;
    const { feature, config, plan } = found;
    const milestone = plan.milestones.find(({ strategies }) => strategies.some(({ id }) => id === strategyId));
    const before = milestone?.strategies.find(({ id }) => id === strategyId);
    if (!milestone || !before) return missing(location, `strategy of a milestone with the id ${strategyId}`);
    const project = findProject(context.draft, feature.project);
    if (project instanceof Rejection) return project;
    const owner = { project, featureName: feature.name };
    const content = yield* validateStrategy(context.draft, owner, contentOf(changes, before), before);
    if (content instanceof Rejection) return content;
    const strategy: Strategy = { id: before.id, ...content, sortOrder: changes.sortOrder ?? before.sortOrder };
    const replaced = (strategies: readonly Strategy[]) =>
      strategies
        .map((one) => (one.id === strategyId ? strategy : one))
        .sort((left, right) => left.sortOrder - right.sortOrder);
    const changed = { ...milestone, strategies: replaced(milestone.strategies) };
    if (changed.strategies.every(({ disabled }) => disabled))
      return conflict(`The milestone ${milestone.name} would have no active strategy.`);
    const planned = { ...config, releasePlan: withMilestone(plan, changed) };
    const isActive = milestone === activeMilestone(plan);
    const settings = isActive ? withStrategies(planned, replaced(config.strategies)) : planned;
    context.draft.put('features', withEnvironment(feature, settings));
    context.emit({ ...locationOf(found), type: 'feature-strategy-update', data: strategy, preData: before });
    return { strategy, milestone };
  },
});

function withMilestone(plan: ReleasePlan, milestone: PlanMilestone): ReleasePlan {
  return { ...plan, milestones: plan.milestones.map((one) => (one.id === milestone.id ? milestone : one)) };
}
