import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectStatusEndpoints } from '../../../src/features/projects/status-routes.ts';
import { give, putGroup, user } from '../../access/people.ts';
import {
  accepted,
  CONFLICT,
  eventsOf,
  flag,
  INVALID,
  MISSING,
  prepare,
  refused,
  switchedOn,
} from '../../support/admin.ts';
import { exportOf } from '../../support/exports.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const DAY_MS = 24 * 3_600_000;
const NOW_MS = Date.parse('2026-06-30T12:00:00.000Z');
const daysAgo = (days: number) => new Date(NOW_MS - days * DAY_MS).toISOString();

let service: TestService;
let clock: ManualClock;

beforeAll(async () => {
  clock = new ManualClock(NOW_MS);
  service = await startTestService({ clock });
});

afterAll(() => service.close());

const create = (id: string, more: object = {}) =>
  accepted(service, 'createProject', { body: { id, name: id, ...more } });
const read = async (operationId: string, projectId: string) =>
  (await accepted(service, operationId, { params: { projectId } })).body;
const overview = (projectId: string) => read('getProjectOverview', projectId);
const listed = async (projectId: string, query = '') => {
  const { body } = await accepted(service, 'getProjects', { query });
  return body.projects.find(({ id }: { id: string }) => id === projectId);
};
/** The cached statistics of an unchanged project are at most one minute old. */
const aMinute = () => clock.advance(60_001);

describe('a project in lists and overviews', () => {
  it('counts its direct members and its group members, each once', async () => {
    await create('members');
    await prepare(service, (draft) => {
      for (const id of [1, 2, 3, 4]) draft.put('users', user(id));
      putGroup(draft, 1, [2, 3]);
      give(draft, 'members', 'user', 1, [4]);
      give(draft, 'members', 'user', 2, [5]);
      give(draft, 'members', 'group', 1, [5]);
    });
    expect((await overview('members')).members).toBe(3);
    expect((await listed('members')).memberCount).toBe(3);
    await prepare(service, (draft) => {
      draft.put('groupMembers', { groupId: 1, userId: 4, joinedAt: daysAgo(0), createdBy: null, bySignOn: false });
    });
    expect((await overview('members')).members).toBe(4);
    await accepted(service, 'removeAccessOfProjectGroup', { params: { projectId: 'members', id: 1 } });
    expect((await listed('members')).memberCount).toBe(2);
    expect((await read('getProjectInsights', 'members')).members.currentMembers).toBe(2);
    expect((await read('getProjectStatus', 'members')).resources.members).toBe(2);
  });

  it('names its owners, or the system if there are none', async () => {
    await create('owned');
    expect((await listed('owned')).owners).toEqual([{ ownerType: 'system' }]);
    await prepare(service, (draft) => {
      draft.put('users', user(5, { name: 'Ada' }));
      putGroup(draft, 5, []);
      give(draft, 'owned', 'user', 5, [4, 5]);
      give(draft, 'owned', 'group', 5, [4]);
    });
    expect((await listed('owned')).owners).toEqual([
      { ownerType: 'user', name: 'Ada', email: 'user-5@example.org', imageUrl: expect.stringMatching(/^https:/) },
      { ownerType: 'group', name: 'group-5' },
    ]);
  });

  it('reports its stale flags, its health and its onboarding status', async () => {
    await create('health');
    expect(await listed('health')).toMatchObject({ health: 100, technicalDebt: 0, featureCount: 0 });
    expect((await overview('health')).onboardingStatus).toEqual({ status: 'onboarding-started' });
    await prepare(service, (draft) => {
      const of = (name: string, rest: object) => draft.put('features', flag(name, { project: 'health', ...rest }));
      of('health-1', { stale: true, createdAt: daysAgo(3) });
      of('health-2', { type: 'permission', createdAt: daysAgo(5) });
      of('health-3', { type: 'permission', createdAt: daysAgo(1) });
      of('health-4', { type: 'permission', createdAt: daysAgo(2) });
      of('health-5', { archived: true, archivedAt: daysAgo(40), createdAt: daysAgo(45) });
    });
    const expected = {
      health: 75,
      technicalDebt: 25,
      onboardingStatus: { status: 'first-flag-created', feature: 'health-5' },
    };
    expect(await listed('health')).toMatchObject({
      ...expected,
      featureCount: 4,
      archivedFeatureCount: 1,
      staleFeatureCount: 1,
      lastReportedFlagUsage: null,
    });
    expect(await overview('health')).toMatchObject(expected);
    const insights = await read('getProjectInsights', 'health');
    expect(insights.health).toMatchObject({ rating: 75, activeCount: 3, staleCount: 1 });
    expect(insights.featureTypeCounts).toEqual(
      expect.arrayContaining([
        { type: 'release', count: 1 },
        { type: 'permission', count: 3 },
      ]),
    );
    expect(insights.stats).toMatchObject({
      createdCurrentWindow: 4,
      createdPastWindow: 1,
      archivedCurrentWindow: 0,
      archivedPastWindow: 1,
    });
    const report = await read('getProjectHealthReport', 'health');
    expect(report).toMatchObject({ staleCount: 1, activeCount: 3, health: 75 });
    expect(report.features.map(({ name }: { name: string }) => name).sort()).toEqual(
      [1, 2, 3, 4].map((n) => `health-${n}`),
    );
    await prepare(service, (draft) => {
      const known = draft.get('features', 'health-1');
      if (known) draft.put('features', { ...known, stale: false });
    });
    expect((await listed('health')).staleFeatureCount).toBe(0);
  });

  it('reports the time to production of flags, from creation until they are first on there', async () => {
    await create('lead');
    const params = { projectId: 'lead' };
    for (const name of ['lead-1', 'lead-2', 'lead-3'])
      await accepted(service, 'createFeature', { params, body: { name } });
    const turn = (position: 'On' | 'Off', featureName: string, environment: string) =>
      accepted(service, `toggleFeatureEnvironment${position}`, { params: { ...params, featureName, environment } });
    clock.advance(DAY_MS);
    await turn('On', 'lead-1', 'production');
    await turn('On', 'lead-2', 'development');
    clock.advance(DAY_MS);
    await turn('Off', 'lead-1', 'production');
    await turn('On', 'lead-1', 'production');
    await turn('On', 'lead-2', 'production');
    const dora = await read('getProjectDora', 'lead');
    expect(dora.projectAverage).toBe(1.5);
    expect(dora.features).toEqual(
      expect.arrayContaining([
        { name: 'lead-1', timeToProduction: 1 },
        { name: 'lead-2', timeToProduction: 2 },
      ]),
    );
    expect(dora.features).toHaveLength(2);
    expect((await read('getProjectInsights', 'lead')).leadTime.projectAverage).toBe(1.5);
    expect((await overview('lead')).stats.avgTimeToProdCurrentWindow).toBe(1.5);
    expect((await listed('lead')).avgTimeToProduction).toBe(1.5);
    const body = { name: 'lead-clone' };
    await accepted(service, 'cloneFeature', { params: { ...params, featureName: 'lead-1' }, body });
    expect((await read('getProjectDora', 'lead')).features).toHaveLength(2);
    aMinute();
  });

  it('reports its activity by day, and the time of its last change', async () => {
    await create('active');
    const params = { projectId: 'active' };
    const before = await listed('active');
    clock.advance(3 * DAY_MS);
    await accepted(service, 'createFeature', { params, body: { name: 'active-1' } });
    await accepted(service, 'archiveFeature', { params: { ...params, featureName: 'active-1' } });
    const after = await listed('active');
    expect(Date.parse(after.lastUpdatedAt) - Date.parse(before.lastUpdatedAt)).toBe(3 * DAY_MS);
    const status = await read('getProjectStatus', 'active');
    const days = status.activityCountByDate;
    expect(days.map(({ count }: { count: number }) => count)).toEqual([1, 2]);
    expect(Date.parse(days[1].date) - Date.parse(days[0].date)).toBe(3 * DAY_MS);
    expect(status.lifecycleSummary.archived).toEqual({ currentFlags: 1, last30Days: 1 });
    expect((await overview('active')).stats).toMatchObject({
      projectActivityCurrentWindow: 3,
      projectActivityPastWindow: 0,
    });
    clock.advance(40 * DAY_MS);
    expect((await overview('active')).stats).toMatchObject({
      projectActivityCurrentWindow: 0,
      projectActivityPastWindow: 3,
    });
  });

  it('names the users who created its flags', async () => {
    await create('made');
    await prepare(service, (draft) => {
      draft.put('users', user(11, { name: 'Grace' }));
      draft.put('features', flag('made-1', { project: 'made', createdBy: { id: 11, name: 'x' } }));
      draft.put('features', flag('made-2', { project: 'made', createdBy: { id: 11, name: 'x' } }));
      draft.put('features', flag('made-3', { project: 'made', createdBy: { id: -42, name: 'token' } }));
    });
    expect(await read('getProjectFlagCreators', 'made')).toEqual([{ id: 11, name: 'Grace' }]);
  });

  it('returns 404 when it does not exist', async () => {
    for (const { operationId } of projectStatusEndpoints.filter((one) => one.path.includes(':projectId')))
      await refused(service, operationId, MISSING, { params: { projectId: 'nowhere' } });
  });
});

describe('the creators of flags', () => {
  it('are listed for all projects that the caller can see, in pages', async () => {
    await putUser(service, 61, { name: 'Creator' });
    await putUser(service, 62, { name: 'Hidden creator' });
    await putUser(service, 63, { rootRole: 3 });
    await create('creators-secret', { mode: 'private' });
    await prepare(service, (draft) => {
      draft.put('features', flag('creators-1', { createdBy: { id: 61, name: 'x' } }));
      draft.put('features', flag('creators-2', { project: 'creators-secret', createdBy: { id: 62, name: 'x' } }));
    });
    const { body: all } = await accepted(service, 'getFlagCreators');
    expect(all.flagCreators).toEqual(expect.arrayContaining([{ id: 61, name: 'Creator' }]));
    expect(all.flagCreators).toEqual(expect.arrayContaining([{ id: 62, name: 'Hidden creator' }]));
    expect(all.total).toBe(all.flagCreators.length);
    await accepted(service, 'getFlagCreators', { query: 'limit=10000' });
    const { body: page } = await accepted(service, 'getFlagCreators', { query: `limit=1&offset=${all.total - 1}` });
    expect(page).toEqual({ flagCreators: all.flagCreators.slice(-1), total: all.total });
    const token = await personalTokenOf(service, 63);
    const { body: visible } = await accepted(service, 'getFlagCreators', { token });
    expect(visible.flagCreators).not.toEqual(expect.arrayContaining([{ id: 62, name: 'Hidden creator' }]));
  });
});

describe('a project in the archive', () => {
  it('is listed only there, is not found elsewhere, and can be revived', async () => {
    await create('away');
    const params = { projectId: 'away' };
    await prepare(service, (draft) => draft.put('features', flag('away-1', { project: 'away' })));
    await refused(service, 'archiveProject', CONFLICT, { params });
    await accepted(service, 'archiveFeature', { params: { ...params, featureName: 'away-1' } });
    const events = await eventsOf(service, async () => {
      await accepted(service, 'archiveProject', { params });
      await refused(service, 'getProject', MISSING, { params });
      await refused(service, 'archiveProject', MISSING, { params });
      expect(await listed('away')).toBeUndefined();
      expect(await listed('away', 'archived=true')).toMatchObject({ archivedFeatureCount: 1 });
      await accepted(service, 'reviveProject', { params });
      await refused(service, 'reviveProject', MISSING, { params });
    });
    expect(events.map(({ type }) => type)).toEqual(['project-archived', 'project-revived']);
    expect((await overview('away')).archivedAt).toBe(null);
    await refused(service, 'archiveProject', INVALID, { params: { projectId: 'default' } });
    await accepted(service, 'archiveProject', { params });
    await accepted(service, 'deleteProject', { params });
    expect(service.running.services.state.count('featuresByProject', 'away')).toBe(0);
  });
});

describe('the naming pattern of flags', () => {
  const params = { projectId: 'named' };
  const settings = (body: unknown) => ({ params, body });

  it('applies to every new flag, and not to existing flags', async () => {
    await create('named');
    await accepted(service, 'createFeature', { params, body: { name: 'Before' } });
    const featureNaming = { pattern: 'team-[a-z]+', example: 'team-a', description: 'Your team first' };
    await accepted(service, 'updateProjectEnterpriseSettings', settings({ featureNaming }));
    expect((await overview('named')).featureNaming).toEqual(featureNaming);
    await refused(service, 'createFeature', INVALID, { params, body: { name: 'my-team-a' } });
    await refused(service, 'createFeature', INVALID, { params, body: { name: 'team-a1' } });
    await accepted(service, 'createFeature', { params, body: { name: 'team-a' } });
    const clone = { ...params, featureName: 'team-a' };
    await refused(service, 'cloneFeature', INVALID, { params: clone, body: { name: 'other' } });
    const data = exportOf('imported');
    const body = { project: 'named', environment: 'development', data };
    await refused(service, 'importFeatures', INVALID, { body });
    await accepted(service, 'updateFeature', { params: { ...params, featureName: 'Before' }, body: { stale: true } });
    await accepted(service, 'updateProjectEnterpriseSettings', settings({ featureNaming: { pattern: '' } }));
    await accepted(service, 'createFeature', { params, body: { name: 'anything' } });
  });

  it('is refused when it is invalid or too expensive, and so are invalid link templates', async () => {
    for (const pattern of ['(', 'a'.repeat(501), '(a{1000}){1000}'])
      await refused(service, 'updateProjectEnterpriseSettings', INVALID, settings({ featureNaming: { pattern } }));
    const featureNaming = { pattern: '[a-z]+', example: 'A' };
    await refused(service, 'updateProjectEnterpriseSettings', INVALID, settings({ featureNaming }));
    const linkTemplates = [{ urlTemplate: 'javascript:alert(1)' }];
    await refused(service, 'updateProjectEnterpriseSettings', INVALID, settings({ linkTemplates }));
    const many = Array.from({ length: 11 }, () => ({ urlTemplate: 'https://example.org/{{feature}}' }));
    await refused(service, 'updateProjectEnterpriseSettings', INVALID, settings({ linkTemplates: many }));
    await accepted(service, 'updateProjectEnterpriseSettings', settings({ linkTemplates: many.slice(1) }));
    expect((await overview('named')).linkTemplates).toHaveLength(10);
    const { body } = await accepted(service, 'createFeature', { params, body: { name: 'linked' } });
    expect(body.links).toHaveLength(10);
    expect(body.links[0]).toMatchObject({ url: 'https://example.org/linked', title: null });
  });
});

describe('the default strategy of a project in an environment', () => {
  const params = { projectId: 'stated', environment: 'development' };
  const strategyOf = (name: string) =>
    service.running.services.state
      .get('features', name)
      ?.environments.find(({ environment }) => environment === 'development')?.strategies[0];

  it('is added to a flag that is switched on without a strategy', async () => {
    await create('stated');
    const body = { name: 'flexibleRollout', parameters: { rollout: '30', stickiness: 'userId' }, title: 'Slowly' };
    const [event] = await eventsOf(service, async () => {
      const { body: added } = await accepted(service, 'addDefaultStrategyToProjectEnvironment', { params, body });
      expect(added).toMatchObject({ name: 'flexibleRollout', title: 'Slowly', segments: [] });
    });
    expect(event).toMatchObject({ type: 'default-strategy-updated', project: 'stated', environment: 'development' });
    const { environments } = await overview('stated');
    expect(environments).toEqual([
      {
        environment: 'development',
        changeRequestsEnabled: false,
        defaultStrategy: expect.objectContaining({ title: 'Slowly' }),
      },
      { environment: 'production', changeRequestsEnabled: false },
    ]);
    await accepted(service, 'createFeature', { params, body: { name: 'stated-1' } });
    await accepted(service, 'toggleFeatureEnvironmentOn', { params: { ...params, featureName: 'stated-1' } });
    expect(strategyOf('stated-1')).toMatchObject({
      title: 'Slowly',
      parameters: { rollout: '30', stickiness: 'userId', groupId: 'stated-1' },
    });
    await prepare(service, (draft) =>
      draft.put('features', flag('stated-2', { project: 'stated', environments: [switchedOn('development')] })),
    );
    await accepted(service, 'toggleFeatureEnvironmentOn', { params: { ...params, featureName: 'stated-2' } });
    expect(strategyOf('stated-2')?.title).toBe(null);
  });

  it('protects the segment and the strategy type that it uses, and is removed with its environment', async () => {
    const { body: segment } = await accepted(service, 'createSegment', { body: { name: 'stated', constraints: [] } });
    await accepted(service, 'createStrategy', { body: { name: 'own', parameters: [] } });
    const body = { name: 'own', segments: [segment.id] };
    await accepted(service, 'addDefaultStrategyToProjectEnvironment', { params, body });
    await refused(service, 'removeSegment', CONFLICT, { params: { id: segment.id } });
    await refused(service, 'removeStrategy', CONFLICT, { params: { name: 'own' } });
    const moving = { params: { id: segment.id }, body: { name: 'stated', constraints: [], project: 'default' } };
    await refused(service, 'updateSegment', CONFLICT, moving);
    await accepted(service, 'removeEnvironmentFromProject', { params });
    await accepted(service, 'removeSegment', { params: { id: segment.id } });
    await accepted(service, 'addEnvironmentToProject', { params, body: { environment: 'development' } });
    expect((await overview('stated')).environments[0]).not.toHaveProperty('defaultStrategy');
  });

  it('is refused when it would be invalid for a flag', async () => {
    const call = (body: unknown, more: object = {}) => ({ params: { ...params, ...more }, body });
    const operation = 'addDefaultStrategyToProjectEnvironment';
    await refused(service, operation, INVALID, call({ name: 'unknown' }));
    await refused(service, operation, INVALID, call({ name: 'default', segments: [999] }));
    await refused(service, operation, INVALID, call({ name: 'flexibleRollout', parameters: { rollout: '101' } }));
    const values = Array.from({ length: 251 }, (_, index) => String(index));
    const constraints = [{ contextName: 'userId', operator: 'IN', values }];
    await refused(service, operation, INVALID, call({ name: 'default', constraints }));
    await refused(service, operation, MISSING, call({ name: 'default' }, { environment: 'nowhere' }));
    await refused(service, operation, MISSING, call({ name: 'default' }, { projectId: 'nowhere' }));
    const reader = await personalTokenOf(service, 1);
    const { status } = await service.call(operation, { ...call({ name: 'default' }), token: reader });
    expect(status).toBe(403);
  });
});
