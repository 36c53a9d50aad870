import { beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { customRole, give } from '../../access/people.ts';
import { accepted, CONFLICT, FORBIDDEN, INVALID, prepare, refused } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { DEFAULT, rollout } from '../../support/release-plans.ts';
import { useService } from '../../support/service.ts';

const PLANNER = (['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'] as const).map(
  (name) => ({
    name,
    environment: 'development',
  }),
);
const IN_PRODUCTION = { ...DEFAULT, environment: 'production' };

const service = useService({ clock: new ManualClock() });
let author: string;
let reviewer: string;

beforeAll(async () => {
  for (const id of [31, 32]) {
    await putUser(service, id, { rootRole: ROLE_ID.viewer });
    await prepare(service, (draft) => give(draft, 'default', 'user', id, [ROLE_ID.member]));
  }
  [author, reviewer] = [await personalTokenOf(service, 31), await personalTokenOf(service, 32)];
  const body = { changeRequestsEnabled: true, requiredApprovals: 1 };
  await accepted(service, 'updateProjectChangeRequestConfig', { params: IN_PRODUCTION, body });
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

describe('a reviewed change of a plan', () => {
  const revisionOf = ({ headers }: { headers: Headers }) => headers.get('burgee-revision') as string;

  it('edits strategies of any milestone, and undoes edits, times and safeguards', async () => {
    const [name, templateId] = [await newFlag(), await createTemplate(rollout(10), rollout(50))];
    await applied(name, SWITCHED_ON, { action: 'addReleasePlan', payload: { templateId } });
    const planOf = async () => (await settingsOf(name)).releasePlans[0];
    const { id: planId, milestones } = await planOf();
    const [active, later] = milestones;
    const rolloutsOf = async () =>
      (await planOf()).milestones.flatMap(({ strategies }: { strategies: { parameters: { rollout: string } }[] }) =>
        strategies.map(({ parameters }) => parameters.rollout),
      );
    const edit = ({ strategies: [{ id }] }: { strategies: [{ id: string }] }, percent: number) => ({
      action: 'updateMilestoneStrategy',
      payload: { id, parameters: { rollout: percent, stickiness: 'default' } },
    });
    const safeguard = {
      metricName: 'errors',
      aggregation: 'count',
      operator: '>',
      threshold: 1,
      windowMinutes: 5,
    };
    const transitionCondition = { intervalMinutes: 5 };
    const changes = [
      edit(active, 20),
      edit(later, 90),
      { action: 'changeSafeguard', payload: { planId, safeguard } },
      { action: 'changeMilestoneProgression', payload: { milestoneId: active.id, transitionCondition } },
    ];
    const id = await approved(name, ...changes);
    const moved = await accepted(service, 'changeChangeRequestState', move(id, reviewer, 'Applied'));
    expect(await rolloutsOf()).toEqual(['20', '90']);
    const body = { changeRequest: { environment: 'production' }, entities: [{ type: 'feature', id: name }] };
    const undo = { params: { revision: revisionOf(moved) }, body, token: author };
    const { changeRequest } = (await accepted(service, 'undoRevision', undo)).body;
    await accepted(service, 'changeChangeRequestState', move(changeRequest, author, 'In review'));
    await accepted(service, 'changeChangeRequestState', move(changeRequest, reviewer, 'Approved'));
    await accepted(service, 'changeChangeRequestState', move(changeRequest, reviewer, 'Applied'));
    expect(await rolloutsOf()).toEqual(['10', '50']);
    const { safeguards, nextMilestoneAt } = await planOf();
    expect([safeguards, nextMilestoneAt]).toEqual([[], null]);
    expect((await settingsOf(name)).strategies.at(-1).parameters.rollout).toBe('10');
  });
});

describe('a release plan of a flag', () => {
  const IN_DEVELOPMENT = 'development';

  /** A flag with a plan in development; without own strategies if it is off. */
  async function planned({ on = false } = {}) {
    const [name, templateId] = [await newFlag(), await createTemplate(rollout(10), rollout(50))];
    const params = at(name, IN_DEVELOPMENT);
    if (on) await accepted(service, 'toggleFeatureEnvironmentOn', { params });
    const { body: plan } = await accepted(service, 'addReleasePlan', { params, body: { templateId } });
    return { name, plan, params, planParams: { ...params, planId: plan.id } };
  }
  const rollouts = async (name: string) =>
    (await settingsOf(name, IN_DEVELOPMENT)).strategies.map(
      ({ parameters }: { parameters: { rollout: string } }) => parameters.rollout,
    );
  const revisionOf = ({ headers }: { headers: Headers }) => headers.get('burgee-revision') as string;

  it('that waits starts when a copy switches the flag on, and ends when the copy also brings strategies', async () => {
    const copy = async (parts?: string[]) => {
      const { name } = await planned();
      await applied(name, SWITCHED_ON);
      const body = { targets: [IN_DEVELOPMENT], ...(parts && { parts }) };
      await accepted(service, 'copyFeatureEnvironment', { params: at(name), body });
      const { enabled, releasePlans } = await settingsOf(name, IN_DEVELOPMENT);
      return { enabled, rollouts: await rollouts(name), active: releasePlans[0]?.activeMilestoneId };
    };
    expect(await copy(['enabled'])).toEqual({ enabled: true, rollouts: ['10'], active: expect.any(String) });
    expect(await copy()).toEqual({ enabled: true, rollouts: ['100'], active: undefined });
  });

  it('that was added while the flag was off starts when the switch is undone', async () => {
    const name = await newFlag();
    const params = at(name, IN_DEVELOPMENT);
    await accepted(service, 'toggleFeatureEnvironmentOn', { params });
    const revision = revisionOf(await accepted(service, 'toggleFeatureEnvironmentOff', { params }));
    const templateId = await createTemplate(rollout(10));
    await accepted(service, 'addReleasePlan', { params, body: { templateId } });
    await accepted(service, 'undoRevision', { params: { revision }, body: {} });
    expect(await rollouts(name)).toEqual(['100', '10']);
  });

  it('never shows other strategies than SDKs get: an edit from before the start of a milestone is not undone', async () => {
    const { name, plan, planParams } = await planned({ on: true });
    const [, later] = plan.milestones;
    const edited = await accepted(service, 'updateProjectMilestoneStrategy', {
      params: { ...at(name, IN_DEVELOPMENT), strategyId: later.strategies[0].id },
      body: { parameters: { rollout: 90, stickiness: 'default' } },
    });
    await accepted(service, 'startMilestone', { params: { ...planParams, milestoneId: later.id } });
    await refused(service, 'undoRevision', CONFLICT, { params: { revision: revisionOf(edited) }, body: {} });
    expect(await rollouts(name)).toEqual(['100', '90']);
  });

  it('gets a safeguard that switches off back only from those who may switch the flag', async () => {
    const { params, planParams } = await planned({ on: true });
    const safeguard = {
      metricName: 'errors',
      aggregation: 'count',
      operator: '>',
      threshold: 1,
      windowMinutes: 5,
      action: 'disable',
      labels: { service: ['checkout'] },
    };
    const empty = { ...safeguard, labels: { strategies: [], variants: [] } };
    await refused(service, 'changeSafeguard', INVALID, { params: planParams, body: empty });
    const { id } = (await accepted(service, 'changeSafeguard', { params: planParams, body: safeguard })).body;
    const { body: switched } = await accepted(service, 'toggleFeatureEnvironmentOn', { params });
    const { body: feature } = await accepted(service, 'getFeature', { params });
    expect(JSON.stringify(switched.environments)).toBe(JSON.stringify(feature.environments));
    expect(JSON.stringify(feature.environments)).toContain(id);
    const removed = await accepted(service, 'deleteSafeguard', { params: { ...planParams, safeguardId: id } });
    await putUser(service, 34, { rootRole: ROLE_ID.viewer });
    await prepare(service, (draft) => {
      draft.put('roles', customRole(90, 'custom', PLANNER));
      give(draft, 'default', 'user', 34, [90]);
    });
    const undo = { params: { revision: revisionOf(removed) }, body: {} };
    await refused(service, 'undoRevision', FORBIDDEN, { ...undo, token: await personalTokenOf(service, 34) });
    await accepted(service, 'undoRevision', undo);
  });
});
