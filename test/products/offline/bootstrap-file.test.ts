import { describe, expect, it } from 'vitest';
import { readBootstrap } from '../../../src/products/offline/bootstrap-file.ts';
import type { Bootstrap } from '../../../src/products/offline/bootstrap-shape.ts';

const read = (text: string) => readBootstrap(Buffer.from(text));
const readValue = (value: unknown) => read(JSON.stringify(value));

/** The error message for a file that cannot be read. */
async function problemOf(file: string | Uint8Array): Promise<string> {
  try {
    await readBootstrap(Buffer.from(file));
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing';
}

const FLAG = { name: 'checkout', type: 'release', enabled: true, project: 'shop', strategies: [{ name: 'default' }] };

describe('a bootstrap file', () => {
  it('may be an answer of GET /api/client/features, of version 1 or 2', async () => {
    const segments = [{ id: 3, name: 'beta', constraints: [{ contextName: 'userId', operator: 'IN', values: ['7'] }] }];
    const flag = { ...FLAG, strategies: [{ name: 'default', segments: [3] }] };
    const two = await readValue({ version: 2, features: [flag], segments, query: {}, meta: { revisionId: 9 } });
    expect(two).toEqual({ form: 'client features', flags: [flag], segments, warnings: [] });
    const one = await readValue({ version: 1, features: [FLAG] });
    expect(one).toMatchObject({ form: 'client features', flags: [FLAG], segments: [] });
  });

  it('may be simplified: on or off for all users, with or without a variant', async () => {
    const { form, flags } = await readValue({
      plain: { enabled: true },
      off: { enabled: false, variant: 'blue' },
      features: { enabled: true, variant: 'red' },
      __proto: { enabled: true },
    });
    expect(form).toBe('simplified');
    const strategies = [{ name: 'default', parameters: {}, constraints: [] }];
    const red = [{ name: 'red', weight: 1000, weightType: 'fix', stickiness: 'default' }];
    const blue = [{ ...red[0], name: 'blue' }];
    expect(flags).toEqual([
      { name: 'plain', enabled: true, strategies, variants: [] },
      { name: 'off', enabled: false, strategies, variants: blue },
      { name: 'features', enabled: true, strategies, variants: red },
      { name: '__proto', enabled: true, strategies, variants: [] },
    ]);
    expect((await read('{}')).flags).toEqual([]);
    expect((await read('{"__proto__": {"enabled": true}}')).flags[0]?.name).toBe('__proto__');
  });

  it('may be an export: flags keep their project and strategies their order; disabled strategies and archived flags are omitted', async () => {
    const feature = (name: string, more = {}) => ({
      name,
      type: 'experiment',
      project: 'shop',
      archived: false,
      ...more,
    });
    const strategy = (featureName: string, sortOrder: number, more = {}) => ({
      featureName,
      name: 'flexibleRollout',
      parameters: { rollout: 50 },
      constraints: [],
      sortOrder,
      ...more,
    });
    const { form, flags, warnings } = await readValue({
      features: [feature('a'), feature('b'), feature('c', { archived: true }), feature('d')],
      featureStrategies: [
        strategy('a', 2, { parameters: { rollout: '20' } }),
        strategy('a', 1, { segments: [4] }),
        strategy('a', 3, { disabled: true }),
        strategy('b', 1, { disabled: true }),
      ],
      featureEnvironments: [
        { featureName: 'a', enabled: true, environment: 'development', variants: [{ name: 'v', weight: 1000 }] },
        { featureName: 'b', enabled: true, environment: 'development' },
      ],
      segments: [{ id: 4, name: 'beta' }],
      dependencies: [{ feature: 'a', dependencies: [{ feature: 'b' }] }],
    });
    expect(form).toBe('export');
    expect(flags.map(({ name }) => name)).toEqual(['a', 'b', 'd']);
    const [a, b, d] = flags as [Bootstrap['flags'][0], Bootstrap['flags'][0], Bootstrap['flags'][0]];
    expect(a).toMatchObject({ project: 'shop', enabled: true, type: 'experiment', variants: [{ name: 'v' }] });
    expect(a.strategies).toMatchObject([
      { parameters: { rollout: '50' }, segments: [4] },
      { parameters: { rollout: '20' } },
    ]);
    expect(a.dependencies).toEqual([{ feature: 'b', enabled: true, variants: [] }]);
    // A flag with only disabled strategies is off, as in answers of a server.
    expect(b).toMatchObject({ enabled: false, strategies: [] });
    expect(d.enabled).toBe(false);
    expect(warnings).toEqual([
      'the export does not say whether "d" is on: it is off',
      'the flag "a" uses the segment 4, whose conditions the file does not contain: a strategy with it is off for every context',
    ]);
  });

  it('may be an export with flag names that a Burgee server refuses', async () => {
    const names = ["a!b*c'd(e)", 'with a blank', 'ä'];
    const { flags } = await readValue({
      features: names.map((name) => ({ name })),
      featureStrategies: names.map((featureName) => ({ featureName, name: 'default' })),
      featureEnvironments: names.map((featureName) => ({ featureName, enabled: true })),
      // These are not served.
      contextFields: [{ name: 'two words' }],
      tagTypes: [{ name: 'two words' }],
      featureTags: [{ featureName: 'ä', tagValue: 'x' }],
      links: [{ feature: 'ä', links: [{ url: 'none' }] }],
    });
    expect(flags.map(({ name, enabled }) => [name, enabled])).toEqual(names.map((name) => [name, true]));
  });

  it('may begin with a byte order mark of UTF-8 or UTF-16', async () => {
    const text = '{"a": {"enabled": true}}';
    expect((await readBootstrap(Buffer.from(`\ufeff${text}`))).flags).toHaveLength(1);
    expect((await readBootstrap(Buffer.from(`\ufeff${text}`, 'utf16le'))).flags).toHaveLength(1);
  });

  it('is refused with the line and column of an error', async () => {
    expect(await problemOf('{\n  "a": {"enabled": true},\n  "b": {"enabled": maybe}\n}')).toMatch(
      /^it is not JSON: line 3, column 20 is not understood: "maybe}/,
    );
    for (const [text, position] of [
      ['{"a": {"enabled": true},}', 'line 1, column 25'],
      ['{"a": {"enabled": true}\n "b": {}}', 'line 2, column 2'],
      ["{'a': 1}", 'line 1, column 2'],
      ['{"a": [1, 2,]}', 'line 1, column 13'],
      ['{"a": 01}', 'line 1, column 7'],
      ['{"a": 1}}', 'line 1, column 9'],
      ['// flags\n{}', 'line 1, column 1'],
      ['{"a": "\n"}', 'line 1, column 7'],
      ['{"a": [}', 'line 1, column 8'],
      ['{"a" 1}', 'line 1, column 6'],
    ]) {
      expect(await problemOf(text ?? '')).toContain(`${position} is not understood`);
    }
    expect(await problemOf('{"a": {"enabled": true')).toBe('it is not JSON: its end is missing');
    expect(await problemOf(' \n')).toBe('it is empty');
    expect(await problemOf(Uint8Array.of(0x7b, 0xc3, 0x28))).toBe('it is not text in UTF-8');
  });

  it('is refused with a short message when it has too many flags or too long names', async () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [at, { enabled: true }]));
    expect((await readValue(many(100_000))).flags).toHaveLength(100_000);
    expect(await problemOf(JSON.stringify(many(100_001)))).toMatch(
      /^it contains 100001 flags, and the maximum is 100000/,
    );
    const features = Array.from({ length: 100_001 }, () => 0);
    expect(await problemOf(JSON.stringify({ features }))).toMatch(/^it contains 100001 flags/);
    expect(await problemOf(JSON.stringify({ features: [], segments: features }))).toMatch(
      /^it contains 100001 segments/,
    );
    const long = 'x'.repeat(2_000_000);
    const texts = [
      { [long]: { enabled: true } },
      { [long]: { enabled: 1 } },
      { a: { enabled: true, variant: long } },
      { a: { enabled: true, [long]: 1 } },
      { features: [{ ...FLAG, name: long }] },
      { features: [{ name: long }], featureStrategies: [] },
    ];
    for (const text of texts) expect((await problemOf(JSON.stringify(text))).length).toBeLessThan(400);
  });

  it('is refused with the name of the invalid flag and the reason', async () => {
    const about = (value: unknown) => problemOf(JSON.stringify(value));
    for (const value of [[], 3, 'text', null, { toggles: [] }, { a: true }]) {
      expect(await about(value)).toMatch(/^it contains no flags: it must be an answer of GET \/api\/client\/features/);
    }
    expect(await about({ a: { enabled: true }, b: { enabled: 'yes' } })).toBe(
      'the flag "b" must have "enabled": true or "enabled": false',
    );
    expect(await about({ a: { enabled: true, variant: 5 } })).toBe(
      'the "variant" of the flag "a" must be the name of a variant',
    );
    expect(await about({ a: { enabled: true, strategies: [] } })).toBe(
      'the flag "a" has "strategies": in the simplified form a flag has "enabled" and "variant"',
    );
    expect(await about({ features: [FLAG, { ...FLAG, name: 'b', enabled: 'yes' }] })).toBe(
      'features[1] ("b"), enabled: must be boolean',
    );
    expect(await about({ features: [{ enabled: true }] })).toBe('features[0]: must have required properties name');
    expect(await about({ features: [FLAG, FLAG] })).toBe('two flags are called "checkout"');
    expect(await about({ features: [], segments: [{ id: 1 }, { id: 1 }] })).toBe('two segments have the id 1');
    expect(await about({ features: [{ name: 'a' }], featureStrategies: [{ name: 'x' }] })).toMatch(/^the export, /);
  });

  it('has a bounded number of warnings', async () => {
    const features = Array.from({ length: 50 }, (_, index) => ({
      ...FLAG,
      name: `flag-${index}`,
      strategies: [{ name: 'default', segments: [8] }],
    }));
    const { warnings } = await readValue({ features });
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toBe('and 30 more warnings');
  });
});
