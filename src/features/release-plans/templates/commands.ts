import Type, { type Static, type TObject } from 'typebox';
import { conflict, notFound, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, command, longCommand } from '../../../engine/command.ts';
import type { Limits } from '../../../model/limits.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { Milestone } from '../../../model/release-plan.ts';
import type { Strategy } from '../../../model/strategy.ts';
import type { StateReader } from '../../../state/collections.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { limitRejection } from '../../shared/limit-checks.ts';
import { findProject } from '../../shared/lookup.ts';
import { RELEASE_PLAN_LIMITS } from '../limits.ts';
import {
  MilestoneInput,
  MilestoneStrategyInput,
  newUlid,
  sorted,
  type TemplateContext,
  templateMilestone,
  templateMilestones,
  templateOwner,
  templateStrategy,
} from '../milestones.ts';
import { ReleasePlanTemplate } from './template.ts';

export const TemplateFields = {
  ...writtenFields(ReleasePlanTemplate, 'name', 'description?'),
  milestones: Type.Optional(
    Type.Array(MilestoneInput, { maxItems: RELEASE_PLAN_LIMITS.releaseTemplateMilestones.max }),
  ),
};

/** `project`: missing for the templates of all projects. */
const Place = { project: Type.Optional(NameReference) };
type Place = Static<TObject<typeof Place>>;
const TemplateLocation = { ...Place, templateId: NameReference };
type TemplateLocation = Static<TObject<typeof TemplateLocation>>;
const MilestoneLocation = { ...TemplateLocation, milestoneId: NameReference };
const StrategyLocation = { ...MilestoneLocation, strategyId: NameReference };

/** The template if it belongs to this place: one of another project is reported as missing. */
export function findTemplate(
  reader: StateReader,
  { project, templateId }: TemplateLocation,
): ReleasePlanTemplate | Rejection {
  const problem = project === undefined ? undefined : findProject(reader, project);
  if (problem instanceof Rejection) return problem;
  const template = reader.get('releasePlanTemplates', templateId);
  return template && template.project === project
    ? template
    : notFound(`There is no release template with the id ${templateId}.`);
}

/** The templates of this place that are archived, or those that are not, oldest first. */
export function templatesOf(
  reader: StateReader,
  { project }: Place,
  isArchived: boolean,
): ReleasePlanTemplate[] | Rejection {
  const problem = project === undefined ? undefined : findProject(reader, project);
  if (problem instanceof Rejection) return problem;
  return [...reader.lookup('templatesByProject', project ?? '')]
    .filter(({ archivedAt }) => (archivedAt !== null) === isArchived)
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}

/** The context for the strategies of a template of this project. */
function withOwner(context: CommandContext, project: string | undefined): TemplateContext {
  return { ...context, owner: templateOwner(context.draft.get('projects', project ?? '')) };
}

const placeOf = ({ project }: ReleasePlanTemplate) => (project === undefined ? {} : { project });

function findMilestone({ id, milestones }: ReleasePlanTemplate, milestoneId: string): Milestone | Rejection {
  return (
    milestones.find((milestone) => milestone.id === milestoneId) ??
    notFound(`The release template ${id} has no milestone with the id ${milestoneId}.`)
  );
}

function findStrategy({ id, strategies }: Milestone, strategyId: string): Strategy | Rejection {
  return (
    strategies.find((strategy) => strategy.id === strategyId) ??
    notFound(`The milestone ${id} has no strategy with the id ${strategyId}.`)
  );
}

export const createReleaseTemplate = longCommand({
  name: 'create-release-template',
  input: Type.Object({ ...Place, ...TemplateFields }),
  *decide(context, { project, name, description, milestones: inputs }) {
    const { draft, now, by, emit } = context;
    const missing = project === undefined ? undefined : findProject(draft, project);
    if (missing instanceof Rejection) return missing;
    const milestones = yield* templateMilestones(withOwner(context, project), inputs ?? [], []);
    if (milestones instanceof Rejection) return milestones;
    const template: ReleasePlanTemplate = {
      id: newUlid(context),
      ...(project !== undefined && { project }),
      name,
      description: description ?? null,
      milestones,
      createdByUserId: by.id,
      createdAt: now,
      archivedAt: null,
    };
    const problem = bytesProblem(template, context.limits);
    if (problem) return problem;
    draft.put('releasePlanTemplates', template);
    emit({ ...placeOf(template), type: 'release-plan-template-created', data: template });
    return template;
  },
});

/** Replaces the name and, as far as they are sent, the description and the milestones. */
export const updateReleaseTemplate = longCommand({
  name: 'update-release-template',
  input: Type.Object({ ...TemplateLocation, ...TemplateFields }),
  *decide(context, { project, templateId, name, description, milestones: inputs }) {
    const before = findTemplate(context.draft, { project, templateId });
    if (before instanceof Rejection) return before;
    const milestones = inputs
      ? yield* templateMilestones(withOwner(context, project), inputs, before.milestones)
      : before.milestones;
    if (milestones instanceof Rejection) return milestones;
    return replace(context, before, {
      ...before,
      name,
      description: description === undefined ? before.description : description,
      milestones,
    });
  },
});

export const archiveReleaseTemplate = command({
  name: 'archive-release-template',
  input: Type.Object(TemplateLocation),
  decide({ draft, now, emit }, location) {
    const before = findTemplate(draft, location);
    if (before instanceof Rejection) return before;
    if (before.archivedAt !== null) return conflict(`The release template ${before.name} is archived already.`);
    const after = { ...before, archivedAt: now };
    draft.put('releasePlanTemplates', after);
    emit({ ...placeOf(after), type: 'release-plan-template-archived', data: after, preData: before });
    return after;
  },
});

/** Plans that were made of the template stay. */
export const deleteReleaseTemplate = command({
  name: 'delete-release-template',
  input: Type.Object(TemplateLocation),
  decide(context, location) {
    const template = findTemplate(context.draft, location);
    if (template instanceof Rejection) return template;
    remove(context, template);
    return undefined;
  },
});

/** Deletes the templates of a project that is deleted. */
export function* removeTemplatesOf(context: CommandContext, project: string): Steps<void> {
  for (const template of [...context.draft.lookup('templatesByProject', project)]) {
    remove(context, template);
    yield;
  }
}

function remove({ draft, emit }: CommandContext, template: ReleasePlanTemplate): void {
  draft.remove('releasePlanTemplates', template.id);
  emit({ ...placeOf(template), type: 'release-plan-template-deleted', preData: template });
}

/** Adds a milestone at the end, unless a sort order is specified. */
export const addTemplateMilestone = longCommand({
  name: 'add-template-milestone',
  input: Type.Object({ ...TemplateLocation, milestone: MilestoneInput }),
  *decide(context, { milestone: input, ...location }) {
    const before = findTemplate(context.draft, location);
    if (before instanceof Rejection) return before;
    const count = before.milestones.length + 1;
    if (count > context.limits.releaseTemplateMilestones)
      return limitRejection(`The release template ${before.name}`, 'releaseTemplateMilestones', count, context.limits);
    const milestone = yield* templateMilestone(withOwner(context, before.project), input, {
      sortOrder: after(before.milestones),
    });
    return milestone instanceof Rejection
      ? milestone
      : putMilestone(context, before, milestone, [...before.milestones, milestone]);
  },
});

/** Replaces the name and, as far as they are sent, the sort order, the strategies and the condition of a milestone. */
export const updateTemplateMilestone = longCommand({
  name: 'update-template-milestone',
  input: Type.Object({ ...MilestoneLocation, milestone: MilestoneInput }),
  *decide(context, { milestone: input, ...location }) {
    const found = findInTemplate(context.draft, location);
    if (found instanceof Rejection) return found;
    const { template, milestone: before } = found;
    const milestone = yield* templateMilestone(withOwner(context, template.project), input, {
      sortOrder: before.sortOrder,
      before,
    });
    return milestone instanceof Rejection ? milestone : putMilestone(context, template, milestone);
  },
});

export const removeTemplateMilestone = command({
  name: 'remove-template-milestone',
  input: Type.Object(MilestoneLocation),
  decide(context, location) {
    const found = findInTemplate(context.draft, location);
    if (found instanceof Rejection) return found;
    const { template, milestone } = found;
    const outcome = putMilestone(
      context,
      template,
      milestone,
      template.milestones.filter((other) => other !== milestone),
    );
    return outcome instanceof Rejection ? outcome : undefined;
  },
});

/** Adds a strategy at the end of a milestone, unless a sort order is specified. */
export const addTemplateStrategy = longCommand({
  name: 'add-template-strategy',
  input: Type.Object({ ...MilestoneLocation, strategy: MilestoneStrategyInput }),
  *decide(context, { strategy: input, ...location }) {
    const { limits } = context;
    const found = findInTemplate(context.draft, location);
    if (found instanceof Rejection) return found;
    const { milestone } = found;
    const count = milestone.strategies.length + 1;
    if (count > limits.milestoneStrategies)
      return limitRejection(`The milestone ${milestone.name}`, 'milestoneStrategies', count, limits);
    const at = { id: newUlid(context), sortOrder: after(milestone.strategies) };
    const strategy = yield* templateStrategy(withOwner(context, found.template.project), input, at);
    if (strategy instanceof Rejection) return strategy;
    return putStrategies(context, found, strategy, [...milestone.strategies, strategy]);
  },
});

/** Changes the specified properties of a strategy. */
export const updateTemplateStrategy = longCommand({
  name: 'update-template-strategy',
  input: Type.Object({ ...StrategyLocation, changes: Type.Partial(MilestoneStrategyInput) }),
  *decide(context, { strategyId, changes, ...location }) {
    const found = findInTemplate(context.draft, location);
    if (found instanceof Rejection) return found;
    const before = findStrategy(found.milestone, strategyId);
    if (before instanceof Rejection) return before;
    const at = { id: before.id, sortOrder: before.sortOrder, before };
    const strategy = yield* templateStrategy(withOwner(context, found.template.project), changes, at);
    if (strategy instanceof Rejection) return strategy;
    const strategies = found.milestone.strategies.map((one) => (one === before ? strategy : one));
    return putStrategies(context, found, strategy, strategies);
  },
});

export const removeTemplateStrategy = command({
  name: 'remove-template-strategy',
  input: Type.Object(StrategyLocation),
  decide(context, { strategyId, ...location }) {
    const found = findInTemplate(context.draft, location);
    if (found instanceof Rejection) return found;
    const strategy = findStrategy(found.milestone, strategyId);
    if (strategy instanceof Rejection) return strategy;
    const strategies = found.milestone.strategies.filter((one) => one !== strategy);
    const outcome = putStrategies(context, found, strategy, strategies);
    return outcome instanceof Rejection ? outcome : undefined;
  },
});

interface FoundMilestone {
  readonly template: ReleasePlanTemplate;
  readonly milestone: Milestone;
}

function findInTemplate(
  reader: StateReader,
  { milestoneId, ...location }: TemplateLocation & { readonly milestoneId: string },
): FoundMilestone | Rejection {
  const template = findTemplate(reader, location);
  if (template instanceof Rejection) return template;
  const milestone = findMilestone(template, milestoneId);
  return milestone instanceof Rejection ? milestone : { template, milestone };
}

/** The sort order after the last item. */
function after(items: readonly { readonly sortOrder: number }[]): number {
  return items.reduce((highest, { sortOrder }) => Math.max(highest, Math.floor(sortOrder)), -1) + 1;
}

function putMilestone(
  context: CommandContext,
  template: ReleasePlanTemplate,
  milestone: Milestone,
  milestones: readonly Milestone[] = template.milestones.map((one) => (one.id === milestone.id ? milestone : one)),
): Milestone | Rejection {
  const outcome = replace(context, template, { ...template, milestones: sorted(milestones) });
  return outcome instanceof Rejection ? outcome : milestone;
}

function putStrategies(
  context: CommandContext,
  { template, milestone }: FoundMilestone,
  strategy: Strategy,
  strategies: readonly Strategy[],
): (FoundMilestone & { readonly strategy: Strategy }) | Rejection {
  const outcome = putMilestone(context, template, { ...milestone, strategies: sorted(strategies) });
  return outcome instanceof Rejection ? outcome : { template, milestone, strategy };
}

function replace(
  { draft, emit, limits }: CommandContext,
  before: ReleasePlanTemplate,
  template: ReleasePlanTemplate,
): ReleasePlanTemplate | Rejection {
  const problem = bytesProblem(template, limits);
  if (problem) return problem;
  draft.put('releasePlanTemplates', template);
  emit({ ...placeOf(template), type: 'release-plan-template-updated', data: template, preData: before });
  return template;
}

function bytesProblem(template: ReleasePlanTemplate, limits: Limits): Rejection | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(template));
  if (bytes <= limits.releaseTemplateBytes) return undefined;
  return limitRejection(`The release template ${template.name}`, 'releaseTemplateBytes', bytes, limits);
}
