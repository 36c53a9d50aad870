import { beforeAll, describe, expect, it } from 'vitest';
import { exportOf, IN_FOR_U, importBody } from '../../support/exports.ts';
import { Flags, INVALID, MISSING, TAKEN } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const validate = async (data: object, more: object = {}) =>
  (await flags.call('validateImport', {}, importBody(data, more))).body;

/** The import refuses the data with this status, the validation reports an error about the item, and neither changes anything. */
async function refusedWith(expected: readonly [number, string], data: object, item: string, more: object = {}) {
  const answer = await flags.refused('importFeatures', expected, { body: importBody(data, more) });
  expect(answer.body.message).toContain(item);
  const { seq } = flags.state;
  const { errors } = await validate(data, more);
  expect(flags.state.seq).toBe(seq);
  expect(errors.flatMap((error: { affectedItems: string[] }) => error.affectedItems).join()).toContain(item);
}

/** The parts of an export that are wrong. */
interface Parts {
  readonly feature?: object;
  readonly variants?: readonly object[];
  readonly featureStrategies?: readonly object[];
  readonly featureTags?: readonly object[];
  readonly links?: readonly object[];
  readonly dependencies?: readonly object[];
}

describe('an import is refused as a whole', () => {
  it('when the project or the environment does not exist, or is not connected', async () => {
    const data = exportOf(flags.name());
    const refused = (more: object) => flags.refused('importFeatures', MISSING, { body: importBody(data, more) });
    await refused({ project: 'nothing' });
    await refused({ environment: 'nowhere' });
    await flags.refused('validateImport', MISSING, { body: importBody(data, { project: 'nothing' }) });
  });

  it('when segments are missing, with an error for each of them', async () => {
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

  it('when a flag exists in another project', async () => {
    const theirs = await flags.create({}, await flags.otherProject());
    await refusedWith(TAKEN, exportOf(theirs), theirs);
  });

  it.each([
    ['of an unknown type', { name: 'nobody-knows' }, 'nobody-knows'],
    ['with a rollout above 100', { name: 'flexibleRollout', parameters: { rollout: '101' } }, '101'],
    [
      'with a constraint that cannot be used',
      { constraints: [{ contextName: 'n', operator: 'NUM_GT', value: 'x' }] },
      'NUM_GT',
    ],
    [
      'with variants whose fixed weights are too high',
      { variants: [{ name: 'v', weight: 1000, weightType: 'fix', stickiness: 'default' }] },
      'variable',
    ],
    [
      'with more values than any other operation accepts',
      { constraints: Array(6).fill({ contextName: 'userId', operator: 'IN', values: Array(10_000).fill('u') }) },
      '60000',
    ],
  ])('when a strategy is %s', async (_, strategy, item) => {
    const name = flags.name();
    const featureStrategies = [{ featureName: name, name: 'default', ...strategy }];
    await refusedWith(INVALID, exportOf(name, { featureStrategies }), item);
  });

  it('when a constraint value is not legal for a context field in the same import', async () => {
    const name = flags.name();
    const constraints = [{ contextName: 'colour', operator: 'IN', values: ['green'] }];
    const featureStrategies = [{ featureName: name, name: 'default', constraints }];
    const contextFields = [{ name: 'colour', legalValues: [{ value: 'red' }] }];
    await refusedWith(INVALID, exportOf(name, { featureStrategies, contextFields }), 'green');
    expect(flags.state.get('contextFields', 'colour')).toBeUndefined();
  });

  it('when variants, tags or context fields are invalid', async () => {
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
    const refused = (dependencies: readonly object[], features = [{ name }]) =>
      refusedWith(INVALID, { features, featureStrategies: [], dependencies }, name);
    await refused([on(name, [{ feature: 'nobody' }])]);
    await refused([on(name, [{ feature: name }])]);
    await refused([on(name, [{ feature: child }])]);
    await refused([on(name, [{ feature: theirs }])]);
    const both = [{ name }, { name: other }];
    await refused([on(name, [{ feature: other }]), on(other, [{ feature: name }])], both);
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
    await refusedWith(TAKEN, exportOf(name, { features: [flag, flag] }), name);
    await refusedWith(INVALID, exportOf(name, { features: [{ name, archived: true }] }), name);
    const setting = { featureName: name, enabled: true };
    await refusedWith(INVALID, exportOf(name, { featureEnvironments: [setting, setting] }), name);
    await refusedWith(INVALID, exportOf(name, { features: [] }), name);
  });

  it('when an existing context field does not allow all values of the imported one', async () => {
    await flags.call('createContextField', {}, { name: 'plan', legalValues: [{ value: 'gold' }] });
    await flags.call('createContextField', {}, { name: 'free' });
    const contextFields = (name: string, ...values: string[]) => ({
      contextFields: [{ name, legalValues: values.map((value) => ({ value })) }],
    });
    await refusedWith(INVALID, exportOf(flags.name(), contextFields('plan', 'gold', 'silver')), 'plan (silver)');
    await refusedWith(INVALID, exportOf(flags.name(), contextFields('free', 'anything')), 'free (anything)');
    await flags.call('importFeatures', {}, importBody(exportOf(flags.name(), contextFields('plan', 'gold'))));
  });

  it('when it is a state export of an older Unleash', async () => {
    const data = { ...exportOf(flags.name()), version: 4, featureStrategySegments: [] };
    await refusedWith(INVALID, data, 'version');
    const answer = await service.call('importFeatures', { body: importBody(data) });
    expect(answer.body.message).toContain('state export of an older Unleash');
  });

  it('when it has more problems than an answer lists, with the number of the others', async () => {
    const name = flags.name();
    const featureTags = Array.from({ length: 3000 }, (_, index) => ({ featureName: `m-${index}`, tagValue: 'value' }));
    const { errors } = await validate(exportOf(name, { featureTags }));
    expect(errors).toHaveLength(1);
    expect(errors[0].affectedItems).toHaveLength(1001);
    expect(errors[0].affectedItems.at(-1)).toBe('and 2000 more');
    const refused = await flags.refused('importFeatures', INVALID, {
      body: importBody(exportOf(name, { featureTags })),
    });
    expect(refused.body.message).toContain('and 2980 more');
  });

  it('when it does not have the form of an export', async () => {
    const name = flags.name();
    const refused = (data: unknown) =>
      flags.refused('importFeatures', INVALID, { body: { environment: 'development', data } });
    await refused(undefined);
    await refused({ features: [{ name }] });
    await refused(exportOf('not/url safe'));
    await refused(exportOf(name, { features: [{ name, type: 'unheard' }] }));
    await refused(exportOf(name, { featureTags: [{ featureName: name, tagValue: 'x' }] }));
    await refused(
      exportOf(name, { featureStrategies: [{ featureName: name, name: 'default', parameters: { a: [1] } }] }),
    );
    const variants = Array.from({ length: 1001 }, (_, index) => ({ name: `v-${index}`, weight: 0 }));
    await refused(exportOf(name, { featureEnvironments: [{ featureName: name, enabled: true, variants }] }));
    const constraints = [{ contextName: 'a', operator: 'IS' }];
    await refused(exportOf(name, { featureStrategies: [{ featureName: name, name: 'default', constraints }] }));
  });
});

describe('a flag that cannot be imported is left out, and named', () => {
  const setting = (featureName: string) => ({ featureName, enabled: true, variants: [] });

  it.each([
    ['a strategy of an unknown type', { featureStrategies: [{ name: 'nobody-knows' }] }, 'nobody-knows'],
    [
      'a rollout above 100',
      { featureStrategies: [{ name: 'flexibleRollout', parameters: { rollout: '101' } }] },
      '101',
    ],
    [
      'an unknown operator',
      { featureStrategies: [{ name: 'default', constraints: [{ contextName: 'a', operator: 'IS' }] }] },
      'constraints/0/operator',
    ],
    ['a parameter that is a list', { featureStrategies: [{ name: 'default', parameters: { a: [1] } }] }, 'parameters'],
    ['variants with fixed weights only', { variants: [{ name: 'v', weight: 1000, weightType: 'fix' }] }, 'variable'],
    ['a tag of an unknown type', { featureTags: [{ tagType: 'nobody-knows', tagValue: 'value' }] }, 'nobody-knows'],
    ['an unknown type', { feature: { type: 'unheard' } }, 'type'],
    ['an address that is none', { links: [{ url: 'ftp://files' }] }, 'ftp'],
    ['a parent that does not exist', { dependencies: [{ feature: 'nobody' }] }, 'nobody'],
  ])('with %s', async (_, bad, reason) => {
    const [good, left] = [flags.name(), flags.name()];
    const { feature, variants = [], featureStrategies = [], featureTags = [], links, dependencies } = bad as Parts;
    const data = {
      features: [{ name: good }, { name: left, ...feature }],
      featureStrategies: featureStrategies.map((each) => ({ ...each, featureName: left })),
      featureEnvironments: [setting(good), { ...setting(left), variants }],
      featureTags: featureTags.map((each) => ({ ...each, featureName: left })),
      ...(links && { links: [{ feature: left, links }] }),
      ...(dependencies && { dependencies: [{ feature: left, dependencies }] }),
    };
    const validated = await validate(data);
    expect(validated.errors).toEqual([]);
    const { imported, warnings } = (await flags.call('importFeatures', {}, importBody(data))).body;
    expect(imported).toBe(1);
    expect(warnings).toEqual([
      { message: 'These features are left out:', affectedItems: [expect.stringContaining(left)] },
    ]);
    expect(warnings[0].affectedItems[0]).toContain(reason);
    expect(validated.warnings).toContainEqual(warnings[0]);
    expect(flags.state.get('features', good)).toBeDefined();
    expect(flags.state.get('features', left)).toBeUndefined();
  });

  it('with the flags that depend on it, which would be on for more users without it', async () => {
    const [good, parent, child] = [flags.name(), flags.name(), flags.name()];
    const data = {
      features: [{ name: good }, { name: child }, { name: parent }],
      featureStrategies: [{ featureName: parent, name: 'nobody-knows' }],
      dependencies: [{ feature: child, dependencies: [{ feature: parent }] }],
    };
    const { imported, warnings } = (await flags.call('importFeatures', {}, importBody(data))).body;
    expect(imported).toBe(1);
    expect(warnings[0].affectedItems).toHaveLength(2);
    expect(flags.state.get('features', child)).toBeUndefined();
  });

  it('but a dependency on an archived flag is left out alone', async () => {
    const [parent, other, child] = [await flags.create(), await flags.create(), flags.name()];
    await flags.call('archiveFeature', { featureName: parent });
    const data = exportOf(child, {
      dependencies: [{ feature: child, dependencies: [{ feature: parent }, { feature: other }] }],
    });
    const { imported, warnings } = (await flags.call('importFeatures', {}, importBody(data))).body;
    expect(imported).toBe(1);
    const message = 'These dependencies are left out, because the parent is archived:';
    expect(warnings).toEqual([{ message, affectedItems: [`${child} on ${parent}`] }]);
    expect(flags.state.get('features', child)?.dependencies).toEqual([{ feature: other, enabled: true, variants: [] }]);
    expect((await validate(data)).warnings[0]).toEqual(warnings[0]);
  });

  it('and nothing is imported if no flag is left', async () => {
    const names = [flags.name(), flags.name()];
    const data = {
      features: names.map((name) => ({ name })),
      featureStrategies: names.map((featureName) => ({ featureName, name: 'nobody-knows' })),
    };
    await refusedWith(INVALID, data, names[0] ?? '');
    await refusedWith(INVALID, data, names[1] ?? '');
  });
});

describe('the validation of an import', () => {
  it('warns about effects that the sender may not expect, and changes nothing', async () => {
    await flags.call('createStrategy', {}, { name: 'home-made', parameters: [] });
    await flags.call('createContextField', {}, { name: 'size', legalValues: [{ value: 'small' }] });
    const name = await flags.create();
    const { seq, lastEventId } = flags.state;
    const data = exportOf(name, {
      featureStrategies: [{ featureName: name, name: 'home-made' }],
      contextFields: [{ name: 'size', legalValues: [{ value: 'small' }] }, { name: 'brand-new' }],
      features: [{ name, project: 'elsewhere', favorite: true, createdAt: 'long ago' }, { name: 'other' }],
      links: [
        { feature: name, links: [{ url: 'https://example.com', title: null }] },
        { feature: 'other', links: [] },
      ],
      milestones: [],
    });
    const { errors, warnings, permissions } = await validate(data);
    expect([errors, permissions]).toEqual([[], []]);
    expect(warnings.map(({ affectedItems }: { affectedItems: string[] }) => affectedItems)).toEqual([
      [name],
      ['home-made'],
      [`${name} (elsewhere)`],
      ['features[].favorite', 'features[].createdAt', 'milestones'],
    ]);
    expect([flags.state.seq, flags.state.lastEventId]).toEqual([seq, lastEventId]);
    expect(flags.state.get('contextFields', 'brand-new')).toBeUndefined();
  });
});
