import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { variantEndpoints } from '../../../src/features/flags/variants/routes.ts';
import { validateVariants } from '../../../src/features/flags/variants/validate.ts';
import type { Variant } from '../../../src/model/variant.ts';
import { Flags, INVALID, MISSING } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const DEV = { environment: 'development' };
const PROD = { environment: 'production' };
const variable = (name: string) => ({ name, weight: 0, weightType: 'variable' });
const fix = (name: string, weight: number) => ({ name, weight, weightType: 'fix' });
const weights = (body: { variants: Variant[] }) => body.variants.map(({ weight }) => weight);

describe('the variants of a flag', () => {
  it('are set in all environments', async () => {
    const featureName = await flags.create();
    const payload = { type: 'json', value: '{"a": 1}' };
    const overrides = [{ contextName: 'userId', values: ['1'] }];
    const body = [{ ...fix('a', 100), payload, overrides, stickiness: 'userId' }, variable('b'), variable('c')];
    const events = await flags.events(async () => {
      const answer = await flags.call('overwriteFeatureVariants', { featureName }, body);
      expect(answer.body.version).toBe(1);
      expect(weights(answer.body)).toEqual([100, 450, 450]);
    });
    const everywhere = await Promise.all([
      flags.call('getEnvironmentFeatureVariants', { featureName, ...DEV }),
      flags.call('getEnvironmentFeatureVariants', { featureName, ...PROD }),
      flags.call('getFeatureVariants', { featureName }),
    ]);
    for (const answer of everywhere) {
      expect(answer.body.variants[0]).toEqual({ ...fix('a', 100), payload, overrides, stickiness: 'userId' });
      expect(weights(answer.body)).toEqual([100, 450, 450]);
    }
    expect((await flags.environment(featureName)).variantCount).toBe(3);
    expect(events.map((event) => [event.type, event.environment])).toEqual([
      ['feature-environment-variants-updated', 'development'],
      ['feature-environment-variants-updated', 'production'],
      ['feature-variants-updated', null],
    ]);
    expect(events[0]).toMatchObject({ data: { variants: [{ name: 'a' }, {}, {}] }, preData: { variants: [] } });
    const client = await service.call('getClientFeature', { params: { featureName } });
    expect(client.body.variants).toHaveLength(3);
  });

  it('are empty before they are set, and after they are removed', async () => {
    const featureName = await flags.create();
    const read = async () => (await flags.call('getEnvironmentFeatureVariants', { featureName, ...DEV })).body;
    expect(await read()).toEqual({ version: 1, variants: [] });
    await flags.call('overwriteFeatureVariants', { featureName }, [variable('a')]);
    await flags.call('overwriteFeatureVariants', { featureName }, []);
    expect(await read()).toEqual({ version: 1, variants: [] });
  });

  it('are set in one environment, or in some', async () => {
    const featureName = await flags.create();
    await flags.call('overwriteFeatureVariants', { featureName }, [variable('z')]);
    await flags.call('overwriteEnvironmentFeatureVariants', { featureName, ...DEV }, [variable('a')]);
    expect((await flags.environment(featureName, 'production')).variants).toMatchObject([{ name: 'z' }]);
    const environments = ['production'];
    await flags.call(
      'overwriteFeatureVariantsOnEnvironments',
      { featureName },
      { variants: [variable('b')], environments },
    );
    expect((await flags.environment(featureName)).variants).toMatchObject([{ name: 'a', weight: 1000 }]);
    expect((await flags.environment(featureName, 'production')).variants).toMatchObject([{ name: 'b' }]);
  });

  it('follow a JSON Patch', async () => {
    const featureName = await flags.create();
    const params = { featureName, ...DEV };
    const patch = (body: unknown) => flags.call('patchEnvironmentsFeatureVariants', params, body);
    await flags.call('overwriteFeatureVariants', { featureName }, [variable('z')]);
    await patch([
      { op: 'remove', path: '/0' },
      { op: 'add', path: '/-', value: variable('a') },
      { op: 'add', path: '/0', value: fix('b', 300) },
    ]);
    const { body } = await patch([{ op: 'replace', path: '/0/weight', value: 200 }]);
    expect(body.variants).toMatchObject([
      { name: 'b', weight: 200 },
      { name: 'a', weight: 800 },
    ]);
    const refuse = (operations: unknown) =>
      flags.refused('patchEnvironmentsFeatureVariants', INVALID, { params, body: operations });
    await refuse([{ op: 'remove', path: '/1' }]);
    await refuse([{ op: 'remove', path: '/2' }]);
    await refuse([{ op: 'remove', path: '' }]);
    await refuse([{ op: 'replace', path: '/0/weight', value: 'all' }]);
  });

  it('get integer parts of the weight that fixed ones leave, and the first ones get the remainder', async () => {
    const featureName = await flags.create();
    const put = async (...body: unknown[]) =>
      weights((await flags.call('overwriteFeatureVariants', { featureName }, body)).body);
    expect(await put(variable('a'), variable('b'), variable('c'))).toEqual([334, 333, 333]);
    expect(await put({ name: 'a', weight: 7 })).toEqual([1000]);
    expect(await put(variable('z'), fix('a', 999))).toEqual([1, 999]);
    expect(await put(fix('a', 998), variable('b'), variable('c'), variable('d'))).toEqual([998, 1, 1, 0]);
    expect(await put({ ...variable('a'), weight: 0.5 }, fix('b', 0))).toEqual([1000, 0]);
  });

  it('keep their order, without unknown properties and with defaults for missing ones', async () => {
    const featureName = await flags.create();
    const body = [
      { ...variable('z'), colour: 'red' },
      { name: 'constructor', weight: 1 },
    ];
    const answer = await flags.call('overwriteFeatureVariants', { featureName }, body);
    expect(answer.body.variants).toEqual([
      { name: 'z', weight: 500, weightType: 'variable', stickiness: 'default' },
      { name: 'constructor', weight: 500, weightType: 'variable', stickiness: 'default' },
    ]);
  });

  const BAD: [string, unknown][] = [
    ['no variable weight', [fix('a', 500)]],
    ['fixed weights of 1000', [fix('a', 600), fix('b', 400), variable('c')]],
    ['fixed weights above 1000', [fix('a', 600), fix('b', 500), variable('c')]],
    ['two variants of one name', [variable('a'), variable('a')]],
    ['a weight above 1000', [variable('a'), fix('b', 1001)]],
    ['a weight below 0', [variable('a'), fix('b', -1)]],
    ['a fractional weight', [variable('a'), fix('b', 0.5)]],
    ['no weight', [{ name: 'a' }]],
    ['no name', [{ weight: 1 }]],
    ['an empty name', [variable('')]],
    ['an unknown weight type', [{ ...variable('a'), weightType: 'floating' }]],
    ['an unknown payload type', [{ ...variable('a'), payload: { type: 'xml', value: '' } }]],
    ['a payload that is not text', [{ ...variable('a'), payload: { type: 'json', value: { a: 1 } } }]],
    ['a payload that is not a number', [{ ...variable('a'), payload: { type: 'number', value: 'one' } }]],
    ['a payload that is not JSON', [{ ...variable('a'), payload: { type: 'json', value: '{' } }]],
    ['an override without values', [{ ...variable('a'), overrides: [{ contextName: 'userId' }] }]],
    ['a body that is not a list', { variants: [] }],
  ];

  it.each(BAD)('are refused with %s', async (_title, body) => {
    const featureName = await flags.create();
    await flags.call('overwriteFeatureVariants', { featureName }, [variable('kept')]);
    await flags.refused('overwriteFeatureVariants', INVALID, { params: { featureName }, body });
    await flags.refused('overwriteEnvironmentFeatureVariants', INVALID, { params: { featureName }, body });
    const batch = { variants: body, environments: ['development'] };
    await flags.refused('overwriteFeatureVariantsOnEnvironments', INVALID, { params: { featureName }, body: batch });
  });

  it('are set in all requested environments or in none', async () => {
    const featureName = await flags.create();
    await flags.call('overwriteFeatureVariants', { featureName }, [variable('z')]);
    const refuse = (expected: typeof INVALID | typeof MISSING, environments: unknown) =>
      flags.refused('overwriteFeatureVariantsOnEnvironments', expected, {
        params: { featureName },
        body: { variants: [variable('a')], environments },
      });
    await refuse(MISSING, ['development', 'nope']);
    await refuse(INVALID, []);
    await refuse(INVALID, 'development');
  });

  it.each(variantEndpoints.map((endpoint) => endpoint.operationId))(
    'are found in their project only by %s',
    async (id) => {
      const featureName = await flags.create();
      const projectId = await flags.otherProject();
      const batch = { variants: [], environments: ['development'] };
      const body = id.startsWith('get') ? undefined : id === 'overwriteFeatureVariantsOnEnvironments' ? batch : [];
      await flags.refused(id, MISSING, { params: { featureName, projectId }, body });
      await flags.refused(id, MISSING, { params: { featureName: 'nope' }, body });
      await flags.refused(id, MISSING, { params: { featureName, projectId: 'nope' }, body });
      if (id.includes('Environment') && id !== 'overwriteFeatureVariantsOnEnvironments') {
        await flags.refused(id, MISSING, { params: { featureName, environment: 'nope' }, body });
      }
      if (!id.startsWith('get')) {
        await flags.call('archiveFeature', { featureName });
        await flags.refused(id, MISSING, { params: { featureName }, body });
      }
    },
  );
});

describe('the distribution of weights', () => {
  it('adds up to 1000 or is refused, keeps names, order and fixed weights, and has variable weights that differ by at most 1', () => {
    const variant = fc.record({
      name: fc.string({ minLength: 1, maxLength: 3 }),
      weight: fc.integer({ min: 0, max: 1000 }),
      weightType: fc.constantFrom('variable' as const, 'fix' as const, undefined),
    });
    const list = fc.array(variant, { maxLength: 8 });
    fc.assert(
      fc.property(list, (input) => {
        const result = atOnce(validateVariants(input as Variant[]));
        const fixed = input.filter((item) => item.weightType === 'fix');
        const fixedSum = fixed.reduce((sum, item) => sum + item.weight, 0);
        const legal =
          new Set(input.map((item) => item.name)).size === input.length &&
          (input.length === 0 || (fixed.length < input.length && fixedSum < 1000));
        expect(result instanceof Rejection).toBe(!legal);
        if (result instanceof Rejection) return;
        expect(result.map((item) => item.name)).toEqual(input.map((item) => item.name));
        const total = result.reduce((sum, item) => sum + item.weight, 0);
        expect(total).toBe(input.length === 0 ? 0 : 1000);
        const parts = result.filter((item) => item.weightType === 'variable').map((item) => item.weight);
        if (parts.length > 0) expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
        expect(result.filter((item) => item.weightType === 'fix').map((item) => item.weight)).toEqual(
          fixed.map((item) => item.weight),
        );
      }),
      { numRuns: 500 },
    );
  });
});
