import { beforeAll, describe, expect, it } from 'vitest';
import { projectRolesKey } from '../../../src/model/project-roles.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { customRole, give, putGroup } from '../../access/people.ts';
import { accepted, FORBIDDEN, flag, MISSING, prepare, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN, useService } from '../../support/service.ts';

const service = useService();
let ada: string;
let stranger: string;

beforeAll(async () => {
  for (const id of [1, 2, 3]) await putUser(service, id, { rootRole: ROLE_ID.viewer, name: `User ${id}` });
  await putUser(service, 4, { rootRole: ROLE_ID.admin, name: null, username: 'root', email: null });
  ada = await personalTokenOf(service, 1);
  stranger = await personalTokenOf(service, 3);
  await accepted(service, 'createProject', { body: { id: 'mine', name: 'Mine' } });
  await accepted(service, 'createProject', { body: { id: 'closed', name: 'Closed', mode: 'private' } });
  await prepare(service, (draft) => {
    draft.put('roles', customRole(1, 'custom', [{ name: 'CREATE_FEATURE' }]));
    give(draft, 'mine', 'user', 1, [ROLE_ID.owner]);
    putGroup(draft, 7, [1]);
    give(draft, 'mine', 'group', 7, [6]);
    give(draft, 'closed', 'user', 2, [ROLE_ID.owner]);
  });
});

const params = { projectId: 'mine' };
const details = async (token = ada) =>
  (await accepted(service, 'getPersonalDashboardProjectDetails', { params, token })).body;

describe('a personal dashboard', () => {
  it('lists all projects for admins, private ones included, and also the default one for editors', async () => {
    await putUser(service, 5, { rootRole: ROLE_ID.editor });
    await prepare(service, (draft) => give(draft, 'mine', 'user', 5, [ROLE_ID.member]));
    const projectsOf = async (user: number) => {
      const token = await personalTokenOf(service, user);
      const { body } = await accepted(service, 'getPersonalDashboard', { token });
      return body.projects.map(({ id }: { id: string }) => id);
    };
    expect(await projectsOf(4)).toEqual(['closed', 'default', 'mine']);
    expect(await projectsOf(5)).toEqual(['default', 'mine']);
    expect(await projectsOf(3)).toEqual([]);
    await prepare(service, (draft) => {
      draft.remove('projectRoles', projectRolesKey('mine', 'user', 5));
      draft.remove('users', '5');
    });
  });

  it('lists the projects and flags of the caller, the admins, and the project owners', async () => {
    const { body: created } = await accepted(service, 'createFeature', {
      params,
      body: { name: 'by-ada' },
      token: ada,
    });
    expect(created.createdBy.id).toBe(1);
    await prepare(service, (draft) =>
      draft.put(
        'features',
        flag('of-others', { project: 'mine', type: 'permission', createdBy: { id: 9, name: 'x' } }),
      ),
    );
    const { body } = await accepted(service, 'getPersonalDashboard', { token: ada });
    expect(body.projects).toEqual([
      { id: 'mine', name: 'Mine', health: 100, technicalDebt: 0, memberCount: 1, featureCount: 2 },
    ]);
    expect(body.flags).toEqual([{ name: 'by-ada', project: 'mine', type: 'release' }]);
    expect(body.admins.map(({ id, username }: { id: number; username?: string }) => [id, username])).toContainEqual([
      4,
      'root',
    ]);
    const owners = (list: { name: string }[]) => list.map(({ name }) => name);
    expect(owners(body.projectOwners)).toEqual(['User 1']);
    const { body: ofOwner } = await accepted(service, 'getPersonalDashboard', {
      token: await personalTokenOf(service, 2),
    });
    expect(owners(ofOwner.projectOwners).sort()).toEqual(['User 1', 'User 2']);
  });

  it('lists no projects and no flags for a user who has none', async () => {
    const { body } = await accepted(service, 'getPersonalDashboard', { token: stranger });
    expect([body.projects, body.flags]).toEqual([[], []]);
    expect((await accepted(service, 'getPersonalDashboard')).body.projects).toEqual([]);
  });
});

describe('a project on a personal dashboard', () => {
  it('lists its owners, the roles of the caller, and the latest events in Markdown', async () => {
    const body = await details();
    expect(body.owners).toEqual([
      { ownerType: 'user', name: 'User 1', email: 'user-1@example.org', imageUrl: expect.any(String) },
    ]);
    expect(body.roles).toEqual([
      { id: 4, name: 'Owner', type: 'project' },
      { id: 6, name: 'role-1', type: 'custom' },
    ]);
    const [latest] = body.latestEvents;
    expect(latest).toEqual({
      id: expect.any(Number),
      summary: expect.stringContaining('created the flag **[by-ada](/projects/mine/features/by-ada)**'),
      createdBy: 'user-1@example.org',
      createdByImageUrl: expect.stringMatching(/^https:/),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await details(stranger)).roles).toEqual([]);
    const { body: foreign } = await accepted(service, 'getPersonalDashboardProjectDetails', {
      params: { projectId: 'default' },
      token: ada,
    });
    expect(foreign.owners).toEqual([{ ownerType: 'system' }]);
  });

  it('reports the health of its flags', async () => {
    const projectId = 'worn';
    await accepted(service, 'createProject', { body: { id: projectId, name: 'Worn' } });
    await prepare(service, (draft) => {
      for (const [name, stale] of [
        ['worn-1', true],
        ['worn-2', false],
        ['worn-3', false],
        ['worn-4', false],
      ] as const)
        draft.put('features', flag(name, { project: projectId, stale, type: 'permission' }));
    });
    const { body } = await accepted(service, 'getPersonalDashboardProjectDetails', { params: { projectId } });
    expect(body.insights).toEqual({
      avgHealthCurrentWindow: null,
      avgHealthPastWindow: null,
      totalFlags: 4,
      activeFlags: 3,
      staleFlags: 1,
      potentiallyStaleFlags: 0,
      health: 75,
      technicalDebt: 25,
    });
    const { body: insights } = await accepted(service, 'getProjectInsights', { params: { projectId } });
    expect(insights.technicalDebt).toEqual({ rating: 25, activeCount: 3, potentiallyStaleCount: 0, staleCount: 1 });
  });

  it('lists at most ten events, newest first, and none of another project', async () => {
    for (let count = 0; count < 12; count++)
      await accepted(service, 'updateProject', { params, body: { description: String(count) } });
    await accepted(service, 'updateProject', { params: { projectId: 'default' }, body: { description: 'x' } });
    const ids = (await details()).latestEvents.map(({ id }: { id: number }) => id);
    expect(ids).toHaveLength(10);
    expect([...ids].sort((left, right) => right - left)).toEqual(ids);
  });

  it('reports the onboarding status of the project', { timeout: 120_000 }, async () => {
    const { projectId } = { projectId: 'young' };
    await accepted(service, 'createProject', { body: { id: projectId, name: 'Young' } });
    const status = async () => {
      const { body } = await accepted(service, 'getPersonalDashboardProjectDetails', { params: { projectId } });
      return body.onboardingStatus;
    };
    expect(await status()).toEqual({ status: 'onboarding-started' });
    await accepted(service, 'createFeature', { params: { projectId }, body: { name: 'young-1' } });
    await accepted(service, 'createFeature', { params: { projectId }, body: { name: 'young-2' } });
    expect(await status()).toEqual({ status: 'first-flag-created', feature: 'young-1' });
    const [start, stop] = [new Date(Date.now() - 1_000), new Date()].map((time) => time.toISOString());
    const bucket = { start, stop, toggles: { 'young-2': { yes: 3, no: 1 } } };
    await accepted(service, 'registerClientMetrics', { body: { appName: 'shop', instanceId: 'one', bucket } });
    await expect.poll(status, { timeout: 90_000 }).toEqual({ status: 'onboarded' });
    await expect
      .poll(
        async () => {
          const { body } = await accepted(service, 'getProjects');
          return body.projects.find(({ id }: { id: string }) => id === projectId).lastReportedFlagUsage;
        },
        { timeout: 90_000 },
      )
      .not.toBe(null);
  });

  it('returns 401 without a valid token, 403 with one of another kind, 404 for a project that is not visible', async () => {
    const operation = 'getPersonalDashboardProjectDetails';
    await refused(service, operation, UNAUTHENTICATED, { params, token: null });
    await refused(service, operation, UNAUTHENTICATED, { params, token: 'user:unknown' });
    await refused(service, operation, FORBIDDEN, { params, token: CLIENT_TOKEN });
    await refused(service, operation, MISSING, { params: { projectId: 'nowhere' }, token: ada });
    await refused(service, operation, MISSING, { params: { projectId: 'closed' }, token: ada });
  });
});
