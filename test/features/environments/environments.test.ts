import { describe, expect, it } from 'vitest';
import { accepted, eventsOf, flag, INVALID, MISSING, prepare, refused, switchedOn } from '../../support/admin.ts';
import { useService } from '../../support/service.ts';

const service = useService();

const create = (body: Record<string, unknown>) => accepted(service, 'createEnvironment', { body });
const read = async (name: string) => (await accepted(service, 'getEnvironment', { params: { name } })).body;

describe('environments', () => {
  it('of a fresh instance are development and production', async () => {
    const { body } = await accepted(service, 'getAllEnvironments');
    expect(body).toEqual({
      version: 1,
      environments: [
        {
          name: 'development',
          type: 'development',
          enabled: true,
          protected: false,
          sortOrder: 100,
          requireReason: false,
          fetchMode: null,
          projectCount: 1,
          apiTokenCount: 2,
          enabledToggleCount: 0,
          requiredApprovals: null,
          defaultStrategy: null,
        },
        {
          name: 'production',
          type: 'production',
          enabled: true,
          protected: false,
          sortOrder: 200,
          requireReason: false,
          fetchMode: null,
          projectCount: 1,
          apiTokenCount: 0,
          enabledToggleCount: 0,
          requiredApprovals: null,
          defaultStrategy: null,
        },
      ],
    });
  });

  it('count only the live flags that are on in them', async () => {
    await prepare(service, (draft) => {
      draft.put('features', flag('on', { environments: [switchedOn('development')] }));
      draft.put('features', flag('off', { environments: [{ ...switchedOn('development'), enabled: false }] }));
      draft.put('features', flag('gone', { archived: true, environments: [switchedOn('development')] }));
    });
    expect(await read('development')).toMatchObject({ enabledToggleCount: 1 });
    expect(await read('production')).toMatchObject({ enabledToggleCount: 0 });
  });

  it('are created without projects, and enabled unless the request says otherwise', async () => {
    await create({ name: 'staging', type: 'preproduction', sortOrder: 150, protected: true });
    expect(await read('staging')).toMatchObject({ projectCount: 0, enabled: true, protected: false });
    expect((await create({ name: 'dim', type: 'test', enabled: false })).body.enabled).toBe(false);
  });

  it('change only their type and sort order', async () => {
    await accepted(service, 'updateEnvironment', {
      params: { name: 'staging' },
      body: { type: 'test', name: 'other', enabled: false, protected: true },
    });
    expect(await read('staging')).toMatchObject({ type: 'test', enabled: true, protected: false, sortOrder: 150 });
  });

  it('state how SDKs get changes: with the event, the undo and the clone of their other settings', async () => {
    const name = 'moving';
    expect((await create({ name, type: 'test', fetchMode: 'streaming' })).body.fetchMode).toBe('streaming');
    const clone = { params: { name }, body: { name: 'moving-too', type: 'test', projects: [] } };
    expect((await accepted(service, 'cloneEnvironment', clone)).body.fetchMode).toBe('streaming');
    const update = (body: object) => accepted(service, 'updateEnvironment', { params: { name }, body });
    const [event] = await eventsOf(service, () => update({ fetchMode: 'polling' }));
    expect(event).toMatchObject({ data: { fetchMode: 'polling' }, preData: { fetchMode: 'streaming' } });
    const revision = service.running.services.state.seq;
    await accepted(service, 'undoRevision', { params: { revision }, body: {} });
    expect(await read(name)).toMatchObject({ fetchMode: 'streaming' });
    expect((await update({ sortOrder: 7 })).body.fetchMode).toBe('streaming');
    expect((await update({ fetchMode: null })).body.fetchMode).toBe(null);
    await refused(service, 'updateEnvironment', INVALID, { params: { name }, body: { fetchMode: 'pushing' } });
  });

  it('are switched off and on without an effect on the projects that have them', async () => {
    const params = { name: 'development' };
    const events = await eventsOf(service, async () => {
      expect((await accepted(service, 'toggleEnvironmentOff', { params })).status).toBe(204);
      expect(await read('development')).toMatchObject({ enabled: false, projectCount: 1 });
      const { body } = await accepted(service, 'getAllClientFeatures');
      expect(body.features).toMatchObject([{ name: 'off' }, { name: 'on', enabled: true }]);
      expect((await accepted(service, 'toggleEnvironmentOn', { params })).status).toBe(204);
      expect((await accepted(service, 'toggleEnvironmentOn', { params })).status).toBe(204);
    });
    expect(await read('development')).toMatchObject({ enabled: true });
    expect(events).toMatchObject([
      { type: 'environment-updated', data: { enabled: false }, preData: { enabled: true } },
      { type: 'environment-updated', data: { enabled: true }, preData: { enabled: false } },
    ]);
  });

  it('are sorted, all of them or none', async () => {
    await refused(service, 'updateSortOrder', MISSING, { body: { production: 1, nowhere: 2 } });
    await refused(service, 'updateSortOrder', INVALID, { body: { production: 'first' } });
    await accepted(service, 'updateSortOrder', { body: { production: 1, development: 2 } });
    const { body } = await accepted(service, 'getAllEnvironments');
    expect(body.environments.slice(0, 2).map(({ name }: { name: string }) => name)).toEqual([
      'production',
      'development',
    ]);
  });

  it('are listed as a project sees them', async () => {
    const { body } = await accepted(service, 'getProjectEnvironments', { params: { projectId: 'default' } });
    const seen = (name: string) => body.environments.find((entry: { name: string }) => entry.name === name);
    expect(seen('development')).toMatchObject({ visible: true, projectEnabledToggleCount: 1, projectApiTokenCount: 2 });
    expect(seen('staging')).toMatchObject({ visible: false, projectEnabledToggleCount: 0, projectApiTokenCount: 0 });
    expect(seen('development').defaultStrategy).toBeNull();
    await refused(service, 'getProjectEnvironments', MISSING, { params: { projectId: 'nowhere' } });
  });
});

describe('deleting an environment', () => {
  it('is refused when it is protected', async () => {
    await prepare(service, (draft) => {
      draft.put('environments', { name: 'vault', type: 'production', enabled: true, protected: true, sortOrder: 1 });
    });
    await refused(service, 'removeEnvironment', INVALID, { params: { name: 'vault' } });
    expect(await read('vault')).toMatchObject({ protected: true });
  });

  it('removes it from projects, with its tokens and the configuration of flags in it', async () => {
    const environment = 'short-lived';
    await create({ name: environment, type: 'test' });
    await accepted(service, 'addEnvironmentToProject', { params: { projectId: 'default' }, body: { environment } });
    await prepare(service, (draft) => {
      draft.put('features', flag('on', { environments: [switchedOn('development'), switchedOn(environment)] }));
    });
    const made = { type: 'client', tokenName: 'short', environment };
    const token = (await accepted(service, 'createApiToken', { body: made })).body.secret;
    expect((await accepted(service, 'getAllClientFeatures', { token })).body.features).toHaveLength(2);
    const events = await eventsOf(service, () =>
      accepted(service, 'removeEnvironment', { params: { name: environment } }),
    );
    expect(events.map((event) => [event.type, event.project, event.environment])).toEqual([
      ['project-environment-removed', 'default', environment],
      ['api-token-deleted', '*', environment],
      ['environment-deleted', null, environment],
    ]);
    expect(events.at(-1)?.preData).toMatchObject({ name: environment, type: 'test' });
    expect((await service.call('getAllClientFeatures', { token })).status).toBe(401);
    await refused(service, 'getEnvironment', MISSING, { params: { name: environment } });
    const { state } = service.running.services;
    expect(state.get('features', 'on')?.environments).toMatchObject([{ environment: 'development' }]);
    expect(state.get('projects', 'default')?.environments).toEqual(['development', 'production']);
  });
});
