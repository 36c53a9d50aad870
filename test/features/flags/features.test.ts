import { beforeAll, describe, expect, it } from 'vitest';
import { BATCH_MAX } from '../../../src/features/flags/schemas.ts';
import { Flags, INVALID, MISSING, NOT_ALLOWED, TAKEN } from '../../support/flags.ts';
import { ADMIN_TOKEN, useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

describe('creating a flag', () => {
  it('creates one that is off everywhere and serves it to SDKs', async () => {
    const answer = await service.call('createFeature', { params: { projectId: 'default' }, body: { name: 'first' } });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ name: 'first', type: 'release', enabled: false, project: 'default' });
    expect(answer.headers.get('burgee-revision')).toMatch(/^\d+$/);
    const list = await service.call('getAllClientFeatures');
    expect(list.body.features).toContainEqual(expect.objectContaining({ name: 'first', enabled: false }));
  });

  it('keeps the properties and the tags in the request, and logs the creation', async () => {
    const name = flags.name();
    const body = { name, type: 'kill-switch', description: 'd', impressionData: true };
    const tags = [{ type: 'simple', value: 'one' }];
    const events = await flags.events(() => flags.call('createFeature', {}, { ...body, tags }));
    expect((await flags.read(name)).body).toMatchObject({ ...body, tags, archived: false, stale: false });
    expect(events).toMatchObject([
      { type: 'feature-created', project: 'default', featureName: name, data: body, preData: null },
      { type: 'feature-tagged', featureName: name, data: tags[0] },
    ]);
    expect(events[0]?.createdBy).not.toBe('');
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'a.b~c-d_e', '...', "a!b*c'd(e)", '*'])(
    'takes the name %s, which is URL-safe, as any other',
    async (name) => {
      await flags.call('createFeature', {}, { name });
      expect((await flags.read(name)).body.name).toBe(name);
      const encoded = [...name].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
      const path = `${service.url}/api/admin/projects/default/features/${encoded}`;
      expect((await fetch(path, { headers: { authorization: ADMIN_TOKEN } })).status).toBe(200);
      await flags.call('toggleFeatureEnvironmentOn', { featureName: name, environment: 'development' });
      const client = await service.call('getAllClientFeatures');
      expect(client.body.features).toContainEqual(expect.objectContaining({ name, enabled: true }));
    },
  );

  it.each(['', '.', '..', 'a b', 'a/b', 'a%b', 'ä', '😀', 'x'.repeat(101)])('refuses the name "%s"', async (name) => {
    await flags.refused('createFeature', INVALID, { body: { name } });
    await flags.refused('validateFeature', INVALID, { body: { name } });
  });

  it('refuses a name that is taken, in any project and in the archive', async () => {
    const name = await flags.create();
    const other = await flags.otherProject();
    await flags.refused('createFeature', TAKEN, { body: { name, type: 'experiment' } });
    await flags.refused('createFeature', TAKEN, { params: { projectId: other }, body: { name } });
    await flags.call('archiveFeature', { featureName: name });
    await flags.refused('createFeature', TAKEN, { body: { name } });
  });

  it('refuses invalid properties, and a missing project', async () => {
    const name = flags.name();
    await flags.refused('createFeature', INVALID, { body: {} });
    await flags.refused('createFeature', INVALID, { body: { name: 1 } });
    await flags.refused('createFeature', INVALID, { body: { name, type: 'wish' } });
    await flags.refused('createFeature', INVALID, { body: { name, description: {} } });
    await flags.refused('createFeature', INVALID, { body: { name, impressionData: 'yes' } });
    await flags.refused('createFeature', INVALID, { body: { name, tags: [{ type: 'simple', value: 'x' }] } });
    await flags.refused('createFeature', INVALID, { body: { name, tags: [{ type: 'nope', value: 'xx' }] } });
    await flags.refused('createFeature', MISSING, { params: { projectId: 'nope' }, body: { name } });
  });

  it('ignores unknown properties', async () => {
    const name = await flags.create({ archivedAt: 'x', environments: [{}], project: 'other', enabled: true });
    expect((await flags.read(name)).body).toMatchObject({ archived: false, enabled: false, project: 'default' });
  });

  it('keeps the time of creation and the stale mark in the request', async () => {
    const name = await flags.create({ stale: true, createdAt: '2020-01-01T02:00:00+02:00' });
    expect((await flags.read(name)).body).toMatchObject({ stale: true, createdAt: '2020-01-01T00:00:00.000Z' });
    await flags.refused('createFeature', INVALID, { body: { name: 'never', createdAt: 'yesterday' } });
  });

  it('archives it at once on request', async () => {
    const { status, body } = await flags.call('createFeature', {}, { name: 'archived-at-once', archived: true });
    expect([status, body.archived, body.archivedAt]).toEqual([201, true, body.createdAt]);
    await flags.refused('getFeature', MISSING, { params: { featureName: 'archived-at-once' } });
    await flags.call('reviveFeature', { featureName: 'archived-at-once' });
    expect((await flags.read('archived-at-once')).body).toMatchObject({ archived: false, enabled: false });
  });
});

describe('reading flags', () => {
  it('lists the flags of the project, archived ones and other projects left out', async () => {
    const project = await flags.otherProject();
    const here = await flags.create({}, project);
    const archived = await flags.create({}, project);
    await flags.create();
    await flags.call('archiveFeature', { projectId: project, featureName: archived });
    const list = await flags.call('getFeatures', { projectId: project });
    expect(list.body.features.map((feature: { name: string }) => feature.name)).toEqual([here]);
    expect((await flags.call('getFeatures', { projectId: 'nope' })).body).toEqual({ version: 2, features: [] });
  });

  it('shows each environment of the project, in order', async () => {
    const { body } = await flags.read(await flags.create());
    expect(body.environments.map((entry: { name: string }) => entry.name)).toEqual(['development', 'production']);
  });

  it('finds a flag in its own project only', async () => {
    const featureName = await flags.create();
    const projectId = await flags.otherProject();
    await flags.refused('getFeature', MISSING, { params: { projectId, featureName } });
    await flags.refused('getFeature', MISSING, { params: { featureName: 'nope' } });
    await flags.refused('getFeature', MISSING, { params: { projectId: 'nope', featureName } });
  });
});

describe('updating a flag', () => {
  it('changes the properties in the request and nothing else', async () => {
    const featureName = await flags.create({ description: 'before', type: 'experiment', impressionData: true });
    const events = await flags.events(() => flags.call('updateFeature', { featureName }, { description: 'after' }));
    expect((await flags.read(featureName)).body).toMatchObject({
      description: 'after',
      type: 'experiment',
      impressionData: true,
      stale: false,
    });
    expect(events).toMatchObject([
      { type: 'feature-metadata-updated', preData: { description: 'before' }, data: { description: 'after' } },
    ]);
  });

  it('marks as stale and back, each with its event, and without one when nothing changes', async () => {
    const featureName = await flags.create();
    const types = async (stale: boolean) =>
      (await flags.events(() => flags.call('updateFeature', { featureName }, { stale }))).map((event) => event.type);
    expect(await types(true)).toContain('feature-stale-on');
    expect(await types(true)).toEqual(['feature-metadata-updated']);
    expect(await types(false)).toContain('feature-stale-off');
  });

  it('moves to the archive', async () => {
    const featureName = await flags.create();
    const answer = await flags.call('updateFeature', { featureName }, { archived: true });
    expect(answer.body.archived).toBe(true);
    expect(answer.body.archivedAt).toEqual(expect.any(String));
    await flags.refused('updateFeature', MISSING, { params: { featureName }, body: { description: 'x' } });
  });

  it('refuses to archive a parent, and then changes nothing else either', async () => {
    const parent = await flags.create();
    await flags.call('addFeatureDependency', { child: await flags.create() }, { feature: parent });
    const body = { description: 'x', archived: true };
    await flags.refused('updateFeature', NOT_ALLOWED, { params: { featureName: parent }, body });
  });

  it('refuses invalid input and flags of another project', async () => {
    const featureName = await flags.create();
    const projectId = await flags.otherProject();
    await flags.refused('updateFeature', INVALID, { params: { featureName }, body: { type: 'wish' } });
    await flags.refused('updateFeature', INVALID, { params: { featureName }, body: { stale: 'yes' } });
    await flags.refused('updateFeature', INVALID, { params: { featureName }, body: { archived: 2 } });
    await flags.refused('updateFeature', MISSING, { params: { projectId, featureName }, body: { stale: true } });
    await flags.refused('updateFeature', MISSING, { params: { featureName: 'nope' }, body: { stale: true } });
  });

  it('applies a JSON Patch completely or not at all', async () => {
    const featureName = await flags.create({ description: 'before' });
    const patch = [
      { op: 'test', path: '/description', value: 'before' },
      { op: 'replace', path: '/description', value: 'after' },
      { op: 'replace', path: '/stale', value: true },
    ];
    const answer = await flags.call('patchFeature', { featureName }, patch);
    expect(answer.body).toMatchObject({ description: 'after', stale: true, type: 'release' });
    const removed = await flags.call('patchFeature', { featureName }, [{ op: 'remove', path: '/description' }]);
    expect(removed.body.description).toBeNull();
    const refuse = (operations: unknown) =>
      flags.refused('patchFeature', INVALID, { params: { featureName }, body: operations });
    await refuse([
      { op: 'replace', path: '/type', value: 'experiment' },
      { op: 'test', path: '/stale', value: false },
    ]);
    await refuse([{ op: 'replace', path: '/type', value: 'wish' }]);
    await refuse([{ op: 'replace', path: '/name', value: 'other' }]);
    await refuse([{ op: 'add', path: '/__proto__', value: { stale: false } }]);
    await refuse([{ op: 'copy', path: '/type', from: '/description' }]);
    await refuse([{ op: 'replace', path: 'type', value: 'experiment' }]);
    await refuse({ stale: true });
    const projectId = await flags.otherProject();
    await flags.refused('patchFeature', MISSING, { params: { projectId, featureName }, body: patch });
    const parent = await flags.create();
    await flags.call('addFeatureDependency', { child: await flags.create() }, { feature: parent });
    const archive = [{ op: 'replace', path: '/archived', value: true }];
    await flags.refused('patchFeature', NOT_ALLOWED, { params: { featureName: parent }, body: archive });
  });
});

describe('cloning a flag', () => {
  it('copies strategies, variants and dependencies with new ids, and is off everywhere', async () => {
    const source = await flags.create({ type: 'experiment', description: 'd', impressionData: true });
    const parent = await flags.create();
    const production = { featureName: source, environment: 'production' };
    await flags.call('addFeatureDependency', { child: source }, { feature: parent });
    await flags.call('toggleFeatureEnvironmentOn', production);
    await flags.call('overwriteFeatureVariants', { featureName: source }, [{ name: 'a', weight: 1000 }]);
    const development = { ...production, environment: 'development' };
    await flags.call('overwriteEnvironmentFeatureVariants', development, []);
    const name = flags.name();
    const events = await flags.events(() => flags.call('cloneFeature', { featureName: source }, { name }));
    const clone = (await flags.read(name)).body;
    expect(clone).toMatchObject({ type: 'experiment', description: 'd', impressionData: true, enabled: false });
    expect(clone.dependencies).toMatchObject([{ feature: parent }]);
    const [original, copy] = await Promise.all([
      flags.environment(source, 'production'),
      flags.environment(name, 'production'),
    ]);
    expect(copy.variants).toEqual(original.variants);
    expect(copy.strategies[0].parameters.groupId).toBe(name);
    expect(copy.strategies[0].id).not.toBe(original.strategies[0].id);
    expect(events.map((event) => event.type)).toEqual([
      'feature-created',
      'feature-strategy-add',
      'feature-environment-variants-updated',
      'feature-dependency-added',
    ]);
  });

  it('keeps the group when asked to', async () => {
    const source = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName: source, environment: 'development' });
    const name = flags.name();
    await flags.call('cloneFeature', { featureName: source }, { name, replaceGroupId: false });
    expect((await flags.environment(name)).strategies[0].parameters.groupId).toBe(source);
  });

  it('refuses taken and invalid names, and flags that are archived or in another project', async () => {
    const featureName = await flags.create();
    const projectId = await flags.otherProject();
    const name = flags.name();
    await flags.refused('cloneFeature', TAKEN, { params: { featureName }, body: { name: featureName } });
    await flags.refused('cloneFeature', INVALID, { params: { featureName }, body: { name: 'a b' } });
    await flags.refused('cloneFeature', INVALID, { params: { featureName }, body: {} });
    await flags.refused('cloneFeature', MISSING, { params: { projectId, featureName }, body: { name } });
    await flags.call('archiveFeature', { featureName });
    await flags.refused('cloneFeature', MISSING, { params: { featureName }, body: { name } });
  });
});

describe('several flags at once', () => {
  it('marks them as stale and back', async () => {
    const [one, two] = [await flags.create({}), await flags.create({})];
    const answer = await flags.call('staleFeatures', {}, { features: [one, two, one], stale: true });
    expect(answer.status).toBe(202);
    expect((await flags.read(two)).body.stale).toBe(true);
    const events = await flags.events(() => flags.call('staleFeatures', {}, { features: [one], stale: false }));
    expect(events).toMatchObject([{ type: 'feature-stale-off', data: { stale: false }, preData: { stale: true } }]);
  });

  it('marks all or none', async () => {
    const one = await flags.create();
    const projectId = await flags.otherProject();
    const elsewhere = await flags.create({}, projectId);
    await flags.refused('staleFeatures', MISSING, { body: { features: [one, elsewhere], stale: true } });
    await flags.refused('staleFeatures', MISSING, { body: { features: [one, 'nope'], stale: true } });
    await flags.refused('staleFeatures', MISSING, {
      params: { projectId: 'nope' },
      body: { features: [], stale: true },
    });
    await flags.refused('staleFeatures', INVALID, { body: { features: [one] } });
    await flags.refused('staleFeatures', INVALID, { body: { features: Array(BATCH_MAX + 1).fill(one), stale: true } });
  });
});

describe('asking whether a name is free', () => {
  it('accepts a free name, and refuses another one with the reason', async () => {
    const name = await flags.create();
    expect((await flags.call('validateFeature', {}, { name: flags.name() })).status).toBe(200);
    expect((await flags.call('validateFeature', {}, { name: flags.name(), projectId: 'default' })).status).toBe(200);
    await flags.refused('validateFeature', TAKEN, { body: { name } });
    await flags.refused('validateFeature', MISSING, { body: { name: flags.name(), projectId: 'nope' } });
  });
});
