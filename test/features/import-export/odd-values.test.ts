import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateFiles, savedIn, TARGET_ADMIN } from '../../products/migrate/run-migrate.ts';
import { changed, REVIEWER } from '../../support/entrances.ts';
import { Flags } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const service = useService({ env: { INIT_ADMIN_API_TOKENS: `*:*.test-admin,${REVIEWER},${TARGET_ADMIN}` } });
let flags: Flags;
let directory: string;

beforeAll(async () => {
  flags = new Flags(service);
  directory = await mkdtemp(join(tmpdir(), 'burgee-test-'));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs `burgee migrate --file` with an export that has these lists. */
async function migrated(lists: object): Promise<void> {
  const empty = { features: [], featureStrategies: [], featureEnvironments: [] };
  const file = await savedIn(directory, 'export.json', { ...empty, ...lists });
  const { code, said } = await migrateFiles(service.url, '--file', file, '--environment', 'development');
  expect(code, said).toBe(0);
}

const importLists = (lists: object) => {
  const data = { features: [], featureStrategies: [], ...lists };
  return flags.call('importFeatures', {}, { project: 'default', environment: 'development', data });
};

const takenOver = async (body: object) => {
  const { items } = (await flags.call('takeOver', {}, body)).body;
  expect(items.filter(({ outcome }: { outcome: string }) => outcome === 'refused')).toEqual([]);
};

const VARIANT = { name: 'v', weight: 1000, weightType: 'variable', stickiness: 'default' };

describe.each<[string, object, object]>([
  ['with text for its weight', { weight: '1000' }, {}],
  [
    'with a number in its payload',
    { payload: { type: 'number', value: 5 } },
    { payload: { type: 'number', value: '5' } },
  ],
  ['with null for its payload', { payload: null }, {}],
  ['with null for its stickiness', { stickiness: null }, {}],
  ['with null for its overrides', { overrides: null }, {}],
  [
    'with numbers in an override',
    { overrides: [{ contextName: 'userId', values: [1, 'b'] }] },
    { overrides: [{ contextName: 'userId', values: ['1', 'b'] }] },
  ],
])('a variant of a flag %s', (_, odd, stored) => {
  const sent = { ...VARIANT, ...odd };
  const exportWith = (name: string, variant: object = sent) => ({
    features: [{ name, type: 'release', project: 'default' }],
    featureEnvironments: [{ featureName: name, environment: 'development', enabled: true, variants: [variant] }],
  });

  it.each<[string, (name: string) => Promise<unknown>]>([
    [
      'a PUT',
      async (name) => {
        await importLists(exportWith(name, VARIANT));
        await flags.call('overwriteEnvironmentFeatureVariants', { featureName: name, environment: 'development' }, [
          sent,
        ]);
      },
    ],
    [
      'a change request',
      async (name) => {
        await importLists(exportWith(name, VARIANT));
        expect(await changed(service, name, 'patchVariant', { variants: [sent] })).toBe(true);
      },
    ],
    ['an import', (name) => importLists(exportWith(name))],
    ['burgee migrate --file', (name) => migrated(exportWith(name))],
    [
      'the import of an instance',
      (name) => {
        const environments = [{ environment: 'development', enabled: true, strategies: [], variants: [sent] }];
        return takenOver({ features: [{ name, project: 'default', environments }] });
      },
    ],
  ])('is stored alike by %s', async (_entrance, enter) => {
    const name = flags.name('varied');
    await enter(name);
    const { environments = [] } = flags.state.get('features', name) ?? {};
    expect(environments.find(({ environment }) => environment === 'development')?.variants).toEqual([
      { ...VARIANT, ...stored },
    ]);
  });
});

const IN = { contextName: 'userId', operator: 'IN', values: ['1', '2'] };

describe.each<[string, object, object]>([
  ['with numbers as values', { values: [1, 2] }, {}],
  ['with null for inverted', { inverted: null }, {}],
  ['with text for inverted', { inverted: 'true' }, { inverted: true }],
  ['with null for caseInsensitive', { caseInsensitive: null }, {}],
  ['with null for its value', { value: null }, {}],
])('a constraint of a segment %s', (_, odd, stored) => {
  const constraints = [{ ...IN, ...odd }];
  const complete = (name: string) => ({ name, constraints: [IN] });

  it.each<[string, (name: string) => Promise<unknown>]>([
    ['a POST', (name) => flags.call('createSegment', {}, { name, constraints })],
    [
      'a PUT',
      async (name) => {
        const { id } = (await flags.call('createSegment', {}, complete(name))).body;
        await flags.call('updateSegment', { id }, { name, constraints });
      },
    ],
    ['burgee migrate --file', (name) => migrated({ segments: [{ id: 900 + name.length, name, constraints }] })],
    [
      'the import of an instance',
      (name) =>
        takenOver({ segments: [{ id: 800 + name.length, name, description: null, project: null, constraints }] }),
    ],
  ])('is stored alike by %s', async (_entrance, enter) => {
    const name = flags.name('segment');
    await enter(name);
    expect([...flags.state.lookup('segmentsByName', name)]).toMatchObject([{ constraints: [{ ...IN, ...stored }] }]);
  });
});

const FIELD = { description: null, stickiness: false, sortOrder: 10, legalValues: [] };

describe.each<[string, object, object]>([
  ['with text for stickiness', { stickiness: 'true' }, { stickiness: true }],
  ['with null for stickiness', { stickiness: null }, {}],
  ['with text for its position', { sortOrder: '3' }, { sortOrder: 3 }],
  ['with null for its position', { sortOrder: null }, {}],
  ['with numbers as legal values', { legalValues: [{ value: 5 }] }, { legalValues: [{ value: '5' }] }],
  ['with null for its legal values', { legalValues: null }, {}],
  ['with a number for its description', { description: 5 }, { description: '5' }],
])('a context field %s', (_, odd, stored) => {
  it.each<[string, (name: string) => Promise<unknown>]>([
    ['a POST', (name) => flags.call('createContextField', {}, { name, ...odd })],
    [
      'a PUT',
      async (name) => {
        await flags.call('createContextField', {}, { name });
        await flags.call('updateContextField', { contextField: name }, odd);
      },
    ],
    ['an import', (name) => importLists({ features: [{ name: `${name}-flag` }], contextFields: [{ name, ...odd }] })],
    [
      'burgee migrate --file',
      (name) =>
        migrated({ features: [{ name: `${name}-flag`, project: 'default' }], contextFields: [{ name, ...odd }] }),
    ],
    [
      'the import of an instance',
      (name) => {
        const sent = Object.entries(odd).filter(([, value]) => value !== null);
        return takenOver({ contextFields: [{ name, ...FIELD, ...Object.fromEntries(sent) }] });
      },
    ],
  ])('is stored alike by %s', async (_entrance, enter) => {
    const name = flags.name('field');
    await enter(name);
    expect(flags.state.get('contextFields', name)).toMatchObject({ name, ...FIELD, ...stored });
  });
});

describe('a flag', () => {
  it('is stored alike with "true" for impressionData and "false" for stale', async () => {
    const odd = { impressionData: 'true', stale: 'false' };
    const names = [flags.name('odd'), flags.name('odd'), flags.name('odd')];
    const [created = '', imported = '', fromFile = ''] = names;
    await flags.call('createFeature', {}, { name: created, ...odd });
    await importLists({ features: [{ name: imported, ...odd }] });
    await migrated({ features: [{ name: fromFile, project: 'default', ...odd }] });
    for (const name of names)
      expect(flags.state.get('features', name)).toMatchObject({ impressionData: true, stale: false });
  });
});

it('a body that is parsed in several turns is converted, too', async () => {
  const values = Array.from({ length: 1_000 }, (_, index) => index);
  const name = flags.name('large');
  // White space, so that the body is large and within all limits.
  const body = JSON.stringify({ name, constraints: [{ ...IN, values }] }).replace('{', `{${' '.repeat(200_000)}`);
  await flags.call('createSegment', {}, body);
  expect([...flags.state.lookup('segmentsByName', name)]).toMatchObject([
    { constraints: [{ values: values.map(String) }] },
  ]);
});
