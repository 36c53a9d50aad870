import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { LIMITS } from '../../../src/features/modules.ts';
import { exportOf, importBody } from '../../support/exports.ts';
import { Flags, INVALID, NOT_ALLOWED } from '../../support/flags.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';

const words = (count: number) => Array.from({ length: count }, (_, index) => `word-${index}`);
const isIn = (count: number, contextName = 'userId') => ({ contextName, operator: 'IN', values: words(count) });
const variants = (count: number) => words(count).map((name) => ({ name, weight: 1, weightType: 'variable' }));

describe('the default limits', () => {
  let service: TestService;
  let flags: Flags;

  beforeAll(async () => {
    service = await startTestService();
    flags = new Flags(service);
  });

  afterAll(() => service.close());

  it('allow 250 values in a constraint, and 1,000 in a segment', async () => {
    const featureName = await flags.create();
    const strategy = (count: number) => ({ name: 'default', constraints: [isIn(count)] });
    await flags.call('addFeatureStrategy', { featureName, environment: 'development' }, strategy(250));
    const answer = await flags.refused('addFeatureStrategy', INVALID, { params: { featureName }, body: strategy(251) });
    expect(answer.body.message).toContain('at most 250 values of a constraint');
    expect(answer.body.message).toContain('251');
    expect(answer.body.message).toContain('UNLEASH_CONSTRAINT_VALUES_LIMIT');
    const segment = (...counts: number[]) => ({ name: flags.name('segment'), constraints: counts.map((n) => isIn(n)) });
    await flags.call('createSegment', {}, segment(1_000));
    await flags.refused('createSegment', INVALID, { body: segment(1_001) });
    await flags.refused('createSegment', INVALID, { body: segment(600, 401) });
  });

  it('apply the limit of a segment when a constraint is validated', async () => {
    const validate = (count: number) => service.call('validateConstraint', { body: isIn(count) });
    expect((await validate(1_000)).status).toBe(204);
    const answer = await validate(1_001);
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError']);
    expect(answer.body.message).toContain('at most 1000 values of all constraints of a segment');
  });

  it('allow 250,000 bytes in a context field, over all its texts', async () => {
    const name = flags.name('field');
    const legalValues = words(30).map((word) => ({ value: word.padEnd(4_000, 'é') }));
    await flags.call('createContextField', {}, { name, legalValues });
    const params = { contextField: name };
    const body = { value: 'one more', description: 'é'.repeat(10_000) };
    const answer = await flags.refused('updateContextFieldLegalValue', INVALID, { params, body });
    expect(answer.body.message).toContain('at most 250000 bytes of a context field');
    expect(answer.body.message).toContain('CONTEXT_FIELD_BYTES_LIMIT');
    await flags.refused('updateContextField', INVALID, { params, body: { description: body.description } });
    const listed: { name: string }[] = (await flags.call('getContextFields')).body;
    expect(listed.find((field) => field.name === name)).toMatchObject({ legalValues, usedInFeatures: 0 });
  });

  it('allow 50 context fields in the overrides of a flag', async () => {
    const featureName = await flags.create();
    const params = { projectId: 'default', featureName };
    const overriding = (fields: number) =>
      words(Math.ceil(fields / 50)).map((name, at) => ({
        name,
        weight: 1,
        weightType: 'variable',
        overrides: words(fields)
          .slice(at * 50, at * 50 + 50)
          .map((contextName) => ({ contextName, values: ['1'] })),
      }));
    await flags.call('overwriteFeatureVariants', params, overriding(50));
    const answer = await flags.refused('overwriteFeatureVariants', INVALID, { params, body: overriding(51) });
    expect(answer.body.message).toContain('at most 50 context fields that the overrides of a flag use');
  });

  it('allow 1,000 properties in a context, and 1,000 selected flags in a request', async () => {
    const properties = (count: number) => Object.fromEntries(words(count).map((name) => [name, 'x']));
    const post = (body: unknown) => service.call('postFrontendFeatures', { body });
    expect((await post({ properties: properties(1_000) })).status).toBe(200);
    expect((await post({ properties: properties(1_001) })).status).toBe(400);
    expect((await post({ context: properties(1_001) })).status).toBe(400);
    const evaluate = (features: string[]) =>
      fetch(`${service.url}/api/client/evaluate`, {
        method: 'POST',
        headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/json' },
        body: JSON.stringify({ contexts: [{ userId: '1' }], features }),
      });
    expect((await evaluate(words(1_000))).status).toBe(200);
    expect((await evaluate(words(1_001))).status).toBe(400);
  });

  it('take reports of as many flags as docs/reference/limits.md says', async () => {
    const text = await readFile(new URL('../../../docs/reference/limits.md', import.meta.url), 'utf8');
    const [, plain, varied] = /up to ([\d,]+) flags without variants, or ([\d,]+) flags with two/.exec(text) ?? [];
    const counts = [plain, varied].map((number) => Number(number?.replace(',', '')));
    const report = (count: number, variants: object) => {
      const toggles = Object.fromEntries(words(count).map((name) => [name, { yes: 1, no: 0, variants }]));
      const bucket = { start: '2026-01-01T00:00:00Z', stop: '2026-01-01T00:01:00Z', toggles };
      return service.call('registerClientMetrics', { body: { appName: 'app', instanceId: 'one', bucket } });
    };
    for (const [count, variants] of [
      [counts[0], {}],
      [counts[1], { blue: 1, red: 2 }],
    ] as const) {
      expect((await report(count ?? 0, variants)).status).toBe(202);
      expect((await report((count ?? 0) + 100, variants)).status).toBe(400);
    }
  });

  it('bound the bytes of a flag, and count its segments once for each strategy', async () => {
    const large = 'x'.repeat(4_096);
    const body = {
      name: flags.name('large'),
      constraints: [{ contextName: 'a', operator: 'IN', values: Array(20).fill(large) }],
    };
    const { id } = (await flags.call('createSegment', {}, body)).body;
    const featureName = await flags.create();
    const params = { featureName, environment: 'development' };
    for (let count = 0; count < 3; count++)
      await flags.call('addFeatureStrategy', params, { name: 'default', segments: [id] });
    const answer = await flags.refused('addFeatureStrategy', INVALID, {
      params,
      body: { name: 'default', segments: [id] },
    });
    expect(answer.body.message).toContain('FEATURE_BYTES_LIMIT');
    const grown = { ...body, constraints: [{ contextName: 'a', operator: 'IN', values: Array(21).fill(large) }] };
    const refused = await service.call('updateSegment', { params: { id }, body: grown });
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(featureName)]);
    expect((await flags.call('getSegment', { id })).body.constraints[0].values).toHaveLength(20);
    await flags.call('updateSegment', { id }, { ...body, constraints: [] });
  });

  it('bound the evaluation time of a flag, over its strategies and segments', async () => {
    const expression = (index: number) => ({ contextName: 'a', operator: 'REGEX', value: `^\\pL+${index}\\pN+$` });
    const segment = { name: flags.name('costly'), constraints: [expression(0), expression(1)] };
    const { id } = (await flags.call('createSegment', {}, segment)).body;
    const featureName = await flags.create();
    const body = { name: 'default', constraints: [expression(2)], segments: [id] };
    const params = { featureName, environment: 'development' };
    for (let count = 0; count < 2; count++) await flags.call('addFeatureStrategy', params, body);
    const answer = await flags.refused('addFeatureStrategy', INVALID, { params, body });
    expect(answer.body.message).toContain('at most 1000 µs of time to evaluate a flag');
    const constraints = [...segment.constraints, expression(3)];
    expect((await service.call('updateSegment', { params: { id }, body: { ...segment, constraints } })).status).toBe(
      400,
    );
  });
});

describe('limits that environment variables set', () => {
  const env = {
    UNLEASH_FEATURE_FLAGS_LIMIT: '8',
    UNLEASH_API_TOKENS_LIMIT: '4',
    UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT: '2',
    UNLEASH_CONSTRAINTS_LIMIT: '2',
    UNLEASH_CONSTRAINT_VALUES_LIMIT: '3',
    UNLEASH_STRATEGY_SEGMENTS_LIMIT: '1',
    UNLEASH_SEGMENT_VALUES_LIMIT: '4',
    FEATURE_TAGS_LIMIT: '2',
    FEATURE_VARIANTS_LIMIT: '3',
    VARIANT_OVERRIDES_LIMIT: '1',
    OVERRIDE_VALUES_LIMIT: '2',
    FEATURE_DEPENDENCIES_LIMIT: '1',
    DEPENDENCY_VARIANTS_LIMIT: '1',
    CONTEXT_FIELDS_LIMIT: '6',
    LEGAL_VALUES_LIMIT: '2',
    TAG_TYPES_LIMIT: '2',
  };
  let directory: string;
  let service: TestService;
  let flags: Flags;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'burgee-limits-'));
    service = await startTestService({ directory, env });
    flags = new Flags(service);
  });

  afterAll(async () => {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  });

  const DEV = { environment: 'development' };
  const strategy = (body: Record<string, unknown>) => ({ name: 'default', ...body });

  it.each<[limit: string, operation: string, path: Record<string, string>, within: unknown, beyond: unknown]>([
    [
      'UNLEASH_CONSTRAINTS_LIMIT',
      'addFeatureStrategy',
      DEV,
      strategy({ constraints: [isIn(1), isIn(1)] }),
      strategy({ constraints: Array(3).fill(isIn(1)) }),
    ],
    [
      'UNLEASH_CONSTRAINT_VALUES_LIMIT',
      'addFeatureStrategy',
      DEV,
      strategy({ constraints: [isIn(3)] }),
      strategy({ constraints: [isIn(4)] }),
    ],
    [
      'FEATURE_VARIANTS_LIMIT',
      'addFeatureStrategy',
      DEV,
      strategy({ variants: variants(3).map((v) => ({ ...v, stickiness: 'default' })) }),
      strategy({ variants: variants(4).map((v) => ({ ...v, stickiness: 'default' })) }),
    ],
    ['FEATURE_VARIANTS_LIMIT', 'overwriteFeatureVariants', {}, variants(3), variants(4)],
    [
      'VARIANT_OVERRIDES_LIMIT',
      'overwriteFeatureVariants',
      {},
      [{ name: 'a', weight: 1, overrides: [{ contextName: 'a', values: ['1', '2'] }] }],
      [{ name: 'a', weight: 1, overrides: Array(2).fill({ contextName: 'a', values: ['1'] }) }],
    ],
    [
      'OVERRIDE_VALUES_LIMIT',
      'overwriteFeatureVariants',
      {},
      [],
      [{ name: 'a', weight: 1, overrides: [{ contextName: 'a', values: ['1', '2', '3'] }] }],
    ],
    [
      'FEATURE_TAGS_LIMIT',
      'updateTags',
      {},
      { addedTags: ['ab', 'cd'].map((value) => ({ type: 'simple', value })), removedTags: [] },
      { addedTags: ['ef'].map((value) => ({ type: 'simple', value })), removedTags: [] },
    ],
    ['FEATURE_TAGS_LIMIT', 'addTag', {}, undefined, { type: 'simple', value: 'gh' }],
  ])('apply %s in %s', async (variable, operation, path, within, beyond) => {
    const [existing] = [...flags.state.values('features')];
    const featureName = existing?.name ?? (await flags.create());
    const params = { projectId: 'default', featureName, ...path };
    if (within !== undefined) await flags.call(operation, params, within);
    const answer = await flags.refused(operation, INVALID, { params, body: beyond });
    expect(answer.body.message).toContain(`The option ${variable} sets this limit.`);
    for (const { id } of (await flags.environment(featureName)).strategies) {
      await flags.call('deleteFeatureStrategy', { ...params, ...DEV, strategyId: id });
    }
  });

  it.each<[limit: string, operation: string, body: (name: string) => unknown, fit: number]>([
    [
      'UNLEASH_API_TOKENS_LIMIT',
      'createApiToken',
      (name) => ({ tokenName: name, type: 'client', environment: 'development' }),
      1,
    ],
    ['UNLEASH_FEATURE_FLAGS_LIMIT', 'createFeature', (name) => ({ name }), 7],
  ])('apply %s in %s', async (variable, operation, body, fit) => {
    for (let made = 0; made < fit; made++) await flags.call(operation, {}, body(flags.name('one')));
    const answer = await service.call(operation, { params: { projectId: 'default' }, body: body(flags.name('over')) });
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError']);
    expect(answer.body.message).toContain(`The option ${variable} sets this limit.`);
  });

  it('apply to changes as well as to creation', async () => {
    const name = flags.name('field');
    await flags.call('createContextField', {}, { name, legalValues: [{ value: 'a' }, { value: 'b' }] });
    const more = await service.call('updateContextFieldLegalValue', {
      params: { contextField: name },
      body: { value: 'c' },
    });
    expect([more.status, more.body.message]).toEqual([400, expect.stringContaining('LEGAL_VALUES_LIMIT')]);
    const segment = { name: flags.name('segment'), constraints: [isIn(4)] };
    const { id } = (await flags.call('createSegment', {}, segment)).body;
    const body = { ...segment, constraints: [isIn(5)] };
    const grown = await service.call('updateSegment', { params: { id }, body });
    expect([grown.status, grown.body.message]).toEqual([400, expect.stringContaining('UNLEASH_SEGMENT_VALUES_LIMIT')]);
    const [child, parent, other] = [...flags.state.values('features')].map((feature) => feature.name);
    const depend = (body: unknown) =>
      service.call('addFeatureDependency', { params: { projectId: 'default', child: child ?? '' }, body });
    expect((await depend({ feature: parent, variants: ['a', 'b'] })).body.message).toContain(
      'DEPENDENCY_VARIANTS_LIMIT',
    );
    expect((await depend({ feature: parent })).status).toBe(200);
    expect((await depend({ feature: other })).body.message).toContain('FEATURE_DEPENDENCIES_LIMIT');
  });

  it('apply to clones, revived flags and imports, and the validation of an import reports them', async () => {
    const [first, second] = [...flags.state.values('features')].map((feature) => feature.name).slice(-2);
    const featureName = first ?? '';
    await flags.refused('cloneFeature', INVALID, { params: { featureName }, body: { name: 'clone' } });
    await flags.call('archiveFeature', { featureName });
    await flags.call('createFeature', {}, { name: 'in-its-place' });
    await flags.refused('reviveFeature', INVALID, { params: { featureName } });
    const data = exportOf(second ?? '', {
      featureStrategies: [{ featureName: second, name: 'default', constraints: [isIn(4)] }],
    });
    const validation = await flags.call('validateImport', {}, importBody(data));
    expect(JSON.stringify(validation.body.errors)).toContain('UNLEASH_CONSTRAINT_VALUES_LIMIT');
    await flags.refused('importFeatures', INVALID, { body: importBody(data) });
    const oneMore = importBody(exportOf('one-more'));
    expect(JSON.stringify((await flags.call('validateImport', {}, oneMore)).body.errors)).toContain(
      'UNLEASH_FEATURE_FLAGS_LIMIT',
    );
    await flags.refused('importFeatures', NOT_ALLOWED, { body: oneMore });
    const named = (count: number) =>
      Array.from({ length: count }, (_, number) => ({ name: `of-the-import-${number}` }));
    const shared = importBody(exportOf(second ?? '', { contextFields: named(900), tagTypes: named(2) }));
    const { errors } = (await flags.call('validateImport', {}, shared)).body;
    expect(JSON.stringify(errors)).toMatch(/CONTEXT_FIELDS_LIMIT.*TAG_TYPES_LIMIT/);
    const refused = await flags.refused('importFeatures', INVALID, { body: shared });
    expect(refused.body.message).toMatch(
      /^Nothing was imported\. .*at most 6 context fields, and this would be 9\d\d\./,
    );
    expect(refused.body.message).toMatch(/at most 2 tag types, and this would be [34]\./);
  });

  it('keep existing data when they are lowered: it works, and can be changed but cannot grow', async () => {
    const features = [...flags.state.values('features')].length;
    await service.close();
    service = await startTestService({
      directory,
      env: { ...env, UNLEASH_FEATURE_FLAGS_LIMIT: '1', FEATURE_TAGS_LIMIT: '1', CONTEXT_FIELD_BYTES_LIMIT: '1' },
    });
    flags = new Flags(service);
    expect([...flags.state.values('features')]).toHaveLength(features);
    const tagged = [...flags.state.values('features')].find((feature) => feature.tags.length === 2);
    const featureName = tagged?.name ?? '';
    await flags.call('updateFeature', { featureName }, { description: 'changed' });
    const removedTags = tagged?.tags.slice(0, 1);
    await flags.call('updateTags', { featureName }, { addedTags: [{ type: 'simple', value: 'new' }], removedTags });
    const body = { addedTags: [{ type: 'simple', value: 'one-more' }], removedTags: [] };
    await flags.refused('updateTags', INVALID, { params: { featureName }, body });
    const [narrow] = [...flags.state.values('contextFields')].filter(({ legalValues }) => legalValues.length === 2);
    const params = { contextField: narrow?.name ?? '' };
    await flags.refused('createFeature', INVALID, { body: { name: 'one-more' } });
    const field = await service.call('updateContextField', { params, body: { stickiness: true } });
    expect(field.status).toBe(200);
    await flags.refused('updateContextField', INVALID, { params, body: { description: 'one more' } });
  });
});

describe('an option of a limit', () => {
  it('is refused above the maximum, and below one', () => {
    const variable = 'UNLEASH_CONSTRAINT_VALUES_LIMIT';
    const { max } = LIMITS.constraintValues;
    expect(readConfig({ [variable]: String(max) }).limits.constraintValues).toBe(max);
    for (const text of [String(max + 1), '0', '-1', 'many']) {
      expect(() => readConfig({ [variable]: text })).toThrow(variable);
    }
  });
});
