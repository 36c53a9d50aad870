import { beforeAll, describe, expect, it } from 'vitest';
import { featureEnvironment } from '../../../src/model/feature.ts';
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

beforeAll(async () => {
  await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop', environments: ['development'] } });
});

const names = async (projectId: string): Promise<string[]> => {
  const { body } = await accepted(service, 'getEnvironmentsOfProject', { params: { projectId } });
  return body.environments.map(({ name }: { name: string }) => name);
};

const served = async (): Promise<string[]> =>
  (await accepted(service, 'getAllClientFeatures')).body.features.map(({ name }: { name: string }) => name);

describe('environments of a project', () => {
  it('are listed in their order, with the counts of the project', async () => {
    const { body } = await accepted(service, 'getEnvironmentsOfProject', { params: { projectId: 'default' } });
    expect(body.environments).toMatchObject([
      {
        name: 'development',
        type: 'development',
        visible: true,
        projectEnabledToggleCount: 0,
        projectApiTokenCount: 2,
      },
      { name: 'production', type: 'production', visible: true, projectEnabledToggleCount: 0, projectApiTokenCount: 0 },
    ]);
    expect(await names('shop')).toEqual(['development']);
  });

  it('include the default strategy of the project, if there is one', async () => {
    const strategy = { name: 'flexibleRollout', parameters: { rollout: '40', stickiness: 'default', groupId: '' } };
    const params = { projectId: 'default', environment: 'production' };
    await accepted(service, 'addDefaultStrategyToProjectEnvironment', { params, body: strategy });
    const ofProject = (await accepted(service, 'getEnvironmentsOfProject', { params })).body.environments;
    const asSeen = (await accepted(service, 'getProjectEnvironments', { params })).body.environments;
    for (const environments of [ofProject, asSeen]) {
      expect(environments[0]).toMatchObject({ name: 'development', defaultStrategy: null });
      expect(environments[1]).toMatchObject({ name: 'production', defaultStrategy: strategy });
    }
  });

  it('can be added', async () => {
    const [event] = await eventsOf(service, () =>
      accepted(service, 'addEnvironmentToProject', {
        params: { projectId: 'shop' },
        body: { environment: 'production' },
      }),
    );
    expect(event).toMatchObject({ type: 'project-environment-added', project: 'shop', environment: 'production' });
    expect(await names('shop')).toEqual(['development', 'production']);
  });

  it('cannot be added twice, nor when they are off, nor when they do not exist', async () => {
    const params = { projectId: 'shop' };
    await refused(service, 'addEnvironmentToProject', CONFLICT, { params, body: { environment: 'production' } });
    await accepted(service, 'createEnvironment', { body: { name: 'dark', type: 'test', enabled: false } });
    await refused(service, 'addEnvironmentToProject', CONFLICT, { params, body: { environment: 'dark' } });
    await refused(service, 'addEnvironmentToProject', INVALID, { params, body: { environment: 'nowhere' } });
    await refused(service, 'addEnvironmentToProject', INVALID, { params, body: {} });
    await refused(service, 'addEnvironmentToProject', MISSING, {
      params: { projectId: 'nowhere' },
      body: { environment: 'production' },
    });
  });

  it('return 404 for a project that does not exist', async () => {
    await refused(service, 'getEnvironmentsOfProject', MISSING, { params: { projectId: 'nowhere' } });
  });

  it('can be removed without effect when the project does not have them, but the project must exist', async () => {
    const nowhere = { projectId: 'nowhere', environment: 'production' };
    await refused(service, 'removeEnvironmentFromProject', MISSING, { params: nowhere });
    const events = await eventsOf(service, async () => {
      for (const environment of ['nowhere', 'dark'])
        await accepted(service, 'removeEnvironmentFromProject', { params: { projectId: 'shop', environment } });
    });
    expect(events).toEqual([]);
  });

  it('are removed with the flag configurations, which do not return when they are added again', async () => {
    await prepare(service, (draft) => {
      for (let index = 0; index < 150; index++) {
        const environments = [switchedOn('development'), switchedOn('production')];
        draft.put('features', flag(`shop-${index}`, { project: 'shop', environments, archived: index >= 100 }));
      }
      draft.put('features', flag('bystander', { environments: [switchedOn('development')] }));
    });
    expect(await served()).toHaveLength(101);
    const params = { projectId: 'shop', environment: 'development' };
    const events = await eventsOf(service, () => accepted(service, 'removeEnvironmentFromProject', { params }));
    expect(events).toMatchObject([
      { type: 'project-environment-removed', project: 'shop', environment: 'development' },
    ]);
    expect(await served()).toEqual(['bystander']);
    expect(await names('shop')).toEqual(['production']);
    const { state } = service.running.services;
    for (const feature of state.lookup('featuresByProject', 'shop')) {
      expect(feature.environments.map(({ environment }) => environment)).toEqual(['production']);
    }
    await accepted(service, 'addEnvironmentToProject', {
      params: { projectId: 'shop' },
      body: { environment: 'development' },
    });
    const { body } = await accepted(service, 'getAllClientFeatures');
    expect(body.features).toHaveLength(101);
    expect(body.features.filter(({ enabled }: { enabled: boolean }) => enabled)).toMatchObject([{ name: 'bystander' }]);
  });

  it('do not restore flag configurations after an interrupted removal', async () => {
    await prepare(service, (draft) => {
      const project = draft.get('projects', 'shop');
      if (project) draft.put('projects', { ...project, environments: ['production'] });
      draft.put('features', flag('shop-0', { project: 'shop', environments: [switchedOn('development')] }));
    });
    await accepted(service, 'addEnvironmentToProject', {
      params: { projectId: 'shop' },
      body: { environment: 'development' },
    });
    const left = service.running.services.state.get('features', 'shop-0');
    expect(left && featureEnvironment(left, 'development')).toMatchObject({ enabled: false, strategies: [] });
  });
});
