import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, eventsOf, FORBIDDEN, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { at, DEFAULT, idOf, PlanWorld, rollout, TEMPLATE } from '../../support/release-plans.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { alertmanager, send, signalWorld } from '../../support/signals.ts';
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

describe('the progression of a release plan', () => {
  it('starts each milestone when the interval of the one before it has passed, once', async () => {
    const own = await world.planned();
    const events = await eventsOf(service, async () => {
      await world.advance(29);
      expect(await world.activeOf(own.name)).toBe('Ten');
      await world.advance(1);
      await becomes(own.name, 'Half');
      await world.advance(60);
      await becomes(own.name, 'All');
    });
    const steps = events.filter(({ featureName }) => featureName === own.name);
    expect(steps.map(({ type, createdBy, data }) => [type, createdBy, (data as { isDue: boolean }).isDue])).toEqual([
      ['release-plan-milestone-started', 'burgee', true],
      ['release-plan-milestone-started', 'burgee', true],
    ]);
    const { milestones, nextMilestoneAt } = await world.planOf(own.name);
    expect(milestones.map((one: { progressionExecutedAt: unknown }) => one.progressionExecutedAt !== null)).toEqual([
      true,
      true,
      false,
    ]);
    expect(nextMilestoneAt).toBeNull();
  });

  it('stops while the plan is paused or the flag is off, and then counts from the beginning', async () => {
    const own = await world.planned();
    await world.advance(20);
    await accepted(service, 'pauseReleasePlan', { params: own.params, body: { reason: 'errors' } });
    await world.advance(30);
    expect(await world.planOf(own.name)).toMatchObject({ pauseReason: 'errors', nextMilestoneAt: null });
    await accepted(service, 'resumeReleasePlan', { params: own.params });
    await world.turn('Off', own.name);
    await world.advance(40);
    await world.turn('On', own.name);
    await world.advance(29);
    expect(await world.activeOf(own.name)).toBe('Ten');
    await world.advance(1);
    await becomes(own.name, 'Half');
  });

  it('is changed and removed for a milestone', async () => {
    const own = await world.planned();
    const params = { ...at(own.name), id: idOf(own.plan, 'Ten') };
    await accepted(service, 'deleteMilestoneProgression', { params });
    await world.advance(40);
    expect(await world.activeOf(own.name)).toBe('Ten');
    const body = { transitionCondition: { intervalMinutes: 45 } };
    expect((await accepted(service, 'changeMilestoneProgression', { params, body })).body).toMatchObject({
      sourceMilestone: params.id,
      targetMilestone: idOf(own.plan, 'Half'),
      ...body,
      executedAt: null,
    });
    await world.advance(5);
    await becomes(own.name, 'Half');
    await refused(service, 'changeMilestoneProgression', MISSING, { params: { ...params, id: 'unknown' }, body });
  });

  it('pauses the plan when the next milestone goes beyond a limit', async () => {
    const strategies = Array.from({ length: 10 }, () => rollout(50));
    const template = { name: 'Many', milestones: [TEMPLATE.milestones[0], { name: 'Ten more', strategies }] };
    const own = await world.planned({ template });
    for (let count = 2; count < 22; count++)
      await accepted(service, 'addFeatureStrategy', { params: at(own.name), body: { name: 'default' } });
    await world.advance(30);
    const plan = await until(
      () => world.planOf(own.name),
      ({ pausedAt }) => pausedAt !== null,
    );
    expect(plan.pauseReason).toMatch(/^The milestone Ten more could not be started\. .*at most 30 strategies/);
  });
});

describe('a safeguard', () => {
  const report = (impactMetrics: object[], operationId = 'registerClientMetrics') =>
    accepted(service, operationId, { body: { appName: 'shop', bucket: null, impactMetrics } });
  const counter = (name: string, value: number, labels: object = { service: 'checkout' }) => ({
    name,
    help: name,
    type: 'counter',
    samples: [{ value, labels }],
  });
  const guard = (params: object, body: object) =>
    accepted(service, 'changeSafeguard', { params: params as never, body });
  const condition = (metricName: string, rest: object = {}) => ({
    metricName,
    aggregation: 'count',
    operator: '>',
    threshold: 20,
    windowMinutes: 10,
    ...rest,
  });

  it('pauses the plan when reports pass its threshold, and records the measured value', async () => {
    const own = await world.planned();
    const safeguard = (await guard(own.params, condition('errors', { labels: { service: ['checkout'] } }))).body;
    const events = await eventsOf(service, async () => {
      await world.advance(1);
      await report([counter('errors', 15), counter('errors', 100, { service: 'search' })]);
      await world.advance(1);
      expect((await world.planOf(own.name)).pausedAt).toBeNull();
      await report([counter('errors', 10)]);
      // Anyone may have the token of a page: its reports do not count.
      await report([counter('errors', 500)], 'registerFrontendMetrics');
      await world.advance(1);
      await until(
        () => world.planOf(own.name),
        ({ pausedAt }) => pausedAt !== null,
      );
    });
    const paused = events.find(({ type }) => type === 'release-plan-paused');
    expect(paused).toMatchObject({ createdBy: 'burgee', data: { value: 25, safeguard: { id: safeguard.id } } });
    expect((await world.planOf(own.name)).safeguards[0]).toMatchObject({ triggeredValue: 25 });
    expect(await world.served(own.name)).toEqual(['100', '10']);
    await world.advance(40);
    expect(await world.activeOf(own.name)).toBe('Ten');
    // Continued, it counts anew: the reports before the pause trip it no more.
    await accepted(service, 'resumeReleasePlan', { params: own.params });
    await world.advance(3);
    expect((await world.planOf(own.name)).pausedAt).toBeNull();
  });

  it('does not trip on reports from before its plan was continued, at the first check after that either', async () => {
    const own = await world.planned();
    await guard(own.params, condition('failures'));
    await world.advance(1);
    await report([counter('failures', 25)]);
    await world.advance(1);
    expect((await world.planOf(own.name)).pausedAt).not.toBeNull();
    await accepted(service, 'resumeReleasePlan', { params: own.params });
    await report([counter('failures', 5)]);
    await world.advance(2);
    expect((await world.planOf(own.name)).pausedAt).toBeNull();
    await report([counter('failures', 21)]);
    await world.advance(1);
    expect(await world.planOf(own.name)).toMatchObject({ safeguards: [{ triggeredValue: 21 }] });
  });

  it('can switch the flag off, for an author who may switch it', async () => {
    const own = await world.planned();
    await guard(own.params, condition('crashes', { action: 'disable', threshold: 0 }));
    await world.advance(1);
    await report([counter('crashes', 1)]);
    await world.advance(1);
    await until(
      () => world.served(own.name),
      (strategies) => strategies === null,
    );
  });

  it('is replaced, removed, and bounded in number', async () => {
    const own = await world.planned();
    const first = (await guard(own.params, condition('errors'))).body;
    await guard(own.params, { ...condition('errors', { threshold: 5 }), id: first.id });
    for (let count = 1; count < 5; count++) await guard(own.params, condition(`errors-${count}`));
    await refused(service, 'changeSafeguard', INVALID, { params: own.params, body: condition('more') });
    await refused(service, 'changeSafeguard', MISSING, {
      params: own.params,
      body: { ...condition('x'), id: 'unknown' },
    });
    const params = { ...own.params, safeguardId: first.id };
    await accepted(service, 'deleteSafeguard', { params });
    await refused(service, 'deleteSafeguard', MISSING, { params });
    expect((await world.planOf(own.name)).safeguards).toHaveLength(4);
    for (const body of [condition('x', { windowMinutes: 0 }), condition('x', { operator: '=' }), condition('')])
      await refused(service, 'changeSafeguard', INVALID, { params: own.params, body });
  });
});

it('plans, and plans with safeguards, are limited in number, also several of one flag, and when a removal is undone', async () => {
  const small = await startTestService({ env: { RELEASE_PLANS_LIMIT: '2', GUARDED_RELEASE_PLANS_LIMIT: '1' } });
  try {
    const { body: template } = await accepted(small, 'createReleasePlanTemplate', { body: TEMPLATE });
    const body = { templateId: template.id };
    for (const name of ['one', 'two']) await accepted(small, 'createFeature', { params: DEFAULT, body: { name } });
    const add = async (environment: string) =>
      (await accepted(small, 'addReleasePlan', { params: at('one', environment), body })).body.id as string;
    const plans = { development: await add('development'), production: await add('production') };
    const third = { params: at('two'), body };
    expect((await refused(small, 'addReleasePlan', INVALID, third)).body.message).toContain('RELEASE_PLANS_LIMIT');
    const inDevelopment = { ...at('one'), planId: plans.development };
    const inProduction = { ...at('one', 'production'), planId: plans.production };
    const safeguard = { metricName: 'm', aggregation: 'count', operator: '>', threshold: 1, windowMinutes: 1 };
    for (let count = 0; count < 2; count++)
      await accepted(small, 'changeSafeguard', { params: inDevelopment, body: safeguard });
    const guarded = await refused(small, 'changeSafeguard', INVALID, { params: inProduction, body: safeguard });
    expect(guarded.body.message).toContain('GUARDED_RELEASE_PLANS_LIMIT');
    const { headers } = await accepted(small, 'removeReleasePlan', { params: inProduction });
    await accepted(small, 'addReleasePlan', third);
    const undo = { params: { revision: headers.get('burgee-revision') as string }, body: {} };
    expect((await refused(small, 'undoRevision', INVALID, undo)).body.message).toContain('RELEASE_PLANS_LIMIT');
  } finally {
    await small.close();
  }
});

describe('a signal', () => {
  it('starts the next milestone, a named one, and pauses the plan, in the name of the service account', async () => {
    const own = await world.planned();
    const signals = await signalWorld(service);
    const action = (name: string, milestone?: string) => ({
      action: name,
      executionParams: { environment: 'development', featureName: own.name, milestone },
    });
    const set = {
      name: 'Release',
      actorId: signals.actorId,
      match: { source: 'signal-endpoint', sourceId: signals.endpointId },
      actions: [action('START_NEXT_MILESTONE'), action('START_MILESTONE', 'All'), action('PAUSE_RELEASE_PLAN')],
    };
    await refused(service, 'createActionSet', INVALID, {
      params: DEFAULT,
      body: { ...set, actions: [action('START_MILESTONE')] },
    });
    const { id } = (await accepted(service, 'createActionSet', { params: DEFAULT, body: set })).body;
    const started = await eventsOf(service, async () => {
      await send(service, signals, alertmanager());
      await until(
        async () => (await accepted(service, 'getActionSetEvents', { params: { ...DEFAULT, id } })).body.events,
        ([run]) => run?.state === 'success',
      );
    });
    const steps = started.filter(({ featureName }) => featureName === own.name);
    const { actorId } = signals;
    expect(steps.map(({ type, createdByUserId }) => [type, createdByUserId])).toEqual([
      ['release-plan-milestone-started', actorId],
      ['release-plan-milestone-started', actorId],
      ['release-plan-paused', actorId],
    ]);
    expect([await world.activeOf(own.name), (await world.planOf(own.name)).pausedAt]).toEqual([
      'All',
      expect.any(String),
    ]);
    // The plan is paused: only people start milestones.
    await world.start(own, 'Ten');
    await send(service, signals, alertmanager('firing', 'Again'));
    await until(
      async () => (await accepted(service, 'getActionSetEvents', { params: { ...DEFAULT, id } })).body.events,
      (runs) => runs.some(({ state }: { state: string }) => state === 'failed'),
    );
    expect(await world.activeOf(own.name)).toBe('Ten');
  });
});

describe('in an environment that requires reviews', () => {
  it('plans are changed by change requests only, and approved progressions go on', async () => {
    const { templateId } = await world.planned();
    const name = world.newName();
    await accepted(service, 'createFeature', { params: DEFAULT, body: { name } });
    await world.turn('On', name, 'production');
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
    const plan = await world.planOf(name, 'production');
    expect(await world.activeOf(name, 'production')).toBe('Ten');
    const planParams = { ...at(name, 'production'), planId: plan.id };
    const next = { params: { ...planParams, milestoneId: idOf(plan, 'Half') }, token: author };
    await refused(service, 'startMilestone', FORBIDDEN, next);
    await refused(service, 'removeReleasePlan', FORBIDDEN, { params: planParams, token: author });
    const progression = { params: { ...at(name, 'production'), id: idOf(plan, 'Ten') }, token: author };
    await refused(service, 'deleteMilestoneProgression', FORBIDDEN, progression);
    // A pause puts nothing in use: it needs no review.
    await accepted(service, 'pauseReleasePlan', { params: planParams, token: author });
    await accepted(service, 'resumeReleasePlan', { params: planParams, token: author });
    await world.advance(30);
    await until(
      () => world.activeOf(name, 'production'),
      (active) => active === 'Half',
    );
    const payload = { planId: plan.id, milestoneId: idOf(plan, 'All') };
    await apply({ action: 'startMilestone', payload });
    expect(await world.activeOf(name, 'production')).toBe('All');
    await apply({ action: 'deleteReleasePlan', payload: { planId: plan.id } });
    expect(await world.planOf(name, 'production')).toBeUndefined();
  });
});
