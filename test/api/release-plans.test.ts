import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../src/model/role.ts';
import { give } from '../access/people.ts';
import { accepted, CONFLICT, eventsOf, FORBIDDEN, INVALID, MISSING, prepare, refused } from '../support/admin.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../support/people.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { alertmanager, send, signalWorld } from '../support/signals.ts';
import { until } from '../support/until.ts';

const DEFAULT = { projectId: 'default' };
const MINUTE_MS = 60_000;

let service: TestService;
let clock: ManualClock;

beforeAll(async () => {
  clock = new ManualClock();
  service = await startTestService({ clock });
});

afterAll(() => service.close());

const rollout = (percent: number) => ({
  ...{ strategyName: 'flexibleRollout', parameters: { rollout: percent, stickiness: 'default' } },
});
const TEMPLATE = {
  ...{ name: 'Careful', description: 'A tenth first' },
  milestones: [
    { name: 'Ten', strategies: [rollout(10)], transitionCondition: { intervalMinutes: 30 } },
    { name: 'Half', strategies: [rollout(50)], transitionCondition: { intervalMinutes: 60 } },
    { name: 'All', strategies: [rollout(100)] },
  ],
};

const at = (featureName: string, environment = 'development') => ({ ...DEFAULT, featureName, environment });
const createTemplate = async (body: object = TEMPLATE) =>
  (await accepted(service, 'createReleasePlanTemplate', { body })).body;
const turn = (position: 'On' | 'Off', name: string, environment?: string) =>
  accepted(service, `toggleFeatureEnvironment${position}`, { params: at(name, environment) });
const settingsOf = async (name: string, environment?: string) =>
  (await accepted(service, 'getFeatureEnvironment', { params: at(name, environment) })).body;
const planOf = async (name: string, environment?: string) => (await settingsOf(name, environment)).releasePlans[0];

let names = 0;

/** A new flag, on or off in the environment, with a plan of the template. */
async function planned({ on = true, environment = 'development', template = TEMPLATE as object } = {}) {
  const name = `released-${++names}`;
  await accepted(service, 'createFeature', { params: DEFAULT, body: { name } });
  if (on) {
    await turn('On', name, environment);
    for (const { id } of (await settingsOf(name, environment)).strategies) {
      await accepted(service, 'updateFeatureStrategy', {
        ...{ params: { ...at(name, environment), strategyId: id }, body: { title: 'own' } },
      });
    }
  }
  const { id: templateId } = await createTemplate(template);
  const { body: plan } = await accepted(service, 'addReleasePlan', {
    ...{ params: at(name, environment), body: { templateId } },
  });
  return { name, plan, templateId, params: { ...at(name, environment), planId: plan.id } };
}

/** The rollouts of the flag, as a poll of an SDK gets them; null if it is off. */
async function served(name: string): Promise<string[] | null> {
  const { features } = (await accepted(service, 'getAllClientFeatures')).body;
  const found = features.find((feature: { name: string }) => feature.name === name);
  return found.enabled
    ? found.strategies.map(({ parameters }: { parameters: { rollout: string } }) => parameters.rollout)
    : null;
}

const activeOf = async (name: string, environment?: string): Promise<string | undefined> => {
  const plan = await planOf(name, environment);
  return plan?.milestones.find(({ id }: { id: string }) => id === plan.activeMilestoneId)?.name;
};
const becomes = (name: string, milestone: string) =>
  until(
    () => activeOf(name),
    (active) => active === milestone,
  );
const idOf = (plan: { milestones: { id: string; name: string }[] }, name: string) =>
  plan.milestones.find((milestone) => milestone.name === name)?.id as string;
const start = ({ params, plan }: Awaited<ReturnType<typeof planned>>, name: string) =>
  accepted(service, 'startMilestone', { params: { ...params, milestoneId: idOf(plan, name) } });

/** Waits until the runner and the watch sleep, so that an advance wakes them. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
async function advance(minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed++) {
    await settled();
    clock.advance(MINUTE_MS);
    await service.running.services.safeguardWatch.check();
  }
}

describe('a release template', () => {
  it('is created, read, changed, archived and deleted, with events', async () => {
    const events = await eventsOf(service, async () => {
      const template = await createTemplate();
      expect(template).toMatchObject({ discriminator: 'template', name: 'Careful', archivedAt: null });
      expect(template.id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
      const params = { templateId: template.id };
      expect((await accepted(service, 'getReleasePlanTemplate', { params })).body).toEqual(template);
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
      await accepted(service, 'deleteReleasePlanTemplate', { params });
      await refused(service, 'getReleasePlanTemplate', MISSING, { params });
    });
    const types = events.map(({ type }) => type.replace('release-plan-template-', ''));
    expect(types).toEqual(['created', 'updated', 'archived', 'deleted']);
  });

  it('has milestones and strategies that are added, changed and removed one by one', async () => {
    const { id: templateId } = await createTemplate({ name: 'By hand' });
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
      ...{ id: added.id, strategyName: 'default', title: 'Everyone' },
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
      ...[{ strategyName: 'unknown' }, {}, rollout(101), { name: 'default', segments: [99] }],
      { name: 'default', constraints: [{ contextName: 'userId', operator: 'REGEX', value: '(' }] },
    ])
      await refused(service, 'createReleasePlanTemplate', INVALID, { body: withStrategy(strategy) });
    const milestones = Array.from({ length: 11 }, (_, index) => ({ name: `m${index}` }));
    await refused(service, 'createReleasePlanTemplate', INVALID, { body: { name: 'x', milestones } });
    const strategies = Array.from({ length: 11 }, () => ({ name: 'default' }));
    await refused(service, 'createReleasePlanTemplate', INVALID, {
      ...{ body: { name: 'x', milestones: [{ name: 'm', strategies }] } },
    });
    const long = { name: 'default', parameters: { text: 'x'.repeat(100_001) } };
    await refused(service, 'createReleasePlanTemplate', INVALID, { body: withStrategy(long) });
  });

  it('needs its permissions to be changed, and none to be read', async () => {
    const { id: templateId } = await createTemplate();
    await putUser(service, 30, { rootRole: ROLE_ID.viewer });
    const token = await personalTokenOf(service, 30);
    await accepted(service, 'getReleasePlanTemplate', { params: { templateId }, token });
    await refused(service, 'createReleasePlanTemplate', FORBIDDEN, { body: TEMPLATE, token });
    await refused(service, 'archiveReleasePlanTemplate', FORBIDDEN, { params: { templateId }, token });
  });
});

describe('a release plan', () => {
  it('starts its first milestone in an environment that is on, beside the strategies of the environment', async () => {
    const world = await planned();
    expect(await activeOf(world.name)).toBe('Ten');
    expect(await served(world.name)).toEqual(['100', '10']);
    const { strategies, releasePlans } = await settingsOf(world.name);
    expect(strategies[1]).toMatchObject({ milestoneId: releasePlans[0].activeMilestoneId });
    expect(strategies[0].milestoneId).toBeUndefined();
    const all = (await accepted(service, 'getFeature', { params: at(world.name) })).body;
    expect(all.environments.find(({ name }: { name: string }) => name === 'development').releasePlans).toEqual(
      releasePlans,
    );
    for (const operationId of ['getReleasePlans', 'getReleasePlansDeprecated'])
      expect((await accepted(service, operationId, { params: at(world.name) })).body).toEqual(releasePlans);
  });

  it('waits in an environment that is off, and starts when it is switched on', async () => {
    const world = await planned({ on: false });
    expect([world.plan.activeMilestoneId, await served(world.name)]).toEqual([null, null]);
    await turn('On', world.name);
    expect([await activeOf(world.name), await served(world.name)]).toEqual(['Ten', ['10']]);
  });

  it('has its milestones started by hand, one event for each, and is removed with its strategies', async () => {
    const world = await planned();
    const events = await eventsOf(service, async () => {
      expect((await start(world, 'All')).body).toMatchObject({ name: 'All', startedAt: expect.any(String) });
      expect(await served(world.name)).toEqual(['100', '100']);
      await start(world, 'Ten');
      expect(await served(world.name)).toEqual(['100', '10']);
      await accepted(service, 'removeReleasePlan', { params: world.params });
    });
    expect(events.map(({ type }) => type)).toEqual([
      ...['release-plan-milestone-started', 'release-plan-milestone-started', 'release-plan-removed'],
    ]);
    expect(events[0]).toMatchObject({ data: { milestone: { name: 'All' } }, preData: { milestone: { name: 'Ten' } } });
    expect([await served(world.name), await planOf(world.name)]).toEqual([['100'], undefined]);
  });

  it('leaves a flag off that has no other strategy when it is removed', async () => {
    const world = await planned({ on: false });
    await turn('On', world.name);
    await accepted(service, 'removeReleasePlan', { params: world.params });
    expect(await settingsOf(world.name)).toMatchObject({ enabled: false, strategies: [], releasePlans: [] });
  });

  it('is refused twice, of a template that is unknown, archived or not complete', async () => {
    const { name, templateId } = await planned();
    await refused(service, 'addReleasePlan', CONFLICT, { params: at(name), body: { templateId } });
    const other = { params: at(name, 'production') };
    await refused(service, 'addReleasePlan', INVALID, { ...other, body: { templateId: 'unknown' } });
    for (const milestones of [
      [],
      [{ name: 'empty' }],
      [{ name: 'off', strategies: [{ name: 'default', disabled: true }] }],
    ]) {
      const incomplete = await createTemplate({ name: 'Incomplete', milestones });
      await refused(service, 'addReleasePlan', CONFLICT, { ...other, body: { templateId: incomplete.id } });
    }
    await accepted(service, 'archiveReleasePlanTemplate', { params: { templateId } });
    await refused(service, 'addReleasePlan', CONFLICT, { ...other, body: { templateId } });
    const missing = { ...at(name), planId: 'unknown', milestoneId: 'unknown' };
    await refused(service, 'startMilestone', MISSING, { params: missing });
    await refused(service, 'removeReleasePlan', MISSING, { params: missing });
  });

  it('has its strategies changed in the plan and in the environment together, and not removed alone', async () => {
    const world = await planned();
    const [, planned10] = (await settingsOf(world.name)).strategies;
    const params = { ...at(world.name), strategyId: planned10.id };
    await accepted(service, 'updateFeatureStrategy', { params, body: { title: 'edited' } });
    expect((await planOf(world.name)).milestones[0].strategies[0].title).toBe('edited');
    await refused(service, 'deleteFeatureStrategy', CONFLICT, { params });
    const body = { parameters: { rollout: 20, stickiness: 'default', groupId: 'x' } };
    await accepted(service, 'updateProjectMilestoneStrategy', { params, body });
    expect(await served(world.name)).toEqual(['100', '20']);
    await refused(service, 'updateProjectMilestoneStrategy', CONFLICT, { params, body: { disabled: true } });
    const later = (await planOf(world.name)).milestones[2].strategies[0].id;
    await accepted(service, 'updateProjectMilestoneStrategy', { params: { ...params, strategyId: later }, body });
    await start(world, 'All');
    expect(await served(world.name)).toEqual(['100', '20']);
  });

  it('stays when the flag is archived and revived, is not cloned, and ends when its strategies are replaced', async () => {
    const world = await planned();
    const params = { ...DEFAULT, featureName: world.name };
    await accepted(service, 'cloneFeature', { params, body: { name: `${world.name}-clone` } });
    expect(await planOf(`${world.name}-clone`)).toBeUndefined();
    expect((await settingsOf(`${world.name}-clone`)).strategies).toHaveLength(2);
    await accepted(service, 'archiveFeature', { params });
    await accepted(service, 'reviveFeature', { params });
    expect(await activeOf(world.name)).toBe('Ten');
    const target = { params: { ...at(world.name, 'production') }, body: { targets: ['development'] } };
    await accepted(service, 'copyFeatureEnvironment', target);
    expect(await settingsOf(world.name)).toMatchObject({ strategies: [], releasePlans: [] });
  });

  it('keeps the segments of later milestones from being deleted', async () => {
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
    const { id } = (await accepted(service, 'createSegment', { body: { name: 'insiders', constraints } })).body;
    const milestones = [
      ...TEMPLATE.milestones.slice(0, 1),
      { name: 'Later', strategies: [{ name: 'default', segments: [id] }] },
    ];
    const world = await planned({ template: { name: 'Segments', milestones } });
    await refused(service, 'removeSegment', CONFLICT, { params: { id } });
    const params = { ...DEFAULT, featureName: world.name };
    await accepted(service, 'archiveFeature', { params });
    await accepted(service, 'removeSegment', { params: { id } });
    await accepted(service, 'reviveFeature', { params });
    const [, later] = (await planOf(world.name)).milestones;
    expect(later.strategies[0]).toMatchObject({ segments: [], disabled: true });
  });

  it('is undone and done again with the history of the flag', async () => {
    const world = await planned();
    const { headers } = await start(world, 'Half');
    const revision = headers.get('burgee-revision') as string;
    await accepted(service, 'undoRevision', { params: { revision }, body: {} });
    expect([await activeOf(world.name), await served(world.name)]).toEqual(['Ten', ['100', '10']]);
  });
});

describe('what happens to a plan', () => {
  const inDefault = (featureName: string) => ({ ...DEFAULT, featureName });

  it('when its flag moves to another project, which must be able to use its later milestones', async () => {
    await accepted(service, 'createProject', { body: { id: 'other', name: 'Other' } });
    const segment = { name: 'of-default', project: 'default', constraints: [] };
    const { id } = (await accepted(service, 'createSegment', { body: segment })).body;
    const world = await planned();
    const later = world.plan.milestones[2].strategies[0].id;
    const params = { ...at(world.name), strategyId: later };
    await accepted(service, 'updateProjectMilestoneStrategy', { params, body: { segments: [id] } });
    const move = { params: inDefault(world.name), body: { newProjectId: 'other' } };
    await refused(service, 'changeProject', INVALID, move);
    await accepted(service, 'updateProjectMilestoneStrategy', { params, body: { segments: [] } });
    await accepted(service, 'changeProject', move);
    const moved = { params: { ...at(world.name), projectId: 'other' } };
    expect((await accepted(service, 'getReleasePlans', moved)).body).toHaveLength(1);
    await advance(30);
    await until(
      async () => (await accepted(service, 'getReleasePlans', moved)).body[0].milestones[0].progressionExecutedAt,
      (executedAt) => executedAt !== null,
    );
  });

  it('when it is exported and imported: the strategies stay, and the plan of the target ends', async () => {
    const world = await planned();
    const body = { environment: 'development', features: [world.name] };
    const data = (await accepted(service, 'exportFeatures', { body })).body;
    expect(data.featureStrategies).toHaveLength(2);
    await accepted(service, 'importFeatures', { body: { environment: 'development', project: 'default', data } });
    expect([await served(world.name), await planOf(world.name)]).toEqual([['100', '10'], undefined]);
  });

  it('when the environment leaves the project: it ends', async () => {
    const world = await planned();
    const environment = { ...DEFAULT, environment: 'development' };
    await accepted(service, 'removeEnvironmentFromProject', { params: environment });
    await accepted(service, 'addEnvironmentToProject', { params: DEFAULT, body: { environment: 'development' } });
    expect(await settingsOf(world.name)).toMatchObject({ enabled: false, strategies: [], releasePlans: [] });
  });

  it('when its removal is undone: it is there again, and does not continue at once', async () => {
    const world = await planned();
    const { headers } = await accepted(service, 'removeReleasePlan', { params: world.params });
    await advance(60);
    const revision = headers.get('burgee-revision') as string;
    await accepted(service, 'undoRevision', { params: { revision }, body: {} });
    expect([await activeOf(world.name), await served(world.name)]).toEqual(['Ten', ['100', '10']]);
    await advance(29);
    expect(await activeOf(world.name)).toBe('Ten');
    await advance(1);
    await becomes(world.name, 'Half');
  });

  it('when a preview tries it: as if it was saved', async () => {
    const { templateId } = await planned();
    const name = `released-${++names}`;
    await accepted(service, 'createFeature', { params: DEFAULT, body: { name } });
    const changes = [
      { action: 'addReleasePlan', feature: name, payload: { templateId } },
      { action: 'updateEnabled', feature: name, payload: { enabled: true } },
    ];
    const body = { project: 'default', environment: 'development', changes, contexts: { madeUp: { count: 1_000 } } };
    const { features } = (await accepted(service, 'previewChanges', { body })).body;
    expect(JSON.stringify(features)).toContain(name);
    expect(await planOf(name)).toBeUndefined();
  });
});

describe('the progression of a release plan', () => {
  it('starts each milestone when the interval of the one before it has passed, once', async () => {
    const world = await planned();
    const events = await eventsOf(service, async () => {
      await advance(29);
      expect(await activeOf(world.name)).toBe('Ten');
      await advance(1);
      await becomes(world.name, 'Half');
      await advance(60);
      await becomes(world.name, 'All');
    });
    const own = events.filter(({ featureName }) => featureName === world.name);
    expect(own.map(({ type, createdBy, data }) => [type, createdBy, (data as { isDue: boolean }).isDue])).toEqual([
      ...[['release-plan-milestone-started', 'burgee', true]],
      ...[['release-plan-milestone-started', 'burgee', true]],
    ]);
    const { milestones, nextMilestoneAt } = await planOf(world.name);
    expect(milestones.map((one: { progressionExecutedAt: unknown }) => one.progressionExecutedAt !== null)).toEqual([
      ...[true, true, false],
    ]);
    expect(nextMilestoneAt).toBeNull();
  });

  it('stops while the plan is paused or the flag is off, and then counts from the beginning', async () => {
    const world = await planned();
    await advance(20);
    await accepted(service, 'pauseReleasePlan', { params: world.params, body: { reason: 'errors' } });
    await advance(30);
    expect(await planOf(world.name)).toMatchObject({ pauseReason: 'errors', nextMilestoneAt: null });
    await accepted(service, 'resumeReleasePlan', { params: world.params });
    await turn('Off', world.name);
    await advance(40);
    await turn('On', world.name);
    await advance(29);
    expect(await activeOf(world.name)).toBe('Ten');
    await advance(1);
    await becomes(world.name, 'Half');
  });

  it('is changed and removed for a milestone', async () => {
    const world = await planned();
    const params = { ...at(world.name), id: idOf(world.plan, 'Ten') };
    await accepted(service, 'deleteMilestoneProgression', { params });
    await advance(40);
    expect(await activeOf(world.name)).toBe('Ten');
    const body = { transitionCondition: { intervalMinutes: 45 } };
    expect((await accepted(service, 'changeMilestoneProgression', { params, body })).body).toMatchObject({
      ...{ sourceMilestone: params.id, targetMilestone: idOf(world.plan, 'Half'), ...body, executedAt: null },
    });
    await advance(5);
    await becomes(world.name, 'Half');
    await refused(service, 'changeMilestoneProgression', MISSING, { params: { ...params, id: 'unknown' }, body });
  });

  it('pauses the plan when the next milestone goes beyond a limit', async () => {
    const strategies = Array.from({ length: 10 }, () => rollout(50));
    const template = { name: 'Many', milestones: [TEMPLATE.milestones[0], { name: 'Ten more', strategies }] };
    const world = await planned({ template });
    for (let count = 2; count < 22; count++)
      await accepted(service, 'addFeatureStrategy', { params: at(world.name), body: { name: 'default' } });
    await advance(30);
    const plan = await until(
      () => planOf(world.name),
      ({ pausedAt }) => pausedAt !== null,
    );
    expect(plan.pauseReason).toMatch(/^The milestone Ten more could not be started\. .*at most 30 strategies/);
  });
});

describe('a safeguard', () => {
  const report = (impactMetrics: object[], operationId = 'registerClientMetrics') =>
    accepted(service, operationId, { body: { appName: 'shop', bucket: null, impactMetrics } });
  const counter = (name: string, value: number, labels: object = { service: 'checkout' }) => ({
    ...{ name, help: name, type: 'counter', samples: [{ value, labels }] },
  });
  const guard = (params: object, body: object) =>
    accepted(service, 'changeSafeguard', { params: params as never, body });
  const condition = (metricName: string, rest: object = {}) => ({
    ...{ metricName, aggregation: 'count', operator: '>', threshold: 20, windowMinutes: 10, ...rest },
  });

  it('pauses the plan when reports pass its threshold, and records the measured value', async () => {
    const world = await planned();
    const safeguard = (await guard(world.params, condition('errors', { labels: { service: ['checkout'] } }))).body;
    const events = await eventsOf(service, async () => {
      await advance(1);
      await report([counter('errors', 15), counter('errors', 100, { service: 'search' })]);
      await advance(1);
      expect((await planOf(world.name)).pausedAt).toBeNull();
      await report([counter('errors', 10)]);
      // Anyone may have the token of a page: its reports do not count.
      await report([counter('errors', 500)], 'registerFrontendMetrics');
      await advance(1);
      await until(
        () => planOf(world.name),
        ({ pausedAt }) => pausedAt !== null,
      );
    });
    const paused = events.find(({ type }) => type === 'release-plan-paused');
    expect(paused).toMatchObject({ createdBy: 'burgee', data: { value: 25, safeguard: { id: safeguard.id } } });
    expect((await planOf(world.name)).safeguards[0]).toMatchObject({ triggeredValue: 25 });
    expect(await served(world.name)).toEqual(['100', '10']);
    await advance(40);
    expect(await activeOf(world.name)).toBe('Ten');
    // Continued, it counts anew: the reports before the pause trip it no more.
    await accepted(service, 'resumeReleasePlan', { params: world.params });
    await advance(3);
    expect((await planOf(world.name)).pausedAt).toBeNull();
  });

  it('can switch the flag off, for an author who may switch it', async () => {
    const world = await planned();
    await guard(world.params, condition('crashes', { action: 'disable', threshold: 0 }));
    await advance(1);
    await report([counter('crashes', 1)]);
    await advance(1);
    await until(
      () => served(world.name),
      (strategies) => strategies === null,
    );
  });

  it('is replaced, removed, and bounded in number', async () => {
    const world = await planned();
    const first = (await guard(world.params, condition('errors'))).body;
    await guard(world.params, { ...condition('errors', { threshold: 5 }), id: first.id });
    for (let count = 1; count < 5; count++) await guard(world.params, condition(`errors-${count}`));
    await refused(service, 'changeSafeguard', INVALID, { params: world.params, body: condition('more') });
    await refused(service, 'changeSafeguard', MISSING, {
      params: world.params,
      body: { ...condition('x'), id: 'unknown' },
    });
    const params = { ...world.params, safeguardId: first.id };
    await accepted(service, 'deleteSafeguard', { params });
    await refused(service, 'deleteSafeguard', MISSING, { params });
    expect((await planOf(world.name)).safeguards).toHaveLength(4);
    for (const body of [condition('x', { windowMinutes: 0 }), condition('x', { operator: '=' }), condition('')])
      await refused(service, 'changeSafeguard', INVALID, { params: world.params, body });
  });
});

describe('a signal', () => {
  it('starts the next milestone, a named one, and pauses the plan, in the name of the service account', async () => {
    const world = await planned();
    const signals = await signalWorld(service);
    const action = (name: string, milestone?: string) => ({
      ...{ action: name, executionParams: { environment: 'development', featureName: world.name, milestone } },
    });
    const set = {
      ...{
        name: 'Release',
        actorId: signals.actorId,
        match: { source: 'signal-endpoint', sourceId: signals.endpointId },
      },
      actions: [action('START_NEXT_MILESTONE'), action('START_MILESTONE', 'All'), action('PAUSE_RELEASE_PLAN')],
    };
    await refused(service, 'createActionSet', INVALID, {
      ...{ params: DEFAULT, body: { ...set, actions: [action('START_MILESTONE')] } },
    });
    const { id } = (await accepted(service, 'createActionSet', { params: DEFAULT, body: set })).body;
    const started = await eventsOf(service, async () => {
      await send(service, signals, alertmanager());
      await until(
        async () => (await accepted(service, 'getActionSetEvents', { params: { ...DEFAULT, id } })).body.events,
        ([run]) => run?.state === 'success',
      );
    });
    const own = started.filter(({ featureName }) => featureName === world.name);
    const { actorId } = signals;
    expect(own.map(({ type, createdByUserId }) => [type, createdByUserId])).toEqual([
      ...[
        ['release-plan-milestone-started', actorId],
        ['release-plan-milestone-started', actorId],
      ],
      ...[['release-plan-paused', actorId]],
    ]);
    expect([await activeOf(world.name), (await planOf(world.name)).pausedAt]).toEqual(['All', expect.any(String)]);
    // The plan is paused: only people start milestones.
    await start(world, 'Ten');
    await send(service, signals, alertmanager('firing', 'Again'));
    await until(
      async () => (await accepted(service, 'getActionSetEvents', { params: { ...DEFAULT, id } })).body.events,
      (runs) => runs.some(({ state }: { state: string }) => state === 'failed'),
    );
    expect(await activeOf(world.name)).toBe('Ten');
  });
});

describe('in an environment that requires reviews', () => {
  it('plans are changed by change requests only, and approved progressions go on', async () => {
    const { templateId } = await planned();
    const name = `released-${++names}`;
    await accepted(service, 'createFeature', { params: DEFAULT, body: { name } });
    await turn('On', name, 'production');
    for (const id of [31, 32]) {
      await putUser(service, id, { rootRole: ROLE_ID.viewer });
      await prepare(service, (draft) => give(draft, 'default', 'user', id, [ROLE_ID.member]));
    }
    const [author, reviewer] = [await personalTokenOf(service, 31), await personalTokenOf(service, 32)];
    const config = { changeRequestsEnabled: true, requiredApprovals: 1 };
    const inProduction = { ...DEFAULT, environment: 'production' };
    await accepted(service, 'updateProjectChangeRequestConfig', { params: inProduction, body: config });

    const direct = { params: at(name, 'production'), token: author };
    await refused(service, 'addReleasePlan', FORBIDDEN, { ...direct, body: { templateId } });
    const apply = async (...changes: object[]) => {
      const body = changes.map((change) => ({ feature: name, ...change }));
      const request = await accepted(service, 'createChangeRequest', { params: inProduction, body, token: author });
      const { id } = [request.body].flat()[0];
      const move = (token: string, state: string) =>
        accepted(service, 'changeChangeRequestState', { params: { ...DEFAULT, id }, body: { state }, token });
      await move(author, 'In review');
      await move(reviewer, 'Approved');
      await move(reviewer, 'Applied');
    };
    await apply({ action: 'addReleasePlan', payload: { templateId } });
    const plan = await planOf(name, 'production');
    expect(await activeOf(name, 'production')).toBe('Ten');
    const planParams = { ...at(name, 'production'), planId: plan.id };
    const next = { params: { ...planParams, milestoneId: idOf(plan, 'Half') }, token: author };
    await refused(service, 'startMilestone', FORBIDDEN, next);
    await refused(service, 'removeReleasePlan', FORBIDDEN, { params: planParams, token: author });
    const progression = { params: { ...at(name, 'production'), id: idOf(plan, 'Ten') }, token: author };
    await refused(service, 'deleteMilestoneProgression', FORBIDDEN, progression);
    // A pause puts nothing in use: it needs no review.
    await accepted(service, 'pauseReleasePlan', { params: planParams, token: author });
    await accepted(service, 'resumeReleasePlan', { params: planParams, token: author });
    await advance(30);
    await until(
      () => activeOf(name, 'production'),
      (active) => active === 'Half',
    );
    const payload = { planId: plan.id, milestoneId: idOf(plan, 'All') };
    await apply({ action: 'startMilestone', payload });
    expect(await activeOf(name, 'production')).toBe('All');
    await apply({ action: 'deleteReleasePlan', payload: { planId: plan.id } });
    expect(await planOf(name, 'production')).toBeUndefined();
  });
});
