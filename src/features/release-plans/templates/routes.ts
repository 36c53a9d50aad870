import Type from 'typebox';
import { convertedInSteps } from '../../../base/converted.ts';
import { Rejection } from '../../../base/rejection.ts';
import { arrayAnswer, ok } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { presentMilestoneStrategy, presentTemplateMilestone } from '../../flags/plans/present-milestone.ts';
import { MilestoneStrategySchema, TemplateMilestoneSchema } from '../../flags/plans/schemas.ts';
import { change } from '../../shared/change.ts';
import {
  milestoneInput,
  SentMilestone,
  SentMilestoneStrategy,
  strategyChanges,
  strategyInput,
} from '../milestone-schemas.ts';
import {
  addTemplateMilestone,
  addTemplateStrategy,
  archiveReleaseTemplate,
  createReleaseTemplate,
  deleteReleaseTemplate,
  findTemplate,
  removeTemplateMilestone,
  removeTemplateStrategy,
  templatesOf,
  updateReleaseTemplate,
  updateTemplateMilestone,
  updateTemplateStrategy,
} from './commands.ts';
import { presentTemplate, TemplateBody, TemplateSchema, templateInput } from './schemas.ts';
import type { ReleasePlanTemplate } from './template.ts';

const route = routesOf('Release templates', { mend: convertedInSteps });

const PATH = '/api/admin/release-plan-templates';
const OF_PROJECT = '/api/admin/projects/:projectId/release-plan-templates';
const MAY_CHANGE_PROJECT = ['UPDATE_PROJECT', 'PROJECT_SETTINGS_WRITE'] as const;

/** The templates of all projects, and those of one: the same operations at two paths. */
const PLACES = [
  {
    path: PATH,
    suffix: '',
    marks: {},
    reading: { permission: 'READ' },
    creating: { permission: 'RELEASE_PLAN_TEMPLATE_CREATE' },
    changing: { permission: 'RELEASE_PLAN_TEMPLATE_UPDATE' },
    deleting: { permission: 'RELEASE_PLAN_TEMPLATE_DELETE' },
  },
  {
    path: OF_PROJECT,
    suffix: 'OfProject',
    marks: { description: 'Of the templates of a project, only its flags can have plans.' },
    reading: { permission: 'READ', project: 'path.projectId' },
    creating: { permission: MAY_CHANGE_PROJECT, project: 'path.projectId' },
    changing: { permission: MAY_CHANGE_PROJECT, project: 'path.projectId' },
    deleting: { permission: MAY_CHANGE_PROJECT, project: 'path.projectId' },
  },
] as const;
type Place = (typeof PLACES)[number];

const placeOf = (params: object): { readonly project?: string } => {
  const { projectId: project } = params as { readonly projectId?: string };
  return project === undefined ? {} : { project };
};

const milestoneOf = (params: { readonly templateId: string; readonly milestoneId: string }) => ({
  ...placeOf(params),
  templateId: params.templateId,
  milestoneId: params.milestoneId,
});

/** One at a time, so that a long list does not block the event loop. */
function* presented(templates: readonly ReleasePlanTemplate[]) {
  for (const template of templates) yield presentTemplate(template);
}

/** What reads templates. */
function readingRoutes(place: Place) {
  const { suffix, marks, reading } = place;
  const path = place.path as typeof OF_PROJECT;
  const getTemplates = route(`GET ${path}`, `getReleasePlanTemplates${suffix}`, {
    ...marks,
    access: reading,
    summary: 'The release templates: milestones from which release plans of flags are made',
    query: Type.Object({
      archived: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether the archived templates are returned, or the others' }),
      ),
    }),
    responses: { 200: { description: 'The templates, oldest first', schema: Type.Array(TemplateSchema) } },
    handle({ params, query: { archived = false } }, { state }) {
      const templates = templatesOf(state, placeOf(params), archived);
      return templates instanceof Rejection ? templates : arrayAnswer(presented(templates));
    },
  });

  const getTemplate = route(`GET ${path}/:templateId`, `getReleasePlanTemplate${suffix}`, {
    ...marks,
    access: reading,
    summary: 'A release template',
    responses: { 200: { description: 'The template', schema: TemplateSchema } },
    handle({ params }, { state }) {
      const template = findTemplate(state, { ...placeOf(params), templateId: params.templateId });
      return template instanceof Rejection ? template : ok(presentTemplate(template));
    },
  });
  return [getTemplates, getTemplate];
}

/** What changes whole templates. */
function templateRoutes(place: Place) {
  const { suffix, marks, creating, changing, deleting } = place;
  const path = place.path as typeof OF_PROJECT;
  const create = route(`POST ${path}`, `createReleasePlanTemplate${suffix}`, {
    ...marks,
    access: creating,
    summary: 'Creates a release template',
    body: TemplateBody,
    responses: { 200: { description: 'The template', schema: TemplateSchema } },
    handle({ params, body, caller }, services) {
      const input = { ...placeOf(params), ...templateInput(body) };
      return change(services, caller, createReleaseTemplate, input, (template) => ok(presentTemplate(template)));
    },
  });

  const update = route(`PUT ${path}/:templateId`, `updateReleasePlanTemplate${suffix}`, {
    ...marks,
    access: changing,
    summary:
      'Replaces the name, the description and the milestones of a release template; plans that were made of it stay',
    body: TemplateBody,
    responses: { 200: { description: 'The template as it is now', schema: TemplateSchema } },
    handle: ({ params, body, caller }, services) =>
      change(
        services,
        caller,
        updateReleaseTemplate,
        { ...placeOf(params), templateId: params.templateId, ...templateInput(body) },
        (template) => ok(presentTemplate(template)),
      ),
  });

  const remove = route(`DELETE ${path}/:templateId`, `deleteReleasePlanTemplate${suffix}`, {
    ...marks,
    access: deleting,
    summary: 'Deletes a release template; plans that were made of it stay',
    responses: { 200: { description: 'The template was deleted' } },
    handle: ({ params, caller }, services) =>
      change(services, caller, deleteReleaseTemplate, { ...placeOf(params), templateId: params.templateId }),
  });

  const archive = route(`POST ${path}/archive/:templateId`, `archiveReleasePlanTemplate${suffix}`, {
    ...marks,
    access: deleting,
    summary: 'Archives a release template: no more plans can be made of it',
    responses: { 200: { description: 'The template was archived' } },
    errors: [409],
    handle: ({ params, caller }, services) =>
      change(services, caller, archiveReleaseTemplate, { ...placeOf(params), templateId: params.templateId }),
  });
  return [create, update, remove, archive];
}

/** The milestones of a template. */
function milestoneRoutes(place: Place) {
  const { suffix, marks, changing } = place;
  const path = place.path as typeof OF_PROJECT;
  const milestones = `${path}/:templateId/milestones` as const;
  const addMilestone = route(`POST ${milestones}`, `addMilestoneToReleasePlanTemplate${suffix}`, {
    ...marks,
    access: changing,
    summary: 'Adds a milestone to a release template',
    body: SentMilestone,
    responses: { 200: { description: 'The milestone', schema: TemplateMilestoneSchema } },
    handle: ({ params, body, caller }, services) =>
      change(
        services,
        caller,
        addTemplateMilestone,
        { ...placeOf(params), templateId: params.templateId, milestone: milestoneInput(body) },
        (milestone) => ok(presentTemplateMilestone(milestone, params.templateId)),
      ),
  });

  const updateMilestone = route(`PUT ${milestones}/:milestoneId`, `updateReleasePlanTemplateMilestone${suffix}`, {
    ...marks,
    access: changing,
    summary: 'Replaces the name and, as far as they are sent, the other properties of a milestone',
    body: SentMilestone,
    responses: { 200: { description: 'The milestone as it is now', schema: TemplateMilestoneSchema } },
    handle({ params, body, caller }, services) {
      const input = { ...milestoneOf(params), milestone: milestoneInput(body) };
      return change(services, caller, updateTemplateMilestone, input, (milestone) =>
        ok(presentTemplateMilestone(milestone, params.templateId)),
      );
    },
  });

  const removeMilestone = route(`DELETE ${milestones}/:milestoneId`, `removeReleasePlanTemplateMilestone${suffix}`, {
    ...marks,
    access: changing,
    summary: 'Removes a milestone from a release template',
    responses: { 200: { description: 'The milestone was removed' } },
    handle: ({ params, caller }, services) =>
      change(services, caller, removeTemplateMilestone, { ...milestoneOf(params) }),
  });
  return [addMilestone, updateMilestone, removeMilestone];
}

/** The strategies of a milestone. */
function strategyRoutes(place: Place) {
  const { suffix, marks, changing } = place;
  const path = place.path as typeof OF_PROJECT;
  const strategies = `${path}/:templateId/milestones/:milestoneId/strategies` as const;
  const addStrategy = route(`POST ${strategies}`, `addStrategyToMilestone${suffix}`, {
    ...marks,
    access: changing,
    summary: 'Adds a strategy to a milestone of a release template',
    body: SentMilestoneStrategy,
    responses: { 200: { description: 'The strategy', schema: MilestoneStrategySchema } },
    handle({ params, body, caller }, services) {
      const input = { ...milestoneOf(params), strategy: strategyInput(body) };
      return change(services, caller, addTemplateStrategy, input, ({ strategy }) =>
        ok(presentMilestoneStrategy(strategy, params.milestoneId)),
      );
    },
  });

  const updateStrategy = route(`PUT ${strategies}/:strategyId`, `updateMilestoneStrategy${suffix}`, {
    ...marks,
    access: changing,
    summary: 'Changes the specified properties of a strategy of a milestone of a release template',
    body: SentMilestoneStrategy,
    responses: { 200: { description: 'The strategy as it is now', schema: MilestoneStrategySchema } },
    handle({ params, body, caller }, services) {
      const input = { ...milestoneOf(params), strategyId: params.strategyId, changes: strategyChanges(body) };
      return change(services, caller, updateTemplateStrategy, input, ({ strategy }) =>
        ok(presentMilestoneStrategy(strategy, params.milestoneId)),
      );
    },
  });

  const removeStrategy = route(`DELETE ${strategies}/:strategyId`, `removeMilestoneStrategy${suffix}`, {
    ...marks,
    access: changing,
    summary: 'Removes a strategy from a milestone of a release template',
    responses: { 200: { description: 'The strategy was removed' } },
    handle: ({ params, caller }, services) =>
      change(services, caller, removeTemplateStrategy, { ...milestoneOf(params), strategyId: params.strategyId }),
  });
  return [addStrategy, updateStrategy, removeStrategy];
}

export const templateEndpoints = PLACES.flatMap((place) => [
  ...readingRoutes(place),
  ...templateRoutes(place),
  ...milestoneRoutes(place),
  ...strategyRoutes(place),
]);
