import Type from 'typebox';
import { convertedInSteps } from '../../../base/converted.ts';
import { Rejection } from '../../../base/rejection.ts';
import { arrayAnswer, ok } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import {
  MilestoneStrategySchema,
  milestoneInput,
  SentMilestone,
  SentMilestoneStrategy,
  strategyChanges,
  strategyInput,
  TemplateMilestoneSchema,
} from '../milestone-schemas.ts';
import { presentMilestoneStrategy, presentTemplateMilestone } from '../present-milestone.ts';
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
const MILESTONES = `${PATH}/:templateId/milestones` as const;
const STRATEGIES = `${MILESTONES}/:milestoneId/strategies` as const;
const CREATING = { permission: 'RELEASE_PLAN_TEMPLATE_CREATE' } as const;
const CHANGING = { permission: 'RELEASE_PLAN_TEMPLATE_UPDATE' } as const;
const DELETING = { permission: 'RELEASE_PLAN_TEMPLATE_DELETE' } as const;

/** One at a time, so that a long list does not block the event loop. */
function* presented(templates: readonly ReleasePlanTemplate[]) {
  for (const template of templates) yield presentTemplate(template);
}

const getTemplates = route(`GET ${PATH}`, 'getReleasePlanTemplates', {
  access: { permission: 'READ' },
  summary: 'The release templates: milestones from which release plans of flags are made',
  query: Type.Object({
    archived: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the archived templates are returned, or the others' }),
    ),
  }),
  responses: { 200: { description: 'The templates, oldest first', schema: Type.Array(TemplateSchema) } },
  handle: ({ query: { archived = false } }, { state }) => arrayAnswer(presented(templatesOf(state, archived))),
});

const getTemplate = route(`GET ${PATH}/:templateId`, 'getReleasePlanTemplate', {
  access: { permission: 'READ' },
  summary: 'A release template',
  responses: { 200: { description: 'The template', schema: TemplateSchema } },
  handle({ params: { templateId } }, { state }) {
    const template = findTemplate(state, templateId);
    return template instanceof Rejection ? template : ok(presentTemplate(template));
  },
});

const create = route(`POST ${PATH}`, 'createReleasePlanTemplate', {
  access: CREATING,
  summary: 'Creates a release template',
  body: TemplateBody,
  responses: { 200: { description: 'The template', schema: TemplateSchema } },
  handle: ({ body, caller }, services) =>
    change(services, caller, createReleaseTemplate, templateInput(body), (template) => ok(presentTemplate(template))),
});

const update = route(`PUT ${PATH}/:templateId`, 'updateReleasePlanTemplate', {
  access: CHANGING,
  summary:
    'Replaces the name, the description and the milestones of a release template; plans that were made of it stay',
  body: TemplateBody,
  responses: { 200: { description: 'The template as it is now', schema: TemplateSchema } },
  handle: ({ params: { templateId }, body, caller }, services) =>
    change(services, caller, updateReleaseTemplate, { templateId, ...templateInput(body) }, (template) =>
      ok(presentTemplate(template)),
    ),
});

const remove = route(`DELETE ${PATH}/:templateId`, 'deleteReleasePlanTemplate', {
  access: DELETING,
  summary: 'Deletes a release template; plans that were made of it stay',
  responses: { 200: { description: 'The template was deleted' } },
  handle: ({ params: { templateId }, caller }, services) =>
    change(services, caller, deleteReleaseTemplate, { templateId }),
});

const archive = route(`POST ${PATH}/archive/:templateId`, 'archiveReleasePlanTemplate', {
  access: DELETING,
  summary: 'Archives a release template: no more plans can be made of it',
  responses: { 200: { description: 'The template was archived' } },
  errors: [409],
  handle: ({ params: { templateId }, caller }, services) =>
    change(services, caller, archiveReleaseTemplate, { templateId }),
});

const addMilestone = route(`POST ${MILESTONES}`, 'addMilestoneToReleasePlanTemplate', {
  access: CHANGING,
  summary: 'Adds a milestone to a release template',
  body: SentMilestone,
  responses: { 200: { description: 'The milestone', schema: TemplateMilestoneSchema } },
  handle: ({ params: { templateId }, body, caller }, services) =>
    change(services, caller, addTemplateMilestone, { templateId, milestone: milestoneInput(body) }, (milestone) =>
      ok(presentTemplateMilestone(milestone, templateId)),
    ),
});

const updateMilestone = route(`PUT ${MILESTONES}/:milestoneId`, 'updateReleasePlanTemplateMilestone', {
  access: CHANGING,
  summary: 'Replaces the name and, as far as they are sent, the other properties of a milestone',
  body: SentMilestone,
  responses: { 200: { description: 'The milestone as it is now', schema: TemplateMilestoneSchema } },
  handle({ params: { templateId, milestoneId }, body, caller }, services) {
    const input = { templateId, milestoneId, milestone: milestoneInput(body) };
    return change(services, caller, updateTemplateMilestone, input, (milestone) =>
      ok(presentTemplateMilestone(milestone, templateId)),
    );
  },
});

const removeMilestone = route(`DELETE ${MILESTONES}/:milestoneId`, 'removeReleasePlanTemplateMilestone', {
  access: CHANGING,
  summary: 'Removes a milestone from a release template',
  responses: { 200: { description: 'The milestone was removed' } },
  handle: ({ params: { templateId, milestoneId }, caller }, services) =>
    change(services, caller, removeTemplateMilestone, { templateId, milestoneId }),
});

const addStrategy = route(`POST ${STRATEGIES}`, 'addStrategyToMilestone', {
  access: CHANGING,
  summary: 'Adds a strategy to a milestone of a release template',
  body: SentMilestoneStrategy,
  responses: { 200: { description: 'The strategy', schema: MilestoneStrategySchema } },
  handle({ params: { templateId, milestoneId }, body, caller }, services) {
    const input = { templateId, milestoneId, strategy: strategyInput(body) };
    return change(services, caller, addTemplateStrategy, input, ({ strategy }) =>
      ok(presentMilestoneStrategy(strategy, milestoneId)),
    );
  },
});

const updateStrategy = route(`PUT ${STRATEGIES}/:strategyId`, 'updateMilestoneStrategy', {
  access: CHANGING,
  summary: 'Changes the specified properties of a strategy of a milestone of a release template',
  body: SentMilestoneStrategy,
  responses: { 200: { description: 'The strategy as it is now', schema: MilestoneStrategySchema } },
  handle({ params: { templateId, milestoneId, strategyId }, body, caller }, services) {
    const input = { templateId, milestoneId, strategyId, changes: strategyChanges(body) };
    return change(services, caller, updateTemplateStrategy, input, ({ strategy }) =>
      ok(presentMilestoneStrategy(strategy, milestoneId)),
    );
  },
});

const removeStrategy = route(`DELETE ${STRATEGIES}/:strategyId`, 'removeMilestoneStrategy', {
  access: CHANGING,
  summary: 'Removes a strategy from a milestone of a release template',
  responses: { 200: { description: 'The strategy was removed' } },
  handle: ({ params: { templateId, milestoneId, strategyId }, caller }, services) =>
    change(services, caller, removeTemplateStrategy, { templateId, milestoneId, strategyId }),
});

export const templateEndpoints = [
  getTemplates,
  getTemplate,
  create,
  update,
  remove,
  archive,
  addMilestone,
  updateMilestone,
  removeMilestone,
  addStrategy,
  updateStrategy,
  removeStrategy,
];
