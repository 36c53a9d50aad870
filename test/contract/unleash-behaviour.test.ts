import { beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, refused } from '../support/admin.ts';
import { exportOf, importBody } from '../support/exports.ts';
import { Flags } from '../support/flags.ts';
import { personalTokenOf, putUser } from '../support/people.ts';
import { ADMIN_TOKEN, type CallOptions, useService } from '../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const DEVELOPMENT = { environment: 'development' };
const values = (count: number) => Array.from({ length: count }, (_, index) => `value-${index}`);
const constraint = (count: number) => ({ contextName: 'userId', operator: 'IN', values: values(count) });
const variant = (name: string) => ({ name, weight: 1000, weightType: 'variable', stickiness: 'default' });
const namesOf = (body: { features: { name: string }[] }) => body.features.map(({ name }) => name).sort();

async function parentAndChild(): Promise<{ parent: string; child: string }> {
  const [parent, child] = [await flags.create(), await flags.create()];
  await flags.call('addFeatureDependency', { child }, { feature: parent });
  return { parent, child };
}

/** Refused requests, by their row in the table of differences: the request, and the status and name of the error. */
const REFUSALS: Readonly<Record<string, [() => Promise<[string, CallOptions]>, number, string]>> = {
  'creating an admin token': [
    async () => ['createApiToken', { body: { type: 'admin', tokenName: 'sly', projects: ['*'], environment: '*' } }],
    400,
    'ValidationError',
  ],
  'a flag that depends on itself': [
    async () => {
      const name = await flags.create();
      return ['addFeatureDependency', { params: { projectId: 'default', child: name }, body: { feature: name } }];
    },
    403,
    'NoAccessError',
  ],
  'a flag that depends on one that does not exist': [
    async () => {
      const child = await flags.create();
      return ['addFeatureDependency', { params: { projectId: 'default', child }, body: { feature: 'nope' } }];
    },
    403,
    'NoAccessError',
  ],
  'archiving a parent whose children stay': [
    async () => {
      const { parent } = await parentAndChild();
      return ['archiveFeature', { params: { projectId: 'default', featureName: parent } }];
    },
    403,
    'NoAccessError',
  ],
  'archiving a parent whose children stay, by an update': [
    async () => {
      const { parent } = await parentAndChild();
      return ['updateFeature', { params: { projectId: 'default', featureName: parent }, body: { archived: true } }];
    },
    403,
    'NoAccessError',
  ],
  'a strategy for an environment that does not exist': [
    async () => {
      const featureName = await flags.create();
      const params = { projectId: 'default', featureName, environment: 'nowhere' };
      return ['addFeatureStrategy', { params, body: { name: 'default' } }];
    },
    400,
    'ValidationError',
  ],
  'a strategy for an environment that the project does not have': [
    async () => {
      const projectId = flags.name('narrow');
      await flags.call('createProject', {}, { id: projectId, name: projectId, environments: ['development'] });
      const featureName = await flags.create({}, projectId);
      const params = { projectId, featureName, environment: 'production' };
      return ['addFeatureStrategy', { params, body: { name: 'default' } }];
    },
    400,
    'ValidationError',
  ],
  'an update that names another flag than its path': [
    async () => {
      const featureName = await flags.create();
      return ['updateFeature', { params: { projectId: 'default', featureName }, body: { name: 'other', stale: true } }];
    },
    400,
    'ValidationError',
  ],
  'a segment with 1,001 values': [
    async () => ['createSegment', { body: { name: 'large', constraints: [constraint(1_001)] } }],
    400,
    'ValidationError',
  ],
  'a constraint with 251 values': [
    async () => {
      const params = { projectId: 'default', featureName: await flags.create(), ...DEVELOPMENT };
      return ['addFeatureStrategy', { params, body: { name: 'default', constraints: [constraint(251)] } }];
    },
    400,
    'ValidationError',
  ],
  'variants of an environment for a flag that has none': [
    async () => {
      const params = { projectId: 'default', featureName: await flags.create(), ...DEVELOPMENT };
      return ['overwriteEnvironmentFeatureVariants', { params, body: [variant('a')] }];
    },
    403,
    'NoAccessError',
  ],
  'variants of an environment for a flag that has none, by a patch': [
    async () => {
      const params = { projectId: 'default', featureName: await flags.create(), ...DEVELOPMENT };
      const body = [{ op: 'add', path: '/0', value: variant('a') }];
      return ['patchEnvironmentsFeatureVariants', { params, body }];
    },
    403,
    'NoAccessError',
  ],
  'an import whose context field allows values that are not legal here': [
    async () => {
      await flags.call('createContextField', {}, { name: 'tier', legalValues: [{ value: 'gold' }] });
      const contextFields = [{ name: 'tier', legalValues: [{ value: 'silver' }] }];
      return ['importFeatures', { body: importBody(exportOf(flags.name(), { contextFields })) }];
    },
    400,
    'ValidationError',
  ],
  'an import beyond the flag limit of the project': [
    async () => {
      const { body } = await flags.call('createProject', {}, { name: flags.name('full'), featureLimit: 1 });
      const [one, two] = [flags.name(), flags.name()];
      const data = exportOf(one, { features: [{ name: one }, { name: two }] });
      return ['importFeatures', { body: { ...importBody(data), project: body.id } }];
    },
    403,
    'NoAccessError',
  ],
  'an import that contains a flag twice': [
    async () => {
      const data = exportOf(flags.name());
      return ['importFeatures', { body: importBody({ ...data, features: [...data.features, ...data.features] }) }];
    },
    409,
    'NameExistsError',
  ],
  'an import of a flag that is in another project': [
    async () => {
      const projectId = await flags.otherProject();
      const name = await flags.create({}, projectId);
      return ['importFeatures', { body: importBody(exportOf(name)) }];
    },
    409,
    'NameExistsError',
  ],
};

describe('refused as in Unleash:', () => {
  it.each(Object.entries(REFUSALS))('%s', async (_what, [prepared, status, name]) => {
    const [operationId, options] = await prepared();
    await refused(service, operationId, [status, name], options);
  });
});

/** Accepted requests, by their row in the table of differences. */
const ACCEPTANCES: Readonly<Record<string, () => Promise<void>>> = {
  async 'the flags of a project by a prefix of their names'() {
    const projectId = await flags.otherProject();
    for (const name of ['apple-1', 'apple-2', 'pear-1']) {
      await flags.call('createFeature', { projectId }, { name: `${projectId}-${name}` });
    }
    const query = `namePrefix=${projectId}-apple`;
    const { body } = await flags.call('getFeatures', { projectId }, undefined, query);
    expect(namesOf(body)).toEqual([`${projectId}-apple-1`, `${projectId}-apple-2`]);
    expect(namesOf((await flags.call('getFeatures', { projectId }, undefined, 'namePrefix=pple')).body)).toEqual([]);
  },
  async 'the flags of a project by any of the requested tags'() {
    const projectId = await flags.otherProject();
    const tagged = (value: string) => flags.create({ tags: [{ type: 'simple', value }] }, projectId);
    const [red, green, blue] = [await tagged('red'), await tagged('green'), await tagged('blue')];
    const asked = (query: string) => flags.call('getFeatures', { projectId }, undefined, query);
    expect(namesOf((await asked('tag=simple:red')).body)).toEqual([red]);
    expect(namesOf((await asked('tag=simple:red&tag[]=simple:blue')).body)).toEqual([red, blue].sort());
    expect(namesOf((await asked('')).body)).toEqual([red, green, blue].sort());
    expect(namesOf((await asked('tag=other:red')).body)).toEqual([]);
    const params = { projectId };
    await refused(service, 'getFeatures', [400, 'ValidationError'], { params, query: 'tag=red' });
  },
  async 'variants of some environments for a flag that has none'() {
    const featureName = await flags.create();
    const body = { variants: [variant('a')], environments: ['development'] };
    await flags.call('overwriteFeatureVariantsOnEnvironments', { featureName }, body);
    expect((await flags.environment(featureName)).variants).toMatchObject([{ name: 'a', weight: 1000 }]);
    expect((await flags.environment(featureName, 'production')).variants).toEqual([]);
  },
  async 'the flags of a project that does not exist: none'() {
    expect((await flags.call('getFeatures', { projectId: 'nowhere' })).body).toEqual({ version: 2, features: [] });
  },
  async 'a strategy parameter that is a number or a boolean, stored as text'() {
    const params = { featureName: await flags.create(), ...DEVELOPMENT };
    const body = { name: 'flexibleRollout', parameters: { rollout: 25, stickiness: 'userId', sticky: true } };
    const added = await flags.call('addFeatureStrategy', params, body);
    expect(added.body.parameters).toMatchObject({ rollout: '25', stickiness: 'userId', sticky: 'true' });
    const target = { ...params, strategyId: added.body.id };
    const changed = await flags.call('updateFeatureStrategy', target, { parameters: { rollout: 30.5 } });
    expect(changed.body.parameters.rollout).toBe('30.5');
    expect((await flags.environment(params.featureName)).strategies[0].parameters.rollout).toBe('30.5');
    const beyond = { params: { projectId: 'default', ...target }, body: { parameters: { rollout: 101 } } };
    await refused(service, 'updateFeatureStrategy', [400, 'ValidationError'], beyond);
    const nested = { params: { projectId: 'default', ...target }, body: { parameters: { rollout: [1] } } };
    await refused(service, 'updateFeatureStrategy', [400, 'ValidationError'], nested);
  },
  async 'a strategy parameter that is a number, in the default strategy of a project'() {
    const body = (rollout: unknown) => ({ name: 'flexibleRollout', parameters: { rollout, stickiness: 'default' } });
    const stated = await flags.call('addDefaultStrategyToProjectEnvironment', DEVELOPMENT, body(25));
    expect(stated.body.parameters.rollout).toBe('25');
    await flags.call('addDefaultStrategyToProjectEnvironment', DEVELOPMENT, body('100'));
    const nested = { params: { projectId: 'default', ...DEVELOPMENT }, body: body([1]) };
    await refused(service, 'addDefaultStrategyToProjectEnvironment', [400, 'ValidationError'], nested);
  },
  async 'a strategy parameter that is a number or a boolean, in a change request'() {
    const feature = await flags.create();
    const params = { projectId: 'default', environment: 'production' };
    const strategy = await flags.call(
      'addFeatureStrategy',
      { ...params, featureName: feature },
      { name: 'flexibleRollout' },
    );
    await flags.call('updateProjectChangeRequestConfig', params, { changeRequestsEnabled: true });
    const add = (rollout: unknown) => ({
      feature,
      action: 'addStrategy',
      payload: { name: 'flexibleRollout', parameters: { rollout, stickiness: 'userId', sticky: true } },
    });
    const update = { feature, action: 'updateStrategy', payload: { id: strategy.body.id, parameters: { rollout: 7 } } };
    const asked = await flags.call('createChangeRequest', params, [add(25), update]);
    const { id } = asked.body;
    const readParameters = async () => {
      const [{ changes }] = (await flags.call('getChangeRequest', { id })).body.features;
      return changes.map((one: { payload: { parameters: object } }) => one.payload.parameters);
    };
    expect(await readParameters()).toEqual([{ rollout: '25', stickiness: 'userId', sticky: 'true' }, { rollout: '7' }]);
    const [{ changes }] = (await flags.call('getChangeRequest', { id })).body.features;
    const { feature: _subject, ...edited } = add(30.5);
    await flags.call('editChange', { id, changeId: changes[0].id }, edited);
    expect((await readParameters())[0]).toMatchObject({ rollout: '30.5' });
    await refused(service, 'createChangeRequest', [400, 'ValidationError'], { params, body: add([1]) });
    await flags.call('discardChangeRequest', { id });
    await flags.call('updateProjectChangeRequestConfig', params, { changeRequestsEnabled: false });
  },
  async 'a strategy parameter that is a number, in an import'() {
    const name = flags.name();
    const data = exportOf(name);
    const featureStrategies = [{ featureName: name, name: 'flexibleRollout', parameters: { rollout: 40 } }];
    await flags.call('importFeatures', {}, importBody({ ...data, featureStrategies }));
    expect((await flags.environment(name)).strategies[0].parameters).toMatchObject({ rollout: '40' });
  },
  async 'a tag type with a number as description or icon, stored as text'() {
    await flags.call('createTagType', {}, { name: 'numbered' });
    await flags.call('updateTagType', { name: 'numbered' }, { description: 1, icon: 2 });
    const { body } = await flags.call('getTagType', { name: 'numbered' });
    expect(body.tagType).toMatchObject({ description: '1', icon: '2' });
  },
  async 'two API tokens of one name'() {
    const body = { type: 'client', tokenName: 'twice', environment: 'development' };
    const [one, two] = [await flags.call('createApiToken', {}, body), await flags.call('createApiToken', {}, body)];
    expect([one.status, two.status]).toEqual([201, 201]);
    for (const { body: made } of [one, two])
      expect((await service.call('getAllClientFeatures', { token: made.secret })).status).toBe(200);
  },
  async 'a token of the type backend, which is listed as such and works like a client token'() {
    const { body } = await flags.call('createApiToken', {}, { type: 'Backend', tokenName: 'new word' });
    expect(body).toMatchObject({ type: 'backend', secure: false });
    expect((await service.call('getAllClientFeatures', { token: body.secret })).status).toBe(200);
    const named = await flags.call('getApiTokensByName', { token: 'new word' });
    expect(named.body.tokens).toMatchObject([{ type: 'backend', secret: body.secret }]);
    const list = (await flags.call('getAllApiTokens')).body.tokens as { secret: string; type: string }[];
    expect(list.find(({ secret }) => secret === body.secret)?.type).toBe('backend');
  },
  async 'admin tokens that environment variables set'() {
    expect((await service.call('getProjects', { token: ADMIN_TOKEN })).status).toBe(200);
    await putUser(service, 900, { rootRole: 1 });
    const token = await personalTokenOf(service, 900);
    expect((await service.call('getProjects', { token })).status).toBe(200);
    const body = { type: 'admin', tokenName: 'sly' };
    await refused(service, 'createApiToken', [400, 'ValidationError'], { token, body });
  },
  async 'changing, or deleting, a token that does not exist: nothing happens'() {
    const events = await eventsOf(service, async () => {
      expect((await flags.call('deleteApiToken', { token: 'nobody:s.token' })).status).toBe(200);
      const body = { expiresAt: '2099-01-01T00:00:00.000Z' };
      expect((await flags.call('updateApiToken', { token: 'nobody:s.token' }, body)).status).toBe(200);
    });
    expect(events).toEqual([]);
    await putUser(service, 901, { rootRole: 3 });
    const token = await personalTokenOf(service, 901);
    const options = { token, params: { token: 'nobody:s.token' } };
    await refused(service, 'deleteApiToken', [403, 'NoAccessError'], options);
  },
  async 'deleting a flag that is not archived: it stays'() {
    const featureName = await flags.create();
    const answer = await flags.call('deleteFeature', { featureName });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect((await flags.read(featureName)).body.archived).toBe(false);
  },
  async 'an update that names the flag of its path'() {
    const featureName = await flags.create();
    const { body } = await flags.call('updateFeature', { featureName }, { name: featureName, description: 'd' });
    expect(body).toMatchObject({ name: featureName, description: 'd' });
  },
  async 'variants of an environment for a flag that has some'() {
    const featureName = await flags.create();
    await flags.call('overwriteFeatureVariants', { featureName }, [variant('a')]);
    const params = { featureName, ...DEVELOPMENT };
    const { body } = await flags.call('overwriteEnvironmentFeatureVariants', params, [variant('b')]);
    expect(body.variants).toMatchObject([{ name: 'b' }]);
  },
  async 'switching a flag on and off: the answer is the flag'() {
    const featureName = await flags.create();
    const params = { featureName, ...DEVELOPMENT };
    for (const [operationId, enabled] of [
      ['toggleFeatureEnvironmentOn', true],
      ['toggleFeatureEnvironmentOff', false],
    ] as const) {
      const { status, body } = await flags.call(operationId, params);
      expect([status, body.name, body.enabled]).toEqual([200, featureName, enabled]);
      expect(body.environments.find(({ name }: { name: string }) => name === 'development').enabled).toBe(enabled);
      expect(body).toEqual((await flags.read(featureName)).body);
    }
  },
};

describe('accepted as in Unleash:', () => {
  it.each(Object.entries(ACCEPTANCES))('%s', async (_what, behaves) => {
    await behaves();
  });
});
