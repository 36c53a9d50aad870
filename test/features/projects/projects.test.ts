import { describe, expect, it } from 'vitest';
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
import { useService } from '../../support/service.ts';

const service = useService();

const create = (body: Record<string, unknown>) => accepted(service, 'createProject', { body });
const overview = async (projectId: string) =>
  (await accepted(service, 'getProjectOverview', { params: { projectId } })).body;

describe('projects', () => {
  it('creates a project with every enabled environment', async () => {
    const { body, headers } = await create({ id: 'mobile', name: 'Mobile' });
    expect(headers.get('burgee-revision')).toMatch(/^\d+$/);
    expect(body).toMatchObject({ defaultStickiness: 'default', environments: ['development', 'production'] });
  });

  it('creates a project with the requested environments', async () => {
    const { body } = await create({ id: 'one-env', name: 'One', environments: ['production', 'production'] });
    expect(body.environments).toEqual(['production']);
  });

  it('derives an id from the name when none is specified, and a different one for the same name', async () => {
    expect((await create({ name: 'Über Größe 7!' })).body.id).toBe('uber-gro-e-7');
    expect((await create({ name: 'Über Größe 7!' })).body.id).toBe('uber-gro-e-7-2');
    expect((await create({ name: '🚀' })).body.id).toMatch(/^project-[0-9a-f]{8}$/);
  });

  it('lists projects with the number of their flags', async () => {
    await create({ id: 'counted', name: 'Counted' });
    await prepare(service, (draft) => {
      draft.put('features', flag('counted-1', { project: 'counted' }));
      draft.put('features', flag('counted-2', { project: 'counted', archived: true }));
    });
    const { body } = await accepted(service, 'getProjects');
    expect(body.version).toBe(1);
    const listed = body.projects.find(({ id }: { id: string }) => id === 'counted');
    expect(listed).toMatchObject({ name: 'Counted', featureCount: 1, archivedFeatureCount: 1, archivedAt: null });
  });

  it('reads a project with statistics about its flags', async () => {
    await create({ id: 'figures', name: 'Figures' });
    await prepare(service, (draft) => {
      draft.put('features', flag('figures-1', { project: 'figures', stale: true }));
      draft.put('features', flag('figures-2', { project: 'figures', type: 'permission' }));
      draft.put('features', flag('figures-3', { project: 'figures', archived: true }));
    });
    expect(await overview('figures')).toMatchObject({
      environments: [{ environment: 'development' }, { environment: 'production' }],
      featureTypeCounts: [
        { type: 'release', count: 1 },
        { type: 'permission', count: 1 },
      ],
      health: 50,
    });
    const read = await accepted(service, 'getProject', { params: { projectId: 'figures' } });
    expect(read.body).toEqual(await overview('figures'));
  });

  it('changes neither the id nor the environments', async () => {
    await create({ id: 'changed', name: 'Before' });
    const body = { name: 'After', id: 'other', environments: [] };
    await accepted(service, 'updateProject', { params: { projectId: 'changed' }, body });
    const environments = [{ environment: 'development' }, { environment: 'production' }];
    expect(await overview('changed')).toMatchObject({ id: 'changed', name: 'After', environments });
  });
});

describe('deleting a project', () => {
  const params = { projectId: 'leaving' };

  it('is refused while it has flags that are not archived, and changes none of them', async () => {
    await create({ id: 'leaving', name: 'Leaving' });
    await prepare(service, (draft) => {
      draft.put('features', flag('leaving-live', { project: 'leaving', environments: [switchedOn('development')] }));
      for (let index = 0; index < 150; index++) {
        draft.put('features', flag(`leaving-${index}`, { project: 'leaving', archived: true }));
      }
    });
    await refused(service, 'deleteProject', CONFLICT, { params });
    expect(service.running.services.state.count('featuresByProject', 'leaving')).toBe(151);
  });

  it('deletes its archived flags, its segments and its tokens as well', async () => {
    await prepare(service, (draft) => draft.remove('features', 'leaving-live'));
    const segment = { name: 'of-leaving', constraints: [], project: 'leaving' };
    await accepted(service, 'createSegment', { body: segment });
    const token = async (tokenName: string, projects: string[]) =>
      (await accepted(service, 'createApiToken', { body: { type: 'client', tokenName, projects } })).body.secret;
    const only = await token('only-leaving', ['leaving']);
    const both = await token('both', ['leaving', 'default']);
    const events = await eventsOf(service, () => accepted(service, 'deleteProject', { params }));
    const { state } = service.running.services;
    expect(state.count('featuresByProject', 'leaving')).toBe(0);
    expect([...state.values('segments')].map(({ name }) => name)).not.toContain('of-leaving');
    expect((await service.call('getAllClientFeatures', { token: only })).status).toBe(401);
    expect((await service.call('getAllClientFeatures', { token: both })).status).toBe(200);
    expect(state.get('apiTokens', both)?.projects).toEqual(['default']);
    expect(events.slice(-4).map(({ type }) => type)).toEqual([
      'segment-deleted',
      'api-token-deleted',
      'api-token-updated',
      'project-deleted',
    ]);
    expect(events.at(-1)).toMatchObject({ project: 'leaving', data: null, preData: { id: 'leaving' } });
    expect(events.filter(({ type }) => type === 'feature-deleted').length).toBeGreaterThan(90);
    await refused(service, 'getProject', MISSING, { params });
  });

  it('leaves nothing for a new project with the same id', async () => {
    await create({ id: 'leaving', name: 'Back' });
    expect(await overview('leaving')).toMatchObject({ featureTypeCounts: [] });
    const { body } = await accepted(service, 'getProjectApiTokens', { params });
    expect(body.tokens).toEqual([]);
  });

  it('is refused for the default project', async () => {
    await refused(service, 'deleteProject', INVALID, { params: { projectId: 'default' } });
  });
});
