import { expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { customRole, give } from '../../access/people.ts';
import { accepted, eventsOf, FORBIDDEN, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { at, DEFAULT, rollout, TEMPLATE } from '../../support/release-plans.ts';
import { startTestService, useService } from '../../support/service.ts';

const service = useService();
const OTHER = { projectId: 'other' };
let names = 0;

const createProject = async () => {
  const id = `project-${++names}`;
  await accepted(service, 'createProject', { body: { id, name: id } });
  return { projectId: id };
};
const create = async (params: { projectId: string }, body: object = TEMPLATE) =>
  (await accepted(service, 'createReleasePlanTemplateOfProject', { params, body })).body;
const idsOf = async (operation: string, params = {}) =>
  (await accepted(service, operation, { params })).body.map(({ id }: { id: string }) => id);

it('templates of a project are listed there only, and no other path reads, changes or deletes them', async () => {
  const project = await createProject();
  const { id: ofAll } = (await accepted(service, 'createReleasePlanTemplate', { body: TEMPLATE })).body;
  const own = await create(project);
  expect(own).toMatchObject({ project: project.projectId, name: 'Careful' });
  expect(await idsOf('getReleasePlanTemplatesOfProject', project)).toEqual([own.id]);
  expect(await idsOf('getReleasePlanTemplatesOfProject', DEFAULT)).toEqual([]);
  expect(await idsOf('getReleasePlanTemplates')).toContain(ofAll);
  expect(await idsOf('getReleasePlanTemplates')).not.toContain(own.id);
  const [milestone] = own.milestones;
  const milestoneId = milestone.id;
  const strategyId = milestone.strategies[0].id;
  const attempts: readonly (readonly [string, object?, object?])[] = [
    ['getReleasePlanTemplate'],
    ['updateReleasePlanTemplate', {}, { name: 'x' }],
    ['deleteReleasePlanTemplate'],
    ['archiveReleasePlanTemplate'],
    ['addMilestoneToReleasePlanTemplate', {}, { name: 'x' }],
    ['updateReleasePlanTemplateMilestone', { milestoneId }, { name: 'x' }],
    ['removeReleasePlanTemplateMilestone', { milestoneId }],
    ['addStrategyToMilestone', { milestoneId }, rollout(5)],
    ['updateMilestoneStrategy', { milestoneId, strategyId }, { title: 'x' }],
    ['removeMilestoneStrategy', { milestoneId, strategyId }],
  ];
  for (const [operation, more = {}, body] of attempts) {
    const params = { templateId: own.id, ...more };
    const sent = body ? { body } : {};
    await refused(service, operation, MISSING, { params, ...sent });
    await refused(service, `${operation}OfProject`, MISSING, { params: { ...DEFAULT, ...params }, ...sent });
    await refused(service, `${operation}OfProject`, MISSING, { params: { ...OTHER, ...params }, ...sent });
    const ofAllParams = { ...project, ...params, templateId: ofAll };
    await refused(service, `${operation}OfProject`, MISSING, { params: ofAllParams, ...sent });
  }
  for (const [operation, more = {}, body] of attempts.filter(
    ([operation]) => !/^(delete|archive|remove)/.test(operation),
  ))
    await accepted(service, `${operation}OfProject`, {
      params: { ...project, templateId: own.id, ...more },
      ...(body && { body }),
    });
  const params = { ...project, templateId: own.id };
  await accepted(service, 'archiveReleasePlanTemplateOfProject', { params });
  expect(await idsOf('getReleasePlanTemplatesOfProject', project)).toEqual([]);
  await accepted(service, 'deleteReleasePlanTemplateOfProject', { params });
});

it('only flags of the project get plans of its templates, which may use its segments', async () => {
  const project = await createProject();
  const { projectId } = project;
  const segmentBody = { name: `of ${projectId}`, project: projectId, constraints: [] };
  const { id: segment } = (await accepted(service, 'createSegment', { body: segmentBody })).body;
  const milestones = [{ name: 'All', strategies: [{ ...rollout(100), segments: [segment] }] }];
  const body = { name: 'Own', milestones };
  await refused(service, 'createReleasePlanTemplate', INVALID, { body });
  await refused(service, 'createReleasePlanTemplateOfProject', INVALID, { params: DEFAULT, body });
  const { id: templateId } = await create(project, body);
  const [own, other] = [`own-${projectId}`, `other-${projectId}`];
  await accepted(service, 'createFeature', { params: project, body: { name: own } });
  await accepted(service, 'createFeature', { params: DEFAULT, body: { name: other } });
  await refused(service, 'addReleasePlan', INVALID, { params: at(other), body: { templateId } });
  const params = { ...at(own), ...project };
  const { body: plan } = await accepted(service, 'addReleasePlan', { params, body: { templateId } });
  expect(plan).toMatchObject({ name: 'Own', milestones: [{ strategies: [{ segments: [segment] }] }] });
});

it('changes need a permission of the project, which gives none for other templates', async () => {
  const project = await createProject();
  const { id: templateId } = await create(project);
  await putUser(service, 61, { rootRole: ROLE_ID.viewer });
  const token = await personalTokenOf(service, 61);
  const body = { name: 'Mine' };
  await refused(service, 'createReleasePlanTemplateOfProject', FORBIDDEN, { params: project, body, token });
  await prepare(service, (draft) => {
    const role = customRole(7, 'custom', [{ name: 'PROJECT_SETTINGS_WRITE' }]);
    draft.put('roles', role);
    give(draft, project.projectId, 'user', 61, [role.id]);
  });
  await accepted(service, 'createReleasePlanTemplateOfProject', { params: project, body, token });
  await accepted(service, 'updateReleasePlanTemplateOfProject', { params: { ...project, templateId }, body, token });
  await refused(service, 'createReleasePlanTemplateOfProject', FORBIDDEN, { params: DEFAULT, body, token });
  await refused(service, 'createReleasePlanTemplate', FORBIDDEN, { body, token });
});

it('they stay while the project is archived, are deleted with it, and their events name it', async () => {
  const project = await createProject();
  const { projectId } = project;
  const events = await eventsOf(service, async () => {
    const { id: templateId } = await create(project);
    await accepted(service, 'archiveProject', { params: project });
    await refused(service, 'getReleasePlanTemplatesOfProject', MISSING, { params: project });
    await refused(service, 'createReleasePlanTemplateOfProject', MISSING, { params: project, body: TEMPLATE });
    await accepted(service, 'reviveProject', { params: project });
    expect(await idsOf('getReleasePlanTemplatesOfProject', project)).toEqual([templateId]);
    await accepted(service, 'deleteProject', { params: project });
    expect(service.running.services.state.get('releasePlanTemplates', templateId)).toBeUndefined();
  });
  const ofTemplates = events.filter(({ type }) => type.startsWith('release-plan-template-'));
  expect(ofTemplates.map(({ type, project: of }) => [type, of])).toEqual([
    ['release-plan-template-created', projectId],
    ['release-plan-template-deleted', projectId],
  ]);
});

it('they count against the limit of release templates', async () => {
  const limited = await startTestService({ env: { UNLEASH_RELEASE_TEMPLATES_LIMIT: '2' } });
  try {
    const body = { name: 'One' };
    await accepted(limited, 'createReleasePlanTemplate', { body });
    await accepted(limited, 'createReleasePlanTemplateOfProject', { params: DEFAULT, body });
    const more = { params: DEFAULT, body };
    const answer = await refused(limited, 'createReleasePlanTemplateOfProject', INVALID, more);
    expect(answer.body.message).toContain('UNLEASH_RELEASE_TEMPLATES_LIMIT');
  } finally {
    await limited.close();
  }
});
