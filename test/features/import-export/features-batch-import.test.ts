import { beforeAll, describe, expect, it } from 'vitest';
import { exportOf, IN_FOR_U, importBody } from '../../support/exports.ts';
import { Flags } from '../../support/flags.ts';
import { startTestService, useService } from '../../support/service.ts';

const DEVELOPMENT = { environment: 'development' };

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const doImport = (data: object, more: object = {}) => flags.call('importFeatures', {}, importBody(data, more));

describe('an import', () => {
  it('leaves out archived flags, as its validation reports, and imports the others', async () => {
    const [archived, fresh] = [await flags.create(), flags.name()];
    await flags.call('archiveFeature', { featureName: archived });
    const one = exportOf(archived);
    const other = exportOf(fresh);
    const data = {
      ...one,
      features: [...one.features, ...other.features],
      featureStrategies: [...one.featureStrategies, ...other.featureStrategies],
    };
    const { body: validation } = await flags.call('validateImport', {}, importBody(data));
    expect(validation).toMatchObject({
      errors: [],
      warnings: [{ message: expect.stringContaining('are archived and are left out'), affectedItems: [archived] }],
    });
    const events = await flags.events(() => doImport(data));
    expect(events.at(-1)).toMatchObject({ type: 'features-imported', data: { features: [fresh] } });
    expect(flags.state.get('features', archived)?.archived).toBe(true);
    expect((await flags.read(fresh)).status).toBe(200);
  });

  it('creates what is missing, with events in the audit log', async () => {
    const name = flags.name();
    const field = {
      name: 'imported-field',
      description: 'd',
      stickiness: true,
      sortOrder: 3,
      legalValues: [{ value: 'a' }],
    };
    const tagType = { name: 'imported-type', description: 'd', icon: 'I', color: null };
    const data = exportOf(name, {
      contextFields: [field, { name: 'userId' }],
      tagTypes: [tagType, { name: 'simple' }],
      featureTags: [
        { featureName: name, tagType: 'imported-type', tagValue: 'one' },
        { featureName: name, tagValue: 'two' },
      ],
    });
    const events = await flags.events(() => doImport(data));
    expect((await flags.read(name)).body).toMatchObject({
      project: 'default',
      type: 'experiment',
      description: 'imported',
      stale: true,
      impressionData: true,
      archived: false,
      tags: [
        { type: 'imported-type', value: 'one' },
        { type: 'simple', value: 'two' },
      ],
    });
    expect(await flags.environment(name)).toMatchObject({ enabled: true, strategies: [{ name: 'default' }] });
    expect(await flags.environment(name, 'production')).toMatchObject({ enabled: false, strategies: [] });
    expect((await flags.call('getContextField', { contextField: 'imported-field' })).body).toMatchObject(field);
    expect((await flags.call('getTagType', { name: 'imported-type' })).body.tagType).toMatchObject(tagType);
    expect(events.map(({ type, featureName, environment }) => [type, featureName, environment])).toEqual([
      ['context-field-created', null, null],
      ['tag-type-created', null, null],
      ['feature-created', name, null],
      ['feature-import', name, 'development'],
      ['feature-environment-enabled', name, 'development'],
      ['features-imported', null, 'development'],
    ]);
    expect(events[3]).toMatchObject({ project: 'default', data: { name, stale: true }, preData: null });
    expect(events[5]).toMatchObject({ project: 'default', data: { features: [name] } });
  });

  it('replaces the metadata, the tags and the configuration of a flag in the environment, and keeps other environments', async () => {
    const name = await flags.create();
    await flags.call('addTag', { featureName: name }, { type: 'simple', value: 'old' });
    for (const environment of ['development', 'production']) {
      const strategy = { name: 'default', title: 'old', parameters: {} };
      await flags.call('addFeatureStrategy', { featureName: name, environment }, strategy);
      await flags.call('toggleFeatureEnvironmentOn', { featureName: name, environment });
    }
    const before = (await flags.read(name)).body;
    const variants = [{ name: 'v', weight: 1000, weightType: 'variable', stickiness: 'default', overrides: [] }];
    const data = exportOf(name, {
      featureEnvironments: [{ featureName: name, enabled: false, variants }],
      featureTags: [{ featureName: name, tagType: 'simple', tagValue: 'new' }],
    });
    const events = await flags.events(() => doImport(data));
    const after = (await flags.read(name)).body;
    expect(after).toMatchObject({
      type: 'experiment',
      stale: true,
      createdAt: before.createdAt,
      tags: [{ type: 'simple', value: 'new' }],
    });
    const [development, production] = after.environments;
    expect(development).toMatchObject({
      enabled: false,
      variants,
      strategies: [{ title: null, constraints: [IN_FOR_U] }],
    });
    expect(production).toEqual(before.environments[1]);
    expect(events.map(({ type }) => type)).toEqual([
      'feature-import',
      'feature-environment-disabled',
      'features-imported',
    ]);
    expect(events[0]).toMatchObject({ featureName: name, preData: { stale: false }, data: { stale: true } });
  });

  it('gives strategies new ids, completes their parameters, and keeps their order and the weights of their variants', async () => {
    const name = flags.name();
    const variant = (variantName: string, weight: number) => ({
      name: variantName,
      weight,
      weightType: 'variable',
      stickiness: 'default',
    });
    const strategy = (title: string, more: object = {}) => ({
      featureName: name,
      id: 'taken',
      name: 'flexibleRollout',
      title,
      parameters: { rollout: '50' },
      constraints: [],
      ...more,
    });
    const variants = [variant('a', 333), variant('b', 333), variant('c', 334)];
    const uneven = [variant('a', 1), variant('b', 1)];
    const featureStrategies = [
      strategy('second', { sortOrder: 2, variants }),
      strategy('first', { sortOrder: 1, variants: uneven }),
    ];
    await doImport(exportOf(name, { featureStrategies }));
    const { strategies } = await flags.environment(name);
    expect(strategies).toMatchObject([
      { title: 'first', sortOrder: 0, parameters: { rollout: '50' }, variants: [variant('a', 500), variant('b', 500)] },
      { title: 'second', sortOrder: 1, variants },
    ]);
    expect(strategies[0].parameters).toEqual({ rollout: '50', stickiness: 'default', groupId: name });
    const ids = new Set(strategies.map(({ id }: { id: string }) => id));
    expect([ids.size, ids.has('taken')]).toEqual([2, false]);
  });

  it('does not change the environment of a flag when the export has no strategies or settings for it', async () => {
    const name = await flags.create();
    await flags.call(
      'addFeatureStrategy',
      { featureName: name, ...DEVELOPMENT },
      { name: 'default', constraints: [IN_FOR_U] },
    );
    await flags.call('toggleFeatureEnvironmentOn', { featureName: name, ...DEVELOPMENT });
    const before = await flags.environment(name);
    await doImport(exportOf(name, { featureStrategies: [], featureEnvironments: [] }));
    expect(await flags.environment(name)).toEqual(before);
  });

  it('finds segments by name, whatever their ids were', async () => {
    const name = flags.name();
    const { id } = (await flags.call('createSegment', {}, { name: 'by name', constraints: [IN_FOR_U] })).body;
    const featureStrategies = [{ featureName: name, name: 'default', segments: [id + 1000] }];
    await doImport(exportOf(name, { featureStrategies, segments: [{ id: id + 1000, name: 'by name' }] }));
    expect((await flags.environment(name)).strategies[0].segments).toEqual([id]);
  });

  it('adds dependencies on existing flags and on flags of the same import', async () => {
    const [oldParent, name, newParent] = [await flags.create(), flags.name(), flags.name()];
    const data = {
      features: [{ name }, { name: newParent }],
      featureStrategies: [],
      dependencies: [{ feature: name, dependencies: [{ feature: oldParent }, { feature: newParent, enabled: false }] }],
    };
    await doImport(data);
    const dependencies = [
      { feature: oldParent, enabled: true, variants: [] },
      { feature: newParent, enabled: false, variants: [] },
    ];
    expect((await flags.read(name)).body.dependencies).toEqual(dependencies);
    await doImport({
      ...data,
      dependencies: [{ feature: name, dependencies: [{ feature: oldParent, variants: ['v'] }] }],
    });
    expect((await flags.read(name)).body.dependencies).toEqual([
      dependencies[1],
      { feature: oldParent, enabled: true, variants: ['v'] },
    ]);
  });

  it('may be repeated: the second time changes nothing that is exported', async () => {
    const name = flags.name();
    const data = exportOf(name);
    const read = async () => {
      const { body } = await flags.call('exportFeatures', {}, { environment: 'development', features: [name] });
      return {
        ...body,
        featureStrategies: body.featureStrategies.map((strategy: object) => ({ ...strategy, id: '' })),
      };
    };
    await doImport(data);
    const first = await read();
    await doImport(data);
    expect(await read()).toEqual(first);
  });

  it('is completely visible to the next polls, however many flags it has', async () => {
    const body = { environment: 'development', context: { appName: 'test', userId: 'u' } };
    const listed = async () => {
      const list = (await flags.call('getAllClientFeatures')).body.features;
      const playground = (await flags.call('getPlayground', {}, body)).body.features;
      const frontend = (await service.call('getFrontendFeatures', { query: 'userId=u' })).body.toggles;
      const namesOf = (items: readonly { name: string }[]) =>
        items.map(({ name }) => name).filter((name) => name.startsWith('many-'));
      return [namesOf(list), namesOf(playground), namesOf(frontend)];
    };
    const many = Array.from({ length: 300 }, (_, index) => `many-${1000 + index}`);
    expect(await listed()).toEqual([[], [], []]);
    await doImport({
      features: many.map((name) => ({ name })),
      featureStrategies: many.map((featureName) => ({ featureName, name: 'default', constraints: [IN_FOR_U] })),
      featureEnvironments: many.map((featureName) => ({ featureName, enabled: true })),
    });
    expect(await listed()).toEqual([many, many, many]);
    await doImport({
      features: many.map((name) => ({ name })),
      featureStrategies: [],
      featureEnvironments: many.map((featureName) => ({ featureName, enabled: false })),
    });
    expect(await listed()).toEqual([many, many, []]);
  });

  it('brings an export into a fresh instance, which exports the same, ids aside', async () => {
    const exported = (await flags.call('exportFeatures', {}, { environment: 'development', project: 'default' })).body;
    expect(exported.features.length).toBeGreaterThan(5);
    const fresh = await startTestService();
    try {
      const there = new Flags(fresh);
      for (const { name } of [...exported.segments].reverse())
        await there.call('createSegment', {}, { name, constraints: [IN_FOR_U] });
      await there.call('importFeatures', {}, importBody(exported, { environment: 'production' }));
      const again = (await there.call('exportFeatures', {}, { environment: 'production' })).body;
      expect(withoutIds(again)).toEqual(withoutIds(exported));
    } finally {
      await fresh.close();
    }
  });
});

interface Exported {
  readonly segments: readonly { readonly id: number; readonly name: string }[];
  readonly featureStrategies: readonly { readonly id: string; readonly segments: readonly number[] }[];
  readonly featureEnvironments: readonly { readonly environment: string }[];
}

/** The export with segments by name, and without the ids and environments that an import replaces. */
function withoutIds(exported: Exported): unknown {
  const names = new Map(exported.segments.map(({ id, name }) => [id, name]));
  return {
    ...exported,
    featureStrategies: exported.featureStrategies.map(({ id: _id, segments, ...strategy }) => ({
      ...strategy,
      segments: segments.map((id) => names.get(id)),
    })),
    featureEnvironments: exported.featureEnvironments.map(({ environment: _environment, ...entry }) => entry),
    segments: [...names.values()].sort(),
  };
}
