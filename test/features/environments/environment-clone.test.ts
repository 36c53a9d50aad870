import Type from 'typebox';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Feature } from '../../../src/model/feature.ts';
import { customRole, give } from '../../access/people.ts';
import {
  accepted,
  CONFLICT,
  eventsOf,
  FORBIDDEN,
  flag,
  INVALID,
  MISSING,
  prepare,
  refused,
  switchedOn,
} from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { expectConforms, startTestService, useService } from '../../support/service.ts';

const count = Type.Optional(Type.Union([Type.Integer(), Type.Null()]));

/** Written from the contract. */
const ENVIRONMENT = Type.Object({
  name: Type.String(),
  type: Type.String(),
  enabled: Type.Boolean(),
  protected: Type.Boolean(),
  sortOrder: Type.Integer(),
  projectCount: count,
  apiTokenCount: count,
  enabledToggleCount: count,
});

const service = useService();

beforeAll(async () => {
  await accepted(service, 'createProject', { body: { id: 'side', name: 'Side', environments: ['development'] } });
  await accepted(service, 'createProject', { body: { id: 'live', name: 'Live', environments: ['production'] } });
  await prepare(service, (draft) => {
    const variants = [{ name: 'red', weight: 1000, weightType: 'variable' as const, stickiness: 'default' }];
    const development = { ...switchedOn('development'), variants };
    draft.put('features', flag('rich', { environments: [development, switchedOn('production')] }));
    draft.put('features', flag('off', { environments: [{ ...development, enabled: false }] }));
    draft.put('features', flag('bare'));
    draft.put('features', flag('of-side', { project: 'side', environments: [development] }));
    const archivedAt = '2026-02-01T00:00:00.000Z';
    draft.put(
      'features',
      flag('gone', { archived: true, archivedAt, environments: [{ ...development, enabled: false }] }),
    );
    const stated = { name: 'UPDATE_FEATURE_ENVIRONMENT' as const };
    draft.put(
      'roles',
      customRole(1, 'custom', [{ ...stated, environment: 'development' }, { name: 'CREATE_FEATURE' }]),
    );
    draft.put('roles', customRole(2, 'custom', [{ ...stated, environment: 'production' }]));
  });
});

const clone = (name: string, body: Record<string, unknown> = {}) => {
  const options = { params: { name: 'development' }, body: { name, type: 'test', ...body } };
  return accepted(service, 'cloneEnvironment', options);
};
const stored = (name: string) => service.running.services.state.get('features', name) as Feature;
const entryOf = (name: string, environment: string) =>
  stored(name).environments.find((entry) => entry.environment === environment);
const projectsOf = (environment: string) =>
  [...service.running.services.state.lookup('projectsByEnvironment', environment)].map(({ id }) => id).sort();
const rolesOf = (environment: string) =>
  [...service.running.services.state.lookup('rolesByEnvironment', environment)].map(({ name }) => name);

describe('a clone of an environment', () => {
  it('has the configuration of every flag in the original, with new ids for strategies', async () => {
    const { seq } = service.running.services.state;
    const events = await eventsOf(service, async () => {
      const { status, body } = await clone('staging');
      expect(status).toBe(200);
      expectConforms(ENVIRONMENT, body, 'the environment');
      expect(body).toMatchObject({ name: 'staging', type: 'test', enabled: true, protected: false });
    });
    expect(service.running.services.state.seq).toBe(seq + 1);
    expect(projectsOf('staging')).toEqual(['default', 'side']);
    for (const name of ['rich', 'off', 'of-side', 'gone']) {
      const [original, copy] = [entryOf(name, 'development'), entryOf(name, 'staging')];
      const withoutIds = (strategies = original?.strategies) => strategies?.map((one) => ({ ...one, id: '' }));
      expect({ ...copy, strategies: withoutIds(copy?.strategies) }).toEqual({
        ...original,
        environment: 'staging',
        strategies: withoutIds(),
      });
      expect(copy?.strategies[0]?.id).not.toBe(original?.strategies[0]?.id);
    }
    expect(entryOf('rich', 'staging')?.enabled).toBe(true);
    expect(entryOf('off', 'staging')?.enabled).toBe(false);
    expect(entryOf('bare', 'staging')).toBeUndefined();
    expect(events.map(({ type, project }) => [type, project])).toEqual([
      ['environment-created', null],
      ['project-environment-added', 'default'],
      ['project-environment-added', 'side'],
      ['role-updated', null],
    ]);
    expect(events[0]).toMatchObject({ environment: 'staging', data: { clonedFrom: 'development' } });
  });

  it('has the default strategies of the original', async () => {
    const { state } = service.running.services;
    const params = { projectId: 'side', environment: 'development' };
    const strategy = { name: 'flexibleRollout', parameters: { rollout: '7', stickiness: 'default', groupId: '' } };
    await accepted(service, 'addDefaultStrategyToProjectEnvironment', { params, body: strategy });
    await clone('standard', { clonePermissions: false });
    const [original, copy] = ['development', 'standard'].map((name) => state.get('defaultStrategies', `side/${name}`));
    expect(original?.strategy.parameters.rollout).toBe('7');
    expect(copy).toEqual({ ...original, environment: 'standard' });
    expect(state.get('defaultStrategies', 'default/standard')).toBeUndefined();
  });

  it('is served to SDKs, as the original is', async () => {
    const secret = '*:staging.of-the-clone';
    const body = { type: 'client', tokenName: 'clone', environment: 'staging', projects: ['*'] };
    const token = (await accepted(service, 'createApiToken', { body })).body.secret ?? secret;
    const names = async (as?: string) => {
      const answer = await accepted(service, 'getAllClientFeatures', as === undefined ? {} : { token: as });
      return answer.body.features.map(({ name, enabled }: Record<string, unknown>) => [name, enabled]);
    };
    expect(await names(token)).toEqual(await names());
    expect((await names(token)).length).toBeGreaterThan(0);
  });

  it('gives roles the permissions that they have in the original, unless the request says not to', async () => {
    expect(rolesOf('staging')).toEqual(['role-1']);
    await clone('without', { clonePermissions: false });
    expect(rolesOf('without')).toEqual([]);
    await clone('with', { clonePermissions: true });
    expect(rolesOf('with')).toEqual(['role-1']);
    const role = service.running.services.state.get('roles', '6');
    const named = role?.permissions.map(({ name, environment }) => `${name} ${environment ?? ''}`).sort();
    expect(named).toEqual([
      'CREATE_FEATURE ',
      'UPDATE_FEATURE_ENVIRONMENT development',
      'UPDATE_FEATURE_ENVIRONMENT staging',
      'UPDATE_FEATURE_ENVIRONMENT with',
    ]);
  });

  it('is added to the named projects, if they have the original', async () => {
    await clone('some', { projects: ['side', 'live'] });
    expect(projectsOf('some')).toEqual(['side']);
    expect(entryOf('rich', 'some')).toBeUndefined();
    await clone('all', { projects: ['*'] });
    expect(projectsOf('all')).toEqual(['default', 'side']);
    await clone('every', { projects: [] });
    expect(projectsOf('every')).toEqual(['default', 'side']);
  });

  it('of a missing environment, under a name in use, or for a missing project is refused', async () => {
    const body = { name: 'fresh', type: 'test' };
    const params = { name: 'development' };
    await refused(service, 'cloneEnvironment', MISSING, { params: { name: 'nowhere' }, body });
    await refused(service, 'cloneEnvironment', CONFLICT, { params, body: { ...body, name: 'production' } });
    await refused(service, 'cloneEnvironment', INVALID, { params, body: { ...body, projects: ['nowhere'] } });
  });

  it.each([
    ['no name', { type: 'test' }],
    ['no type', { name: 'fresh' }],
    ['an invalid name', { name: 'a b', type: 'test' }],
    ['a string for the projects', { name: 'fresh', type: 'test', projects: 'default' }],
    ['a number for a boolean', { name: 'fresh', type: 'test', clonePermissions: 4 }],
  ])('with %s is refused', async (_what, body) => {
    await refused(service, 'cloneEnvironment', INVALID, { params: { name: 'development' }, body });
  });

  it('needs the permission to create environments, and to change each of the projects', async () => {
    await prepare(service, (draft) => {
      draft.put('roles', customRole(10, 'root-custom', [{ name: 'CREATE_ENVIRONMENT' }]));
      draft.put('roles', customRole(11, 'custom', [{ name: 'UPDATE_PROJECT' }]));
    });
    await putUser(service, 91, { rootRole: 15 });
    await putUser(service, 92);
    await prepare(service, (draft) => give(draft, 'side', 'user', 91, [16]));
    const token = await personalTokenOf(service, 91);
    const params = { name: 'development' };
    const body = { name: 'theirs', type: 'test' };
    await refused(service, 'cloneEnvironment', FORBIDDEN, { params, body, token: await personalTokenOf(service, 92) });
    await refused(service, 'cloneEnvironment', FORBIDDEN, { params, body, token });
    await accepted(service, 'cloneEnvironment', { params, body: { ...body, projects: ['side'] }, token });
    expect(projectsOf('theirs')).toEqual(['side']);
  });

  it('is refused before anything is done when its projects have more flags than one clone may copy', async () => {
    const small = await startTestService({ env: { ENVIRONMENT_CLONE_FLAGS_LIMIT: '2' } });
    try {
      await accepted(small, 'createProject', { body: { id: 'side', name: 'Side', environments: ['development'] } });
      for (const name of ['a', 'b', 'c'])
        await accepted(small, 'createFeature', { params: { projectId: 'default' }, body: { name } });
      const options = { params: { name: 'development' }, body: { name: 'third', type: 'test' } };
      const { body } = await refused(small, 'cloneEnvironment', INVALID, options);
      expect(body.message).toContain('The option ENVIRONMENT_CLONE_FLAGS_LIMIT sets this limit.');
      await accepted(small, 'cloneEnvironment', { ...options, body: { ...options.body, projects: ['side'] } });
    } finally {
      await small.close();
    }
  });

  it('counts against the limit on environments', async () => {
    const small = await startTestService({ env: { UNLEASH_ENVIRONMENTS_LIMIT: '2' } });
    try {
      const options = { params: { name: 'development' }, body: { name: 'third', type: 'test' } };
      const { body } = await refused(small, 'cloneEnvironment', INVALID, options);
      expect(body.message).toContain('UNLEASH_ENVIRONMENTS_LIMIT');
    } finally {
      await small.close();
    }
  });
});
