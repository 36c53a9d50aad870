import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type FeatureEnvironment, featureEnvironment } from '../../../src/model/feature.ts';
import type { Permission } from '../../../src/model/permission.ts';
import type { Strategy } from '../../../src/model/strategy.ts';
import { customRole } from '../../access/people.ts';
import { flag, prepare } from '../../support/admin.ts';
import { Flags, INVALID, MISSING, NOT_ALLOWED } from '../../support/flags.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { useService } from '../../support/service.ts';
import { atDepth } from '../../support/tiers/depth.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
  for (const name of ['staging', 'elsewhere'])
    await flags.call('createEnvironment', {}, { name, type: 'preproduction' });
  await flags.call('addEnvironmentToProject', {}, { environment: 'staging' });
});

const DEVELOPMENT = { environment: 'development' };
const PARTS = ['enabled', 'strategies', 'variants'] as const;

function strategy(id: string, rest: Partial<Strategy> = {}): Strategy {
  const lists = { parameters: {}, constraints: [], segments: [], variants: [] };
  return { id, name: 'default', title: null, disabled: false, sortOrder: 0, ...lists, ...rest };
}

const variant = (name: string) => ({ name, weight: 1000, weightType: 'variable' as const, stickiness: 'default' });

function settings(environment: string, rest: Partial<FeatureEnvironment> = {}): FeatureEnvironment {
  return { environment, enabled: false, strategies: [], variants: [], ...rest };
}

/** Stores a flag with these settings and returns its name. */
async function put(...environments: FeatureEnvironment[]): Promise<string> {
  const name = flags.name('copied');
  await prepare(service, (draft) => draft.put('features', flag(name, { environments })));
  return name;
}

function stored(name: string, environment: string): FeatureEnvironment {
  const feature = flags.state.get('features', name);
  if (!feature) throw new Error(`no flag ${name}`);
  return featureEnvironment(feature, environment);
}

const withoutIds = (strategies: readonly Strategy[]) => strategies.map(({ id: _id, ...content }) => content);

async function copy(featureName: string, body: object, query?: string) {
  return (await flags.call('copyFeatureEnvironment', { featureName, ...DEVELOPMENT }, body, query)).body;
}

async function refusedCopy(
  expected: readonly [number, string],
  featureName: string,
  body: object,
  { token, environment = 'development' }: { token?: string; environment?: string } = {},
) {
  const params = { featureName, environment };
  const options = { params, body, ...(token !== undefined && { token }) };
  const saved = await flags.refused('copyFeatureEnvironment', expected, options);
  const previewed = await flags.refused('copyFeatureEnvironment', expected, { ...options, query: 'preview=true' });
  const reason = ({ message, details }: { message: string; details: unknown }) => ({ message, details });
  expect(reason(previewed.body)).toEqual(reason(saved.body));
  return saved.body;
}

describe('copying the settings of a flag', () => {
  it('replaces strategies with segments, titles and order, variants and the switch, in one commit', async () => {
    const segment = await flags.segment();
    const source = settings('development', {
      enabled: true,
      strategies: [
        strategy('a', { title: 'First', segments: [segment], sortOrder: 1 }),
        strategy('b', { name: 'flexibleRollout', parameters: { rollout: '25' }, sortOrder: 2 }),
      ],
      variants: [variant('blue')],
    });
    const old = settings('production', { strategies: [strategy('c', { name: 'userWithId' })] });
    const name = await put(source, old, settings('staging', { enabled: true, strategies: [strategy('d')] }));
    const before = flags.state.seq;
    const events = await flags.events(() => copy(name, { targets: ['production', 'staging'] }));
    expect(flags.state.seq).toBe(before + 1);
    for (const environment of ['production', 'staging']) {
      const after = stored(name, environment);
      expect(after).toMatchObject({ enabled: true, variants: [variant('blue')] });
      expect(withoutIds(after.strategies)).toEqual(withoutIds(source.strategies));
      const ids = after.strategies.map(({ id }) => id);
      expect(new Set([...ids, 'a', 'b', 'c', 'd']).size).toBe(6);
    }
    expect(stored(name, 'production').firstEnabledAt).toEqual(expect.any(String));
    expect(stored(name, 'development')).toEqual(source);
    expect(events.map(({ type, environment, featureName }) => [type, environment, featureName])).toEqual([
      ['feature-environment-copied', 'production', name],
      ['feature-environment-copied', 'staging', name],
    ]);
    const { strategies, variants } = stored(name, 'production');
    expect(events[0]).toMatchObject({
      project: 'default',
      data: { copiedFrom: 'development', enabled: true, strategies, variants },
      preData: { enabled: false, strategies: old.strategies, variants: [] },
    });
  });

  it('answers removed, added, changed and equal strategies, also as a preview that changes nothing', async () => {
    const equal = strategy('e', { name: 'default', sortOrder: 1 });
    const name = await put(
      settings('development', {
        enabled: true,
        strategies: [equal, strategy('f', { name: 'flexibleRollout', title: 'Beta', parameters: { rollout: '50' } })],
        variants: [],
      }),
      settings('production', {
        strategies: [
          { ...equal, id: 'x' },
          strategy('y', { name: 'flexibleRollout', title: 'Beta', parameters: { rollout: '5' } }),
          strategy('z', { name: 'userWithId' }),
        ],
        variants: [variant('red')],
      }),
    );
    const seq = flags.state.seq;
    const preview = await copy(name, { targets: ['production', 'staging'] }, 'preview=true');
    expect(flags.state.seq).toBe(seq);
    expect(preview).toMatchObject({
      source: 'development',
      preview: true,
      targets: [
        {
          environment: 'production',
          isChanged: true,
          enabled: { before: false, after: true },
          variants: { before: [variant('red')], after: [] },
          removedStrategies: [{ id: 'z' }],
          addedStrategies: [],
          changedStrategies: [
            { before: { id: 'y', parameters: { rollout: '5' } }, after: { parameters: { rollout: '50' } } },
          ],
          unchangedStrategies: 1,
        },
        { environment: 'staging', variants: null, removedStrategies: [], addedStrategies: [{}, {}] },
      ],
    });
    expect(await copy(name, { targets: ['production', 'staging'] })).toEqual({ ...preview, preview: false });
  });

  it('changes and records nothing if the target is equal already', async () => {
    const strategies = [strategy('g')];
    const name = await put(
      settings('development', { enabled: true, strategies }),
      settings('production', { enabled: true, strategies: [strategy('h')] }),
    );
    const seq = flags.state.seq;
    const { targets } = await copy(name, { targets: ['production'] });
    expect(targets).toMatchObject([{ isChanged: false, unchangedStrategies: 1 }]);
    expect(flags.state.seq).toBe(seq);
    expect(stored(name, 'production').strategies[0]?.id).toBe('h');
  });

  it('of the switch alone gives the flag a strategy, and of strategies alone switches a flag without them off', async () => {
    const name = await put(settings('development', { enabled: true, strategies: [strategy('i', { disabled: true })] }));
    await copy(name, { targets: ['production'], parts: ['enabled'] });
    expect(stored(name, 'production')).toMatchObject({ enabled: true, strategies: [{ name: 'flexibleRollout' }] });
    const answer = await copy(name, { targets: ['production'], parts: ['strategies'] });
    expect(answer.targets).toMatchObject([{ enabled: { before: true, after: false } }]);
    expect(stored(name, 'production')).toMatchObject({ enabled: false, strategies: [{ disabled: true }] });
  });

  it('makes any target equal to any source, in the named parts only, and exactly as the preview said', async () => {
    const strategies = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('default', 'flexibleRollout', 'userWithId'),
        title: fc.constantFrom(null, 'one', 'two'),
        disabled: fc.boolean(),
        rollout: fc.constantFrom('1', '2'),
      }),
      { maxLength: 4 },
    );
    const anySettings = fc.record({ enabled: fc.boolean(), strategies, names: fc.subarray(['red', 'blue']) });
    const parts = fc.subarray([...PARTS], { minLength: 1 });
    const configOf = (environment: string, made: typeof anySettings extends fc.Arbitrary<infer T> ? T : never) =>
      settings(environment, {
        enabled: made.enabled,
        variants: made.names.map(variant),
        strategies: made.strategies.map(({ rollout, ...rest }, index) =>
          strategy(`${environment}-${index}`, { ...rest, sortOrder: index, parameters: { rollout } }),
        ),
      });
    const property = fc.asyncProperty(anySettings, anySettings, parts, async (one, other, chosen) => {
      const [source, target] = [configOf('development', one), configOf('production', other)];
      const name = await put(source, target);
      const body = { targets: ['production'], parts: chosen };
      const preview = await copy(name, body, 'preview=true');
      expect(stored(name, 'production')).toEqual(target);
      const saved = await copy(name, body);
      expect(saved).toEqual({ ...preview, preview: false });
      const after = stored(name, 'production');
      const [result] = saved.targets;
      expect([result.enabled.before, result.enabled.after]).toEqual([target.enabled, after.enabled]);
      const has = (part: (typeof PARTS)[number]) => chosen.includes(part);
      expect(after.variants).toEqual((has('variants') ? source : target).variants);
      const isActive = after.strategies.some(({ disabled }) => !disabled);
      if (has('strategies')) expect(withoutIds(after.strategies)).toEqual(withoutIds(source.strategies));
      else expect(after.strategies.slice(0, target.strategies.length)).toEqual(target.strategies);
      if (has('enabled')) expect(after.enabled).toBe(source.enabled);
      if (has('enabled') !== has('strategies') && result.isChanged && after.enabled && !target.enabled)
        expect(isActive).toBe(true);
      const counted = result.unchangedStrategies + result.changedStrategies.length;
      expect(counted + result.removedStrategies.length).toBe(target.strategies.length);
      expect(counted + result.addedStrategies.length).toBe(after.strategies.length);
      expect(stored(name, 'development')).toEqual(source);
    });
    // A few random cases may have no flag that only its switch turns on.
    const off = { enabled: false, strategies: [], names: [] };
    const numRuns = atDepth({ quick: 30, full: 800 });
    await fc.assert(property, { numRuns, examples: [[{ ...off, enabled: true }, off, ['enabled']]] });
  });
});

describe('a copy is refused, as is its preview,', () => {
  const one = strategy('one');
  const on = () => put(settings('development', { enabled: true, strategies: [one], variants: [variant('blue')] }));

  it('for environments that the project does not have, the source itself, and a name that occurs twice', async () => {
    const name = await on();
    for (const targets of [['elsewhere'], ['nowhere'], ['development'], ['production', 'production']]) {
      const { details } = await refusedCopy(INVALID, name, { targets });
      expect(details).toMatchObject([{ path: `/targets/${targets.length - 1}` }]);
    }
    for (const body of [
      { targets: [] },
      {},
      { targets: ['production'], parts: [] },
      { targets: ['production'], parts: ['x'] },
    ])
      await refusedCopy(INVALID, name, body);
    await refusedCopy(MISSING, name, { targets: ['production'] }, { environment: 'elsewhere' });
    await refusedCopy(MISSING, 'no-such-flag', { targets: ['production'] });
  });

  it('for archived flags', async () => {
    const name = await on();
    await flags.call('archiveFeature', { featureName: name });
    await refusedCopy(MISSING, name, { targets: ['production'] });
  });

  it('for all targets if one of them is protected', async () => {
    const name = await on();
    const config = { environment: 'staging' };
    await flags.call('updateProjectChangeRequestConfig', config, { changeRequestsEnabled: true, requiredApprovals: 1 });
    await putUser(service, 71, { rootRole: 2 });
    const token = await personalTokenOf(service, 71);
    const { message } = await refusedCopy(NOT_ALLOWED, name, { targets: ['production', 'staging'] }, { token });
    expect(message).toContain('have to be reviewed');
    expect(stored(name, 'production').strategies).toEqual([]);
    await flags.call('updateProjectChangeRequestConfig', config, { changeRequestsEnabled: false });
  });

  it('without the permissions for the changes in each target, and needs no other permission', async () => {
    const needed: [Permission, (typeof PARTS)[number]][] = [
      ['UPDATE_FEATURE_ENVIRONMENT', 'enabled'],
      ['CREATE_FEATURE_STRATEGY', 'strategies'],
      ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'variants'],
    ];
    let id = 80;
    for (const [permission, part] of needed) {
      const role = customRole(id, 'root-custom', [{ name: permission, environment: 'production' }] as never);
      await prepare(service, (draft) => draft.put('roles', role));
      await putUser(service, id, { rootRole: role.id });
      const token = await personalTokenOf(service, id);
      const name = await on();
      for (const other of PARTS.filter((each) => each !== part))
        await refusedCopy(NOT_ALLOWED, name, { targets: ['production'], parts: [other] }, { token });
      await refusedCopy(NOT_ALLOWED, name, { targets: ['production', 'staging'], parts: [part] }, { token });
      const params = { projectId: 'default', featureName: name, ...DEVELOPMENT };
      const body = { targets: ['production'], parts: [part] };
      expect((await service.call('copyFeatureEnvironment', { params, body, token })).status).toBe(200);
      id++;
    }
    const role = customRole(id, 'root-custom', [
      { name: 'CREATE_FEATURE_STRATEGY', environment: 'production' },
    ] as never);
    await prepare(service, (draft) => draft.put('roles', role));
    await putUser(service, id, { rootRole: role.id });
    const name = await put(
      settings('development', { strategies: [one] }),
      settings('production', { strategies: [strategy('two', { name: 'userWithId' })] }),
    );
    const { message } = await refusedCopy(
      NOT_ALLOWED,
      name,
      { targets: ['production'] },
      { token: await personalTokenOf(service, id) },
    );
    expect(message).toContain('DELETE_FEATURE_STRATEGY');
  });

  it('for callers without any permission in the target, even if nothing would change', async () => {
    await putUser(service, 72, { rootRole: 3 });
    const role = customRole(98, 'root-custom', [{ name: 'CREATE_FEATURE_STRATEGY', environment: 'staging' }] as never);
    await prepare(service, (draft) => draft.put('roles', role));
    await putUser(service, 73, { rootRole: role.id });
    const name = await put(settings('development'));
    for (const id of [72, 73])
      await refusedCopy(NOT_ALLOWED, name, { targets: ['production'] }, { token: await personalTokenOf(service, id) });
  });

  it('beyond a limit', async () => {
    const strategies = Array.from({ length: 20 }, (_, index) =>
      strategy(`long-${index}`, { sortOrder: index, parameters: { text: 'x'.repeat(11_000) } }),
    );
    const name = await put(settings('development', { strategies }));
    await copy(name, { targets: ['production'] });
    const { message } = await refusedCopy(INVALID, name, { targets: ['staging'] });
    expect(message).toContain('STORED_FEATURE_BYTES_LIMIT');
  });
});
