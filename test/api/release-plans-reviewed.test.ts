import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../src/model/role.ts';
import { give } from '../access/people.ts';
import { accepted, CONFLICT, FORBIDDEN, prepare, refused } from '../support/admin.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../support/people.ts';
import { startTestService, type TestService } from '../support/service.ts';

const DEFAULT = { projectId: 'default' };
const IN_PRODUCTION = { ...DEFAULT, environment: 'production' };

let service: TestService;
let author: string;
let reviewer: string;

beforeAll(async () => {
  service = await startTestService({ clock: new ManualClock() });
  for (const id of [31, 32]) {
    await putUser(service, id, { rootRole: ROLE_ID.viewer });
    await prepare(service, (draft) => give(draft, 'default', 'user', id, [ROLE_ID.member]));
  }
  [author, reviewer] = [await personalTokenOf(service, 31), await personalTokenOf(service, 32)];
  const body = { changeRequestsEnabled: true, requiredApprovals: 1 };
  await accepted(service, 'updateProjectChangeRequestConfig', { params: IN_PRODUCTION, body });
});

afterAll(() => service.close());

const rollout = (percent: number) => ({
  ...{ strategyName: 'flexibleRollout', parameters: { rollout: percent, stickiness: 'default' } },
});
const at = (featureName: string, environment = 'production') => ({ ...DEFAULT, featureName, environment });
const createTemplate = async (...strategies: object[]): Promise<string> => {
  const milestones = strategies.map((strategy, index) => ({ name: `m${index}`, strategies: [strategy] }));
  const { body } = await accepted(service, 'createReleasePlanTemplate', { body: { name: 'Careful', milestones } });
  return body.id;
};
const settingsOf = async (name: string, environment?: string) =>
  (await accepted(service, 'getFeatureEnvironment', { params: at(name, environment) })).body;

let names = 0;

async function newFlag(): Promise<string> {
  const name = `reviewed-${++names}`;
  await accepted(service, 'createFeature', { params: DEFAULT, body: { name } });
  return name;
}

const move = (id: number, token: string, state: string) => ({ params: { ...DEFAULT, id }, body: { state }, token });

/** Requests the changes of the flag and has them approved. */
async function approved(feature: string, ...changes: object[]): Promise<number> {
  const body = changes.map((change) => ({ feature, ...change }));
  const request = await accepted(service, 'createChangeRequest', { params: IN_PRODUCTION, body, token: author });
  const { id } = [request.body].flat()[0];
  await accepted(service, 'changeChangeRequestState', move(id, author, 'In review'));
  await accepted(service, 'changeChangeRequestState', move(id, reviewer, 'Approved'));
  return id;
}

async function applied(feature: string, ...changes: object[]): Promise<void> {
  const id = await approved(feature, ...changes);
  await accepted(service, 'changeChangeRequestState', move(id, reviewer, 'Applied'));
}

const SWITCHED_ON = { action: 'updateEnabled', payload: { enabled: true } };

describe('a reviewed release plan', () => {
  it('is not made of a template that was changed after the plan was requested', async () => {
    const [name, templateId] = [await newFlag(), await createTemplate(rollout(10), rollout(20))];
    const id = await approved(name, { action: 'addReleasePlan', payload: { templateId } });
    const params = { templateId };
    const { milestones } = (await accepted(service, 'getReleasePlanTemplate', { params })).body;
    const changed = [{ ...milestones[0], strategies: [rollout(100)] }, milestones[1]];
    await accepted(service, 'updateReleasePlanTemplate', { params, body: { name: 'Careful', milestones: changed } });
    const request = (await accepted(service, 'getChangeRequest', { params: { ...DEFAULT, id } })).body;
    expect(request.features[0].changes[0]).toMatchObject({ payload: { templateId }, conflict: expect.any(String) });
    await refused(service, 'changeChangeRequestState', CONFLICT, move(id, reviewer, 'Applied'));
    expect((await settingsOf(name)).releasePlans).toEqual([]);
    await applied(name, { action: 'addReleasePlan', payload: { templateId } });
    expect((await settingsOf(name)).releasePlans).toHaveLength(1);
  });

  it('protects the segments and shows the fields and segments that its later milestones use', async () => {
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
    const segment = { name: 'insiders', constraints };
    const { id } = (await accepted(service, 'createSegment', { body: segment })).body;
    const later = { name: 'default', segments: [id], constraints: [{ ...constraints[0], contextName: 'appName' }] };
    const [name, templateId] = [await newFlag(), await createTemplate(rollout(10), later)];
    await applied(name, { action: 'addReleasePlan', payload: { templateId } }, SWITCHED_ON);
    await putUser(service, 33, { rootRole: ROLE_ID.editor });
    const change = { params: { id }, body: { ...segment, constraints: [] }, token: await personalTokenOf(service, 33) };
    await refused(service, 'updateSegment', FORBIDDEN, change);
    const [, milestone] = (await settingsOf(name)).releasePlans[0].milestones;
    const used = { id: milestone.strategies[0].id, featureName: name, environment: 'production' };
    const bySegment = (await accepted(service, 'getStrategiesBySegmentId', { params: { id } })).body;
    expect(bySegment.strategies).toEqual([expect.objectContaining(used)]);
    const byField = await accepted(service, 'getStrategiesByContextField', { params: { contextField: 'appName' } });
    expect(byField.body.strategies).toEqual([expect.objectContaining(used)]);
  });
});
