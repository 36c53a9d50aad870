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
  it('creates a project with every enabled environment, and returns its location', async () => {
    const [event] = await eventsOf(service, async () => {
      const answer = await create({ id: 'mobile', name: 'Mobile', description: 'Apps', mode: 'protected' });
      expect(answer.status).toBe(201);
      expect(answer.headers.get('location')).toBe('/api/admin/projects/mobile');
      expect(answer.headers.get('burgee-revision')).toMatch(/^\d+$/);
      expect(answer.body).toEqual({
        id: 'mobile',
        name: 'Mobile',
        description: 'Apps',
        mode: 'protected',
        defaultStickiness: 'default',
        featureLimit: null,
        environments: ['development', 'production'],
      });
    });
    expect(event).toMatchObject({
      type: 'project-created',
      project: 'mobile',
      data: { name: 'Mobile' },
      preData: null,
    });
    expect(event?.createdBy).toBe('init-admin-1');
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

  it('accepts ids that are special in JavaScript', async () => {
    for (const id of ['__proto__', 'constructor', 'toString', "a!b*c'd(e)"]) {
      await create({ id, name: id });
      expect(await overview(id)).toMatchObject({ id, name: id });
    }
  });

  it('refuses an id that is taken', async () => {
    await create({ id: 'taken', name: 'First' });
    await refused(service, 'createProject', CONFLICT, { body: { id: 'taken', name: 'Second' } });
    await refused(service, 'validateProject', CONFLICT, { body: { id: 'taken' } });
    expect((await overview('taken')).name).toBe('First');
  });

  it.each([
    ['an id with a slash', { id: 'a/b', name: 'x' }],
    ['an id with a percent sign', { id: 'a%20b', name: 'x' }],
    ['an id that is an emoji', { id: '🚀', name: 'x' }],
    ['two dots as id', { id: '..', name: 'x' }],
    ['an id that is too long', { id: 'x'.repeat(101), name: 'x' }],
    ['no name', { id: 'x' }],
    ['a blank name', { id: 'x', name: ' ' }],
    ['an unknown mode', { id: 'x', name: 'x', mode: 'secret' }],
    ['a limit below 0', { id: 'x', name: 'x', featureLimit: -1 }],
    ['an environment that does not exist', { id: 'x', name: 'x', environments: ['nowhere'] }],
    ['environments that are not a list', { id: 'x', name: 'x', environments: 'production' }],
  ])('refuses to create a project with %s', async (_what, body) => {
    await refused(service, 'createProject', INVALID, { body });
  });

  it('validates a free id, and refuses an invalid one', async () => {
    expect((await accepted(service, 'validateProject', { body: { id: 'free' } })).body).toEqual({ valid: true });
    await refused(service, 'validateProject', INVALID, { body: { id: 'not free' } });
    // In tokens, `*` means all projects.
    await refused(service, 'validateProject', INVALID, { body: { id: '*' } });
    await refused(service, 'createProject', INVALID, { body: { id: '*', name: 'All' } });
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

  it('returns 404 for projects that do not exist', async () => {
    const params = { projectId: 'nowhere' };
    await refused(service, 'getProject', MISSING, { params });
    await refused(service, 'getProjectOverview', MISSING, { params });
    await refused(service, 'updateProject', MISSING, { params, body: { name: 'x' } });
    await refused(service, 'deleteProject', MISSING, { params });
  });

  it('changes the specified properties and keeps the others', async () => {
    await create({ id: 'changed', name: 'Before', description: 'kept' });
    const [event] = await eventsOf(service, () =>
      accepted(service, 'updateProject', {
        params: { projectId: 'changed' },
        body: { name: 'After', featureLimit: 5, id: 'other', environments: [] },
      }),
    );
    expect(await overview('changed')).toMatchObject({
      id: 'changed',
      name: 'After',
      description: 'kept',
      featureLimit: 5,
    });
    expect(event).toMatchObject({
      type: 'project-updated',
      project: 'changed',
      data: { name: 'After', environments: ['development', 'production'] },
      preData: { name: 'Before' },
    });
  });

  it('refuses invalid changes', async () => {
    for (const body of [{ name: '' }, { mode: 'x' }, { description: 7 }]) {
      await refused(service, 'updateProject', INVALID, { params: { projectId: 'default' }, body });
    }
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
