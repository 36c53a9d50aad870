import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { featuresBatchEndpoints } from '../../src/api/admin/features-batch.ts';
import { Flags, INVALID, itGuards, MISSING, TAKEN } from '../support/flags.ts';
import { startTestService, type TestService } from '../support/service.ts';

const DEVELOPMENT = { environment: 'development' };

let service: TestService;
let flags: Flags;

beforeAll(async () => {
  service = await startTestService();
  flags = new Flags(service);
});

afterAll(() => service.close());

const IN_FOR_U = { contextName: 'userId', operator: 'IN', values: ['u'] };

/** An export of one flag that is on for the user u; `more` replaces or adds lists. */
function exportOf(name: string, more: object = {}) {
  return {
    features: [{ name, type: 'experiment', description: 'imported', stale: true, impressionData: true }],
    featureStrategies: [{ featureName: name, name: 'default', parameters: {}, constraints: [IN_FOR_U] }],
    featureEnvironments: [{ featureName: name, environment: 'elsewhere', name, enabled: true, variants: [] }],
    ...more,
  };
}

const importBody = (data: object, more: object = {}) => ({
  project: 'default',
  environment: 'development',
  data,
  ...more,
});
const doImport = (data: object, more: object = {}) => flags.call('importFeatures', {}, importBody(data, more));
const validate = async (data: object, more: object = {}) =>
  (await flags.call('validateImport', {}, importBody(data, more))).body;

/** Refused by the import with this status, told by the validation as an error about the item, and nothing changed by either. */
async function refusedWith(expected: readonly [number, string], data: object, item: string, more: object = {}) {
  const answer = await flags.refused('importFeatures', expected, { body: importBody(data, more) });
  expect(answer.body.message).toContain(item);
  const { seq } = flags.state;
  const { errors } = await validate(data, more);
  expect(flags.state.seq).toBe(seq);
  expect(errors.flatMap((error: { affectedItems: string[] }) => error.affectedItems).join()).toContain(item);
}

describe('features-batch', () => {
  itGuards(() => flags, featuresBatchEndpoints);
});

describe('an export', () => {
  it('holds the flags that are asked for, with what they refer to and nothing else', async () => {
    await flags.call('createTagType', {}, { name: 'team' });
    await flags.call('createContextField', {}, { name: 'plan', stickiness: true, legalValues: [{ value: 'gold' }] });
    const segment = (await flags.call('createSegment', {}, { name: 'seg', constraints: [IN_FOR_U] })).body;
    await flags.call('createSegment', {}, { name: 'unused', constraints: [IN_FOR_U] });
    const parent = await flags.create({ description: 'the parent' });
    const child = await flags.create({ type: 'experiment', impressionData: true });
    await flags.call('addFeatureDependency', { child }, { feature: parent });
    await flags.call('addTag', { featureName: child }, { type: 'team', value: 'checkout' });
    const constraints = [{ contextName: 'plan', operator: 'IN', values: ['gold'] }];
    const strategy = { name: 'default', title: 'gold', parameters: {}, constraints, segments: [segment.id] };
    const added = await flags.call('addFeatureStrategy', { featureName: child, ...DEVELOPMENT }, strategy);
    await flags.call('toggleFeatureEnvironmentOn', { featureName: child, ...DEVELOPMENT });
    const query = { environment: 'development', features: [parent, child] };
    const events = await flags.events(async () => {
      const answer = await flags.call('exportFeatures', {}, query);
      expect(answer.headers.get('content-disposition')).toBeNull();
      expect(answer.body).toMatchObject({
        features: [
          {
            name: parent,
            description: 'the parent',
            type: 'release',
            project: 'default',
            stale: false,
            archived: false,
          },
          { name: child, description: null, type: 'experiment', impressionData: true },
        ],
        featureStrategies: [
          {
            id: added.body.id,
            name: 'default',
            featureName: child,
            title: 'gold',
            disabled: false,
            segments: [segment.id],
          },
        ],
        featureEnvironments: [
          { featureName: parent, name: parent, environment: 'development', enabled: false, variants: [] },
          { featureName: child, name: child, environment: 'development', enabled: true, variants: [] },
        ],
        contextFields: [{ name: 'plan', stickiness: true, legalValues: [{ value: 'gold' }] }],
        featureTags: [{ featureName: child, tagType: 'team', tagValue: 'checkout' }],
        segments: [{ id: segment.id, name: 'seg' }],
        tagTypes: [{ name: 'team', description: null, icon: null, color: null }],
        dependencies: [{ feature: child, dependencies: [{ feature: parent, enabled: true, variants: [] }] }],
        links: [],
      });
    });
    expect(events).toMatchObject([
      { type: 'features-exported', environment: 'development', data: { features: [parent, child] } },
    ]);
  });

  it('can be asked for by tag, by project, for all, and as a file', async () => {
    const other = await flags.otherProject();
    const mine = await flags.create({}, other);
    const tagged = await flags.create();
    await flags.call('addTag', { featureName: tagged }, { type: 'simple', value: 'to-export' });
    const archived = await flags.create({}, other);
    await flags.call('archiveFeature', { projectId: other, featureName: archived });
    const names = async (query: object) => {
      const answer = await flags.call('exportFeatures', {}, { environment: 'production', ...query });
      return answer.body.features.map((feature: { name: string }) => feature.name);
    };
    expect(await names({ tag: 'to-export' })).toEqual([tagged]);
    expect(await names({ tag: 'simple:to-export' })).toEqual([tagged]);
    expect(await names({ tag: 'team:to-export' })).toEqual([]);
    expect(await names({ project: other })).toEqual([mine]);
    expect(await names({ project: other, tag: 'to-export' })).toEqual([]);
    expect(await names({ features: [] })).toEqual(expect.arrayContaining([mine, tagged]));
    expect(await names({})).not.toContain(archived);
    const file = await flags.call(
      'exportFeatures',
      {},
      { environment: 'production', features: [mine], downloadFile: true },
    );
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="export-[\w-]+\.json"$/);
  });

  it('is refused when it could not be complete', async () => {
    const archived = await flags.create();
    await flags.call('archiveFeature', { featureName: archived });
    const refused = (expected: readonly [number, string], body: object) =>
      flags.refused('exportFeatures', expected, { body });
    const missing = await refused(MISSING, { environment: 'development', features: ['nobody', archived] });
    expect(missing.body.message).toContain(`nobody, ${archived}`);
    await refused(MISSING, { environment: 'nowhere', features: [] });
    await refused(MISSING, { environment: 'development', project: 'nothing' });
    await refused(INVALID, { features: [] });
    await refused(INVALID, { environment: 'development', features: 'all' });
  });
});

describe('an import', () => {
  it('creates what is missing, and tells the audit log', async () => {
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

  it('replaces a flag’s metadata, tags, and what it has in the environment, and leaves the other environments', async () => {
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

  it('gives strategies fresh ids and keeps their order, their parameters and the weights of their variants', async () => {
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
    expect(Object.keys(strategies[0].parameters)).toEqual(['rollout']);
    const ids = new Set(strategies.map(({ id }: { id: string }) => id));
    expect([ids.size, ids.has('taken')]).toEqual([2, false]);
  });

  it('leaves the environment of a flag alone of which it tells nothing', async () => {
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

  it('adds dependencies, on flags that exist and on flags that come with it', async () => {
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

  it('is seen whole by the polls that follow, however many flags it has', async () => {
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

describe('an import is refused, whole,', () => {
  it('when the project or the environment does not exist, or is not connected', async () => {
    const data = exportOf(flags.name());
    const refused = (more: object) => flags.refused('importFeatures', MISSING, { body: importBody(data, more) });
    await refused({ project: 'nothing' });
    await refused({ environment: 'nowhere' });
    await flags.refused('validateImport', MISSING, { body: importBody(data, { project: 'nothing' }) });
  });

  it('when segments are missing: all of them are told', async () => {
    const name = flags.name();
    const featureStrategies = [{ featureName: name, name: 'default', segments: [1, 2, 3] }];
    const segments = [
      { id: 1, name: 'missing one' },
      { id: 2, name: 'missing two' },
    ];
    const data = exportOf(name, { featureStrategies, segments });
    await refusedWith(INVALID, data, 'missing one');
    await refusedWith(INVALID, data, 'missing two');
    await refusedWith(INVALID, data, '3');
  });

  it('when a segment belongs to another project', async () => {
    const project = await flags.otherProject();
    const body = { name: 'their segment', constraints: [IN_FOR_U], project };
    const { id } = (await flags.call('createSegment', {}, body)).body;
    const name = flags.name();
    const featureStrategies = [{ featureName: name, name: 'default', segments: [id] }];
    await refusedWith(
      INVALID,
      exportOf(name, { featureStrategies, segments: [{ id, name: 'their segment' }] }),
      'their segment',
    );
  });

  it('when a flag exists in another project, or is archived', async () => {
    const theirs = await flags.create({}, await flags.otherProject());
    await refusedWith(TAKEN, exportOf(theirs), theirs);
    const archived = await flags.create();
    await flags.call('archiveFeature', { featureName: archived });
    await refusedWith(TAKEN, exportOf(archived), archived);
  });

  it.each([
    ['of an unknown type', { name: 'nobody-knows' }, 'nobody-knows'],
    ['with a share above 100', { name: 'flexibleRollout', parameters: { rollout: '101' } }, '101'],
    [
      'with a constraint that cannot be used',
      { constraints: [{ contextName: 'n', operator: 'NUM_GT', value: 'x' }] },
      'NUM_GT',
    ],
    [
      'with variants whose fixed weights are too heavy',
      { variants: [{ name: 'v', weight: 1000, weightType: 'fix', stickiness: 'default' }] },
      'variable',
    ],
  ])('when a strategy is %s', async (_, strategy, item) => {
    const name = flags.name();
    const featureStrategies = [{ featureName: name, name: 'default', ...strategy }];
    await refusedWith(INVALID, exportOf(name, { featureStrategies }), item);
  });

  it('when a constraint’s value is not legal by the context field that comes with it', async () => {
    const name = flags.name();
    const constraints = [{ contextName: 'colour', operator: 'IN', values: ['green'] }];
    const featureStrategies = [{ featureName: name, name: 'default', constraints }];
    const contextFields = [{ name: 'colour', legalValues: [{ value: 'red' }] }];
    await refusedWith(INVALID, exportOf(name, { featureStrategies, contextFields }), 'green');
    expect(flags.state.get('contextFields', 'colour')).toBeUndefined();
  });

  it('when the flag’s variants, tags or context fields cannot be used', async () => {
    const name = flags.name();
    const variants = [{ name: 'v', weight: 1000, weightType: 'fix' }];
    await refusedWith(
      INVALID,
      exportOf(name, { featureEnvironments: [{ featureName: name, enabled: true, variants }] }),
      name,
    );
    const featureTags = [{ featureName: name, tagType: 'nobody-knows', tagValue: 'value' }];
    await refusedWith(INVALID, exportOf(name, { featureTags }), 'nobody-knows');
    const contextFields = [{ name: 'doubled', legalValues: [{ value: 'x' }, { value: 'x' }] }];
    await refusedWith(INVALID, exportOf(name, { contextFields }), 'doubled');
  });

  it('when a dependency breaks the rules', async () => {
    const [name, other] = [flags.name(), flags.name()];
    const [parent, child] = [await flags.create(), await flags.create()];
    await flags.call('addFeatureDependency', { child }, { feature: parent });
    const theirs = await flags.create({}, await flags.otherProject());
    const on = (feature: string, parents: readonly object[]) => ({ feature, dependencies: parents });
    const refused = (dependencies: readonly object[], features = [{ name }, { name: other }]) =>
      refusedWith(INVALID, { features, featureStrategies: [], dependencies }, name);
    await refused([on(name, [{ feature: 'nobody' }])]);
    await refused([on(name, [{ feature: name }])]);
    await refused([on(name, [{ feature: child }])]);
    await refused([on(name, [{ feature: theirs }])]);
    await refused([on(name, [{ feature: other }]), on(other, [{ feature: name }])]);
    await refused([on(name, [{ feature: parent, enabled: false, variants: ['v'] }])]);
    const grandparent = {
      features: [{ name: parent }],
      featureStrategies: [],
      dependencies: [on(parent, [{ feature: theirs }])],
    };
    await refusedWith(INVALID, grandparent, parent);
    const missing = { features: [{ name }], featureStrategies: [], dependencies: [on(other, [{ feature: parent }])] };
    await refusedWith(INVALID, missing, other);
  });

  it('when it contradicts itself', async () => {
    const name = flags.name();
    const flag = { name };
    await refusedWith(INVALID, exportOf(name, { features: [flag, flag] }), name);
    await refusedWith(INVALID, exportOf(name, { features: [{ name, archived: true }] }), name);
    const setting = { featureName: name, enabled: true };
    await refusedWith(INVALID, exportOf(name, { featureEnvironments: [setting, setting] }), name);
    await refusedWith(INVALID, exportOf(name, { features: [] }), name);
  });

  it('when it is not of the shape of an export', async () => {
    const name = flags.name();
    const refused = (data: unknown) =>
      flags.refused('importFeatures', INVALID, { body: { environment: 'development', data } });
    await refused(undefined);
    await refused({ features: [{ name }] });
    await refused(exportOf('not/url safe'));
    await refused(exportOf(name, { features: [{ name, type: 'unheard' }] }));
    await refused(exportOf(name, { featureTags: [{ featureName: name, tagValue: 'x' }] }));
    await refused(
      exportOf(name, { featureStrategies: [{ featureName: name, name: 'default', parameters: { a: 1 } }] }),
    );
    const constraints = [{ contextName: 'a', operator: 'IS' }];
    await refused(exportOf(name, { featureStrategies: [{ featureName: name, name: 'default', constraints }] }));
  });

  it('when one flag of many is wrong: none is imported', async () => {
    const [good, bad] = [flags.name(), flags.name()];
    const data = {
      features: [{ name: good }, { name: bad }],
      featureStrategies: [{ featureName: bad, name: 'nobody-knows' }],
    };
    await refusedWith(INVALID, data, bad);
    expect(flags.state.get('features', good)).toBeUndefined();
  });
});

describe('the validation of an import', () => {
  it('warns of what the import would do that its sender may not expect, and changes nothing', async () => {
    await flags.call('createStrategy', {}, { name: 'home-made', parameters: [] });
    await flags.call('createContextField', {}, { name: 'size', legalValues: [{ value: 'small' }] });
    const name = await flags.create();
    const { seq, lastEventId } = flags.state;
    const data = exportOf(name, {
      featureStrategies: [{ featureName: name, name: 'home-made' }],
      contextFields: [{ name: 'size', legalValues: [{ value: 'large' }] }, { name: 'brand-new' }],
      links: [{ feature: name, links: [{ url: 'https://example.com', title: null }] }],
    });
    const { errors, warnings, permissions } = await validate(data);
    expect([errors, permissions]).toEqual([[], []]);
    expect(warnings.map(({ affectedItems }: { affectedItems: string[] }) => affectedItems)).toEqual([
      [name],
      ['home-made'],
      ['size'],
      [name],
    ]);
    expect([flags.state.seq, flags.state.lastEventId]).toEqual([seq, lastEventId]);
    expect(flags.state.get('contextFields', 'brand-new')).toBeUndefined();
  });
});

interface Exported {
  readonly segments: readonly { readonly id: number; readonly name: string }[];
  readonly featureStrategies: readonly { readonly id: string; readonly segments: readonly number[] }[];
  readonly featureEnvironments: readonly { readonly environment: string }[];
}

/** The export with segments by name, and without what an import gives anew. */
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
