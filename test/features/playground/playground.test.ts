import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { Flags, INVALID } from '../../support/flags.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const DEVELOPMENT = { environment: 'development' };

let service: TestService;
let flags: Flags;

beforeAll(async () => {
  const clock = { ...systemClock, nowMs: () => Date.parse(NOW) };
  service = await startTestService({ clock });
  flags = new Flags(service);
  await flags.call('createStrategy', {}, { name: 'custom', parameters: [] });
});

afterAll(() => service.close());

const IN_FOR_U = { contextName: 'userId', operator: 'IN', values: ['u'] };
const STRATEGY = { name: 'default', parameters: {}, constraints: [], segments: [], variants: [] };

/** A flag with these strategies, switched on by default. */
async function flagWith(strategies: readonly object[], { switchedOn = true } = {}): Promise<string> {
  const featureName = await flags.create();
  for (const strategy of strategies) {
    await flags.call('addFeatureStrategy', { featureName, ...DEVELOPMENT }, { ...STRATEGY, ...strategy });
  }
  if (switchedOn) await flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEVELOPMENT });
  return featureName;
}

const ask = (body: object = {}) =>
  flags.call(
    'getPlayground',
    {},
    { environment: 'development', projects: '*', context: { appName: 'test', userId: 'u' }, ...body },
  );

/** The flag's entry in the playground's answer. */
async function evaluated(name: string, body: object = {}) {
  const { features } = (await ask(body)).body;
  return features.find((feature: { name: string }) => feature.name === name);
}

describe('the playground', () => {
  it('echoes its input and answers every field of the contract', async () => {
    const segment = await flags.call(
      'createSegment',
      {},
      {
        name: 'known users',
        constraints: [{ contextName: 'userId', operator: 'STR_STARTS_WITH', values: ['U'], caseInsensitive: true }],
      },
    );
    const payload = { type: 'string', value: 'x' };
    const variants = [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default', payload }];
    const rule = { title: 'for u', constraints: [IN_FOR_U], segments: [segment.body.id], variants };
    const name = await flagWith([rule]);
    const [strategy] = (await flags.environment(name)).strategies;
    const context = { appName: 'test', userId: 'u', properties: { plan: 'gold' }, other: 7 };
    const answer = await ask({ context });
    expect(answer.body.input).toEqual({ environment: 'development', projects: '*', context });
    const [feature] = answer.body.features.filter((candidate: { name: string }) => candidate.name === name);
    expect(feature).toEqual({
      name,
      projectId: 'default',
      strategies: {
        result: true,
        data: [
          {
            name: 'default',
            title: 'for u',
            id: strategy.id,
            disabled: false,
            parameters: {},
            result: {
              evaluationStatus: 'complete',
              enabled: true,
              variants,
              variant: { name: 'blue', enabled: true, payload, feature_enabled: true, featureEnabled: true },
            },
            constraints: [{ ...IN_FOR_U, result: true }],
            segments: [
              {
                id: segment.body.id,
                name: 'known users',
                result: true,
                constraints: [
                  {
                    contextName: 'userId',
                    operator: 'STR_STARTS_WITH',
                    values: ['U'],
                    caseInsensitive: true,
                    result: true,
                  },
                ],
              },
            ],
            links: {
              edit: `/projects/default/features/${name}/strategies/edit?environmentId=development&strategyId=${strategy.id}`,
            },
          },
        ],
      },
      hasUnsatisfiedDependency: false,
      isEnabledInCurrentEnvironment: true,
      isEnabled: true,
      variant: { name: 'blue', enabled: true, payload, feature_enabled: true, featureEnabled: true },
      variants,
      feature_enabled: true,
      featureEnabled: true,
    });
  });

  it('reports which constraint kept a flag off', async () => {
    const name = await flagWith([
      { constraints: [IN_FOR_U, { contextName: 'plan', operator: 'IN', values: ['gold'] }] },
    ]);
    const feature = await evaluated(name);
    expect(feature).toMatchObject({
      isEnabled: false,
      isEnabledInCurrentEnvironment: true,
      strategies: { result: false },
    });
    expect(feature.strategies.data[0].result).toEqual({ evaluationStatus: 'complete', enabled: false });
    expect(feature.strategies.data[0].constraints.map(({ result }: { result: boolean }) => result)).toEqual([
      true,
      false,
    ]);
    expect(feature.variant).toEqual({
      name: 'disabled',
      enabled: false,
      feature_enabled: false,
      featureEnabled: false,
    });
  });

  it('explains the strategies of a flag that is switched off', async () => {
    const feature = await evaluated(await flagWith([{ constraints: [IN_FOR_U] }], { switchedOn: false }));
    expect(feature).toMatchObject({
      isEnabled: false,
      isEnabledInCurrentEnvironment: false,
      strategies: { result: true },
    });
  });

  it('reports an unknown result for a custom strategy whose constraints match, unless another strategy matches', async () => {
    const custom = { name: 'custom', constraints: [IN_FOR_U] };
    const never = { constraints: [{ ...IN_FOR_U, inverted: true }] };
    const unknown = await evaluated(await flagWith([never, custom]));
    expect(unknown.strategies.result).toBe('unknown');
    expect(unknown.isEnabled).toBe(false);
    expect(unknown.strategies.data[1].result).toEqual({ evaluationStatus: 'incomplete', enabled: 'unknown' });
    const satisfied = await evaluated(await flagWith([custom, {}]));
    expect(satisfied.strategies.result).toBe(true);
    expect(satisfied.isEnabled).toBe(true);
    const failed = await evaluated(
      await flagWith([{ name: 'custom', constraints: [{ ...IN_FOR_U, inverted: true }] }]),
    );
    expect(failed.strategies.result).toBe(false);
    expect(failed.strategies.data[0].result).toEqual({ evaluationStatus: 'incomplete', enabled: false });
  });

  it('does not evaluate a disabled strategy', async () => {
    const name = await flagWith([{ disabled: true }, { constraints: [{ ...IN_FOR_U, inverted: true }] }]);
    const feature = await evaluated(name);
    expect(feature.strategies.data[0]).toMatchObject({
      disabled: true,
      result: { evaluationStatus: 'unevaluated', enabled: false },
    });
    expect(feature.strategies.result).toBe(false);
  });

  it('reports an unsatisfied dependency', async () => {
    const parent = await flagWith([{ constraints: [{ ...IN_FOR_U, inverted: true }] }]);
    const child = await flagWith([{}]);
    await flags.call('addFeatureDependency', { child }, { feature: parent });
    const feature = await evaluated(child);
    expect(feature).toMatchObject({ hasUnsatisfiedDependency: true, isEnabled: false, strategies: { result: true } });
    const satisfied = await evaluated(child, { context: { appName: 'test', userId: 'other' } });
    expect(satisfied).toMatchObject({ hasUnsatisfiedDependency: false, isEnabled: true });
  });

  it('reports the selected variant of each matching strategy that has variants', async () => {
    const only = (name: string) => ({ name, weight: 1000, weightType: 'variable', stickiness: 'default' });
    const off = { constraints: [{ contextName: 'userId', operator: 'IN', values: ['nobody'] }] };
    const name = await flagWith([{ ...off, variants: [only('never')] }, { variants: [only('one')] }, {}]);
    const { strategies, variant } = await evaluated(name);
    expect(variant).toMatchObject({ name: 'one', enabled: true });
    const results = strategies.data.map(({ result }: { result: unknown }) => result);
    expect(results).toEqual([
      { evaluationStatus: 'complete', enabled: false },
      {
        evaluationStatus: 'complete',
        enabled: true,
        variants: [only('one')],
        variant: expect.objectContaining({ name: 'one', enabled: true }),
      },
      { evaluationStatus: 'complete', enabled: true },
    ]);
  });

  it('returns the variants of the flag when the strategy has none', async () => {
    const name = await flagWith([{}]);
    const variants = [{ name: 'only', weight: 1000, weightType: 'variable', stickiness: 'default' }];
    await flags.call('overwriteFeatureVariants', { featureName: name }, variants);
    const feature = await evaluated(name);
    expect(feature.variants).toMatchObject(variants);
    expect(feature.variant).toMatchObject({ name: 'only', enabled: true });
  });

  it('evaluates in the named environment, whatever environment the context has', async () => {
    const name = await flagWith([
      { constraints: [{ contextName: 'environment', operator: 'IN', values: ['development'] }] },
    ]);
    const context = { appName: 'test', environment: 'production' };
    expect((await evaluated(name, { context })).isEnabled).toBe(true);
    expect((await evaluated(name, { environment: 'production' })).isEnabledInCurrentEnvironment).toBe(false);
  });

  it('uses the current time unless the context has a time', async () => {
    const name = await flagWith([
      { constraints: [{ contextName: 'currentTime', operator: 'DATE_BEFORE', value: '2026-03-01T12:00:01Z' }] },
    ]);
    expect((await evaluated(name)).isEnabled).toBe(true);
    const context = { appName: 'test', currentTime: '2026-03-02T00:00:00Z' };
    expect((await evaluated(name, { context })).isEnabled).toBe(false);
  });

  it('evaluates the named projects only, and all projects without a list of names', async () => {
    const other = await flags.otherProject();
    const elsewhere = await flags.create({}, other);
    const here = await flags.create();
    const namesFor = async (projects?: unknown) =>
      (await ask({ projects })).body.features.map((feature: { name: string }) => feature.name);
    expect(await namesFor([other])).toEqual([elsewhere]);
    expect(await namesFor([other, 'default'])).toEqual(expect.arrayContaining([here, elsewhere]));
    expect(await namesFor('*')).toEqual(expect.arrayContaining([here, elsewhere]));
    expect(await namesFor(undefined)).toEqual(expect.arrayContaining([here, elsewhere]));
    expect(await namesFor(['constructor'])).toEqual([]);
    expect(await namesFor([])).toEqual([]);
  });

  it('answers the named flags only, and none for names that no flag has', async () => {
    const [first, second] = [await flags.create(), await flags.create()];
    const namesFor = async (features: readonly string[]) =>
      (await ask({ features })).body.features.map(({ name }: { name: string }) => name);
    expect(await namesFor([second])).toEqual([second]);
    expect(new Set(await namesFor([second, 'no-such-flag', first]))).toEqual(new Set([first, second]));
    expect(await namesFor(['no-such-flag'])).toEqual([]);
  });

  it('leaves out archived flags', async () => {
    const featureName = await flagWith([{}]);
    await flags.call('archiveFeature', { featureName });
    expect(await evaluated(featureName)).toBeUndefined();
  });

  it('refuses what it cannot evaluate', async () => {
    const context = { appName: 'test' };
    const refused = (body: object) => flags.refused('getPlayground', INVALID, { body });
    const unknown = await refused({ environment: 'nowhere', projects: '*', context });
    expect(unknown.body.message).toContain('nowhere');
    await refused({ projects: '*', context });
    await refused({ environment: 'development', projects: '*' });
    await refused({ environment: 'development', projects: '*', context: {} });
    await refused({ environment: 'development', projects: '*', context: { appName: '' } });
    await refused({ environment: 'development', projects: 'default', context });
    await refused({ environment: 'development', projects: [1], context });
    await refused({ environment: 'development', context: { ...context, currentTime: 'noon' } });
    await refused({ environment: 'development', context: { ...context, userId: 1 } });
    await refused({ environment: 'development', context: { ...context, properties: { plan: 1 } } });
  });
});
