import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted, CONFLICT, eventsOf, FORBIDDEN, INVALID, MISSING, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { at, DEFAULT, PlanWorld, rollout, TEMPLATE } from '../../support/release-plans.ts';
import type { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let world: PlanWorld;
let service: TestService;

beforeAll(async () => {
  world = await PlanWorld.start();
  service = world.service;
});

afterAll(() => service.close());

const becomes = (name: string, milestone: string) =>
  until(
    () => world.activeOf(name),
    (active) => active === milestone,
  );

describe('a release template', () => {
  it('keeps the milestones that it is changed with, and is archived once', async () => {
    const [, , archived] = await eventsOf(service, async () => {
      const template = await world.createTemplate();
      expect(template).toMatchObject({ discriminator: 'template', name: 'Careful', archivedAt: null });
      expect(template.id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
      const params = { templateId: template.id };
      const [ten, , all] = template.milestones;
      expect(ten).toMatchObject({ name: 'Ten', transitionCondition: { intervalMinutes: 30 } });
      expect(ten.strategies[0]).toMatchObject({ strategyName: 'flexibleRollout', parameters: { rollout: '10' } });
      const body = {
        name: 'More careful',
        milestones: [
          { ...all, sortOrder: 2 },
          { ...ten, sortOrder: 1 },
        ],
      };
      const changed = (await accepted(service, 'updateReleasePlanTemplate', { params, body })).body;
      expect(changed.milestones.map(({ id }: { id: string }) => id)).toEqual([ten.id, all.id]);
      expect(changed.description).toBe('A tenth first');
      await accepted(service, 'archiveReleasePlanTemplate', { params });
      await refused(service, 'archiveReleasePlanTemplate', CONFLICT, { params });
      const listed = async (query = '') =>
        (await accepted(service, 'getReleasePlanTemplates', { query })).body.map(({ id }: { id: string }) => id);
      expect([await listed(), await listed('archived=true')]).toEqual([[], [template.id]]);
    });
    expect(archived).toMatchObject({ type: 'release-plan-template-archived' });
  });

  it('has milestones and strategies that are added, changed and removed one by one', async () => {
    const { id: templateId } = await world.createTemplate({ name: 'By hand' });
    const params = { templateId };
    const first = (await accepted(service, 'addMilestoneToReleasePlanTemplate', { params, body: { name: 'First' } }))
      .body;
    const inFirst = { ...params, milestoneId: first.id };
    const added = (await accepted(service, 'addStrategyToMilestone', { params: inFirst, body: { name: 'default' } }))
      .body;
    expect(added).toMatchObject({ milestoneId: first.id, strategyName: 'default', sortOrder: 0 });
    const strategyParams = { ...inFirst, strategyId: added.id };
    const titled = { params: strategyParams, body: { title: 'Everyone' } };
    expect((await accepted(service, 'updateMilestoneStrategy', titled)).body).toMatchObject({
      id: added.id,
      strategyName: 'default',
      title: 'Everyone',
    });
    const renamed = { params: inFirst, body: { name: 'Renamed', transitionCondition: { intervalMinutes: 5 } } };
    const milestone = (await accepted(service, 'updateReleasePlanTemplateMilestone', renamed)).body;
    expect(milestone.strategies).toHaveLength(1);
    await accepted(service, 'removeMilestoneStrategy', { params: strategyParams });
    await refused(service, 'removeMilestoneStrategy', MISSING, { params: strategyParams });
    await accepted(service, 'removeReleasePlanTemplateMilestone', { params: inFirst });
    await refused(service, 'updateReleasePlanTemplateMilestone', MISSING, renamed);
    const template = (await accepted(service, 'getReleasePlanTemplate', { params })).body;
    expect(template.milestones).toEqual([]);
  });

  it('is refused with strategies that no flag could have, or beyond its limits', async () => {
    const withStrategy = (strategy: object) => ({ name: 'x', milestones: [{ name: 'm', strategies: [strategy] }] });
    for (const strategy of [
      { strategyName: 'unknown' },
      {},
      rollout(101),
      { name: 'default', segments: [99] },
      { name: 'default', constraints: [{ contextName: 'userId', operator: 'REGEX', value: '(' }] },
    ])
      await refused(service, 'createReleasePlanTemplate', INVALID, { body: withStrategy(strategy) });
    const milestones = Array.from({ length: 11 }, (_, index) => ({ name: `m${index}` }));
    await refused(service, 'createReleasePlanTemplate', INVALID, { body: { name: 'x', milestones } });
    const strategies = Array.from({ length: 11 }, () => ({ name: 'default' }));
    await refused(service, 'createReleasePlanTemplate', INVALID, {
      body: { name: 'x', milestones: [{ name: 'm', strategies }] },
    });
    const long = { name: 'default', parameters: { text: 'x'.repeat(100_001) } };
    await refused(service, 'createReleasePlanTemplate', INVALID, { body: withStrategy(long) });
  });

  it('needs its permissions to be changed, and none to be read', async () => {
    const { id: templateId } = await world.createTemplate();
    await putUser(service, 30, { rootRole: ROLE_ID.viewer });
    const token = await personalTokenOf(service, 30);
    await accepted(service, 'getReleasePlanTemplate', { params: { templateId }, token });
    await refused(service, 'createReleasePlanTemplate', FORBIDDEN, { body: TEMPLATE, token });
    await refused(service, 'archiveReleasePlanTemplate', FORBIDDEN, { params: { templateId }, token });
  });
});

describe('a release plan', () => {
  it('starts its first milestone in an environment that is on, beside the strategies of the environment', async () => {
    const own = await world.planned();
    expect(await world.activeOf(own.name)).toBe('Ten');
    expect(await world.served(own.name)).toEqual(['100', '10']);
    const { strategies, releasePlans } = await world.settingsOf(own.name);
    expect(strategies[1]).toMatchObject({ milestoneId: releasePlans[0].activeMilestoneId });
    expect(strategies[0].milestoneId).toBeUndefined();
    const all = (await accepted(service, 'getFeature', { params: at(own.name) })).body;
    expect(all.environments.find(({ name }: { name: string }) => name === 'development').releasePlans).toEqual(
      releasePlans,
    );
    for (const operationId of ['getReleasePlans', 'getReleasePlansDeprecated'])
      expect((await accepted(service, operationId, { params: at(own.name) })).body).toEqual(releasePlans);
  });

  it('waits in an environment that is off, and starts when it is switched on', async () => {
    const own = await world.planned({ on: false });
    expect([own.plan.activeMilestoneId, await world.served(own.name)]).toEqual([null, null]);
    await world.turn('On', own.name);
    expect([await world.activeOf(own.name), await world.served(own.name)]).toEqual(['Ten', ['10']]);
  });

  it('has its milestones started by hand, one event for each, and is removed with its strategies', async () => {
    const own = await world.planned();
    const events = await eventsOf(service, async () => {
      expect((await world.start(own, 'All')).body).toMatchObject({ name: 'All', startedAt: expect.any(String) });
      expect(await world.served(own.name)).toEqual(['100', '100']);
      await world.start(own, 'Ten');
      expect(await world.served(own.name)).toEqual(['100', '10']);
      await accepted(service, 'removeReleasePlan', { params: own.params });
    });
    expect(events.map(({ type }) => type)).toEqual([
      'release-plan-milestone-started',
      'release-plan-milestone-started',
      'release-plan-removed',
    ]);
    expect(events[0]).toMatchObject({ data: { milestone: { name: 'All' } }, preData: { milestone: { name: 'Ten' } } });
    expect([await world.served(own.name), await world.planOf(own.name)]).toEqual([['100'], undefined]);
  });

  it('leaves a flag off that has no other strategy when it is removed', async () => {
    const own = await world.planned({ on: false });
    await world.turn('On', own.name);
    await accepted(service, 'removeReleasePlan', { params: own.params });
    expect(await world.settingsOf(own.name)).toMatchObject({ enabled: false, strategies: [], releasePlans: [] });
  });

  it('is refused twice, of a template that is unknown, archived or not complete', async () => {
    const { name, templateId } = await world.planned();
    await refused(service, 'addReleasePlan', CONFLICT, { params: at(name), body: { templateId } });
    const other = { params: at(name, 'production') };
    await refused(service, 'addReleasePlan', INVALID, { ...other, body: { templateId: 'unknown' } });
    for (const milestones of [
      [],
      [{ name: 'empty' }],
      [{ name: 'off', strategies: [{ name: 'default', disabled: true }] }],
    ]) {
      const incomplete = await world.createTemplate({ name: 'Incomplete', milestones });
      await refused(service, 'addReleasePlan', CONFLICT, { ...other, body: { templateId: incomplete.id } });
    }
    await accepted(service, 'archiveReleasePlanTemplate', { params: { templateId } });
    await refused(service, 'addReleasePlan', CONFLICT, { ...other, body: { templateId } });
    const missing = { ...at(name), planId: 'unknown', milestoneId: 'unknown' };
    await refused(service, 'startMilestone', MISSING, { params: missing });
    await refused(service, 'removeReleasePlan', MISSING, { params: missing });
  });

  it('has its strategies changed in the plan and in the environment together, and not removed alone', async () => {
    const own = await world.planned();
    const [, planned10] = (await world.settingsOf(own.name)).strategies;
    const params = { ...at(own.name), strategyId: planned10.id };
    await accepted(service, 'updateFeatureStrategy', { params, body: { title: 'edited' } });
    expect((await world.planOf(own.name)).milestones[0].strategies[0].title).toBe('edited');
    await refused(service, 'deleteFeatureStrategy', CONFLICT, { params });
    const body = { parameters: { rollout: 20, stickiness: 'default', groupId: 'x' } };
    await accepted(service, 'updateProjectMilestoneStrategy', { params, body });
    expect(await world.served(own.name)).toEqual(['100', '20']);
    await refused(service, 'updateProjectMilestoneStrategy', CONFLICT, { params, body: { disabled: true } });
    const later = (await world.planOf(own.name)).milestones[2].strategies[0].id;
    await accepted(service, 'updateProjectMilestoneStrategy', { params: { ...params, strategyId: later }, body });
    await world.start(own, 'All');
    expect(await world.served(own.name)).toEqual(['100', '20']);
  });

  it('stays when the flag is archived and revived, is not cloned, and ends when its strategies are replaced', async () => {
    const own = await world.planned();
    const params = { ...DEFAULT, featureName: own.name };
    await accepted(service, 'cloneFeature', { params, body: { name: `${own.name}-clone` } });
    expect(await world.planOf(`${own.name}-clone`)).toBeUndefined();
    expect((await world.settingsOf(`${own.name}-clone`)).strategies).toHaveLength(2);
    await accepted(service, 'archiveFeature', { params });
    await accepted(service, 'reviveFeature', { params });
    expect(await world.activeOf(own.name)).toBe('Ten');
    const target = { params: { ...at(own.name, 'production') }, body: { targets: ['development'] } };
    await accepted(service, 'copyFeatureEnvironment', target);
    expect(await world.settingsOf(own.name)).toMatchObject({ strategies: [], releasePlans: [] });
  });

  it('keeps the segments of later milestones from being deleted', async () => {
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
    const { id } = (await accepted(service, 'createSegment', { body: { name: 'insiders', constraints } })).body;
    const milestones = [
      ...TEMPLATE.milestones.slice(0, 1),
      { name: 'Later', strategies: [{ name: 'default', segments: [id] }] },
    ];
    const own = await world.planned({ template: { name: 'Segments', milestones } });
    await refused(service, 'removeSegment', CONFLICT, { params: { id } });
    const params = { ...DEFAULT, featureName: own.name };
    await accepted(service, 'archiveFeature', { params });
    await accepted(service, 'removeSegment', { params: { id } });
    await accepted(service, 'reviveFeature', { params });
    const [, later] = (await world.planOf(own.name)).milestones;
    expect(later.strategies[0]).toMatchObject({ segments: [], disabled: true });
  });

  it('is undone and done again with the history of the flag', async () => {
    const own = await world.planned();
    const { headers } = await world.start(own, 'Half');
    const revision = headers.get('burgee-revision') as string;
    await accepted(service, 'undoRevision', { params: { revision }, body: {} });
    expect([await world.activeOf(own.name), await world.served(own.name)]).toEqual(['Ten', ['100', '10']]);
  });
});

describe('what happens to a plan', () => {
  const inDefault = (featureName: string) => ({ ...DEFAULT, featureName });

  it('when its flag moves to another project, which must be able to use its later milestones', async () => {
    await accepted(service, 'createProject', { body: { id: 'other', name: 'Other' } });
    const segment = { name: 'of-default', project: 'default', constraints: [] };
    const { id } = (await accepted(service, 'createSegment', { body: segment })).body;
    const own = await world.planned();
    const later = own.plan.milestones[2].strategies[0].id;
    const params = { ...at(own.name), strategyId: later };
    await accepted(service, 'updateProjectMilestoneStrategy', { params, body: { segments: [id] } });
    const move = { params: inDefault(own.name), body: { newProjectId: 'other' } };
    await refused(service, 'changeProject', INVALID, move);
    await accepted(service, 'updateProjectMilestoneStrategy', { params, body: { segments: [] } });
    await accepted(service, 'changeProject', move);
    const moved = { params: { ...at(own.name), projectId: 'other' } };
    expect((await accepted(service, 'getReleasePlans', moved)).body).toHaveLength(1);
    await world.advance(30);
    await until(
      async () => (await accepted(service, 'getReleasePlans', moved)).body[0].milestones[0].progressionExecutedAt,
      (executedAt) => executedAt !== null,
    );
  });

  it('when it is exported and imported: the strategies stay, and the plan of the target ends', async () => {
    const own = await world.planned();
    const body = { environment: 'development', features: [own.name] };
    const data = (await accepted(service, 'exportFeatures', { body })).body;
    expect(data.featureStrategies).toHaveLength(2);
    await accepted(service, 'importFeatures', { body: { environment: 'development', project: 'default', data } });
    expect([await world.served(own.name), await world.planOf(own.name)]).toEqual([['100', '10'], undefined]);
  });

  it('when the environment leaves the project: it ends', async () => {
    const own = await world.planned();
    const environment = { ...DEFAULT, environment: 'development' };
    await accepted(service, 'removeEnvironmentFromProject', { params: environment });
    await accepted(service, 'addEnvironmentToProject', { params: DEFAULT, body: { environment: 'development' } });
    expect(await world.settingsOf(own.name)).toMatchObject({ enabled: false, strategies: [], releasePlans: [] });
  });

  it('when its removal is undone: it is there again, and does not continue at once', async () => {
    const own = await world.planned();
    const { headers } = await accepted(service, 'removeReleasePlan', { params: own.params });
    await world.advance(60);
    const revision = headers.get('burgee-revision') as string;
    await accepted(service, 'undoRevision', { params: { revision }, body: {} });
    expect([await world.activeOf(own.name), await world.served(own.name)]).toEqual(['Ten', ['100', '10']]);
    await world.advance(29);
    expect(await world.activeOf(own.name)).toBe('Ten');
    await world.advance(1);
    await becomes(own.name, 'Half');
  });

  it('when a preview tries it: as if it was saved', async () => {
    const { templateId } = await world.planned();
    const name = world.newName();
    await accepted(service, 'createFeature', { params: DEFAULT, body: { name } });
    const changes = [
      { action: 'addReleasePlan', feature: name, payload: { templateId } },
      { action: 'updateEnabled', feature: name, payload: { enabled: true } },
    ];
    const body = { project: 'default', environment: 'development', changes, contexts: { madeUp: { count: 1_000 } } };
    const [flag] = (await accepted(service, 'previewChanges', { body })).body.flags;
    // The first milestone is for a tenth of all users.
    expect([flag.name, flag.counts.onToOff]).toEqual([name, 0]);
    expect(Math.abs(flag.counts.offToOn - 100)).toBeLessThan(50);
    expect(await world.planOf(name)).toBeUndefined();
  });
});
