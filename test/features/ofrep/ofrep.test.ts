import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { compileFlag } from '../../../src/evaluation/compile.ts';
import { resolve } from '../../../src/evaluation/evaluate.ts';
import { endOfEvaluation, openFeatureJson } from '../../../src/evaluation/open-feature-json.ts';
import { Flags, is } from '../../support/flags.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, useService } from '../../support/service.ts';

const DEVELOPMENT = { environment: 'development' };
const DEVELOPMENT_SET = { flagSetId: 'development' };
const NOON = Date.parse('2026-03-01T12:00:00.000Z');

const service = useService(() => ({ clock: { ...systemClock, nowMs: () => nowMs } }));
let flags: Flags;
let nowMs = NOON;

beforeAll(async () => {
  flags = new Flags(service);
});

interface FlagOptions {
  readonly constraints?: readonly object[];
  readonly variants?: readonly object[];
  readonly name?: string;
  readonly parameters?: object;
}

/** A flag that is on in development, with one strategy. */
async function flagWith({ name = 'default', parameters = {}, ...rest }: FlagOptions): Promise<string> {
  const featureName = await flags.create();
  const params = { featureName, ...DEVELOPMENT };
  await flags.call('addFeatureStrategy', params, { name, parameters, ...rest });
  await flags.call('toggleFeatureEnvironmentOn', params);
  return featureName;
}

function variant(payload?: { readonly type: string; readonly value: string }, name = 'only', weight = 1000) {
  return { name, weight, weightType: 'variable', stickiness: 'default', ...(payload && { payload }) };
}

const one = (key: string, context: unknown = {}, headers = {}) =>
  service.call('ofrepEvaluateFlag', { params: { featureName: key }, body: { context }, headers });
const all = (context: unknown = {}, headers = {}, token = FRONTEND_TOKEN) =>
  service.call('ofrepEvaluateFlags', { body: { context }, headers, token });

/** The evaluation of the flag. The single and the bulk request must return the same. */
async function evaluationOf(key: string, context: unknown = {}) {
  const { body } = await one(key, context);
  const bulk = (await all(context)).body.flags.find((flag: { key: string }) => flag.key === key);
  expect(bulk).toEqual(body);
  return body;
}

describe('OFREP', () => {
  it('returns a flag without variants as a boolean, with the reason', async () => {
    const metadata = (featureEnabled: boolean) => ({
      featureEnabled,
      impressionData: false,
      ...DEVELOPMENT_SET,
      version: expect.stringMatching(/^\d+$/),
    });
    const on = await flagWith({});
    expect(await evaluationOf(on)).toEqual({
      key: on,
      value: true,
      variant: 'on',
      reason: 'STATIC',
      metadata: metadata(true),
    });
    const off = await flags.create();
    const disabled = { value: false, variant: 'off', reason: 'DISABLED', metadata: metadata(false) };
    expect(await evaluationOf(off)).toEqual({ key: off, ...disabled });
    const targeted = await flagWith({ constraints: [is('userId', 'me')] });
    expect(await evaluationOf(targeted, { targetingKey: 'me' })).toMatchObject({
      value: true,
      reason: 'TARGETING_MATCH',
    });
    expect(await evaluationOf(targeted, { targetingKey: 'you' })).toMatchObject({
      value: false,
      variant: 'off',
      reason: 'DEFAULT',
    });
    const shared = await flagWith({ name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'userId' } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, user) => evaluationOf(shared, { targetingKey: `user-${user}` })),
    );
    expect(new Set(answers.map(({ value, reason }) => `${value} ${reason}`))).toEqual(
      new Set(['true SPLIT', 'false DEFAULT']),
    );
  });

  it.each([
    ['string', 'green', 'green'],
    ['csv', 'a,b', 'a,b'],
    ['number', '42.5', 42.5],
    ['json', '{"colour":"green","sizes":[1,2]}', { colour: 'green', sizes: [1, 2] }],
  ])('returns a payload of type %s as the matching JSON value', async (type, value, expected) => {
    const key = await flagWith({ variants: [variant({ type, value })] });
    expect(await evaluationOf(key)).toEqual({
      key,
      value: expected,
      variant: 'only',
      reason: 'STATIC',
      metadata: {
        featureEnabled: true,
        impressionData: false,
        payloadType: type,
        ...DEVELOPMENT_SET,
        version: expect.stringMatching(/^\d+$/),
      },
    });
  });

  it('returns a variant without a payload by name with a boolean value, and a split for several variants', async () => {
    expect(await evaluationOf(await flagWith({ variants: [variant()] }))).toMatchObject({
      value: true,
      variant: 'only',
    });
    const several = [variant(undefined, 'red', 500), variant(undefined, 'blue', 500)];
    const key = await flagWith({ variants: several });
    expect(await evaluationOf(key, { targetingKey: 'u' })).toMatchObject({ value: true, reason: 'SPLIT' });
  });

  it.each([
    ['string', 'green'],
    ['number', '42'],
    ['json', '{}'],
  ])(
    'returns no value for a flag with a payload of type %s that is off, so that the default value applies',
    async (type, value) => {
      const variants = [variant({ type, value })];
      const targeted = await flagWith({ variants, constraints: [is('userId', 'me')] });
      const off = await evaluationOf(targeted, { targetingKey: 'you' });
      expect(off).toMatchObject({
        key: targeted,
        variant: 'off',
        reason: 'DEFAULT',
        metadata: { featureEnabled: false },
      });
      expect(off).not.toHaveProperty('value');
      await flags.call('toggleFeatureEnvironmentOff', { featureName: targeted, ...DEVELOPMENT });
      const disabled = await evaluationOf(targeted, { targetingKey: 'me' });
      expect(disabled).toMatchObject({ variant: 'off', reason: 'DISABLED' });
      expect(disabled).not.toHaveProperty('value');
    },
  );

  it('names the set of flags and its revision, which traces show', async () => {
    const key = await flagWith({});
    const before = (await all()).body.metadata;
    expect(before).toEqual({ ...DEVELOPMENT_SET, version: expect.stringMatching(/^\d+$/) });
    expect((await one(key)).body.metadata).toMatchObject(before);
    await flags.call('toggleFeatureEnvironmentOff', { featureName: key, ...DEVELOPMENT });
    const after = (await all()).body.metadata;
    expect(Number(after.version)).toBeGreaterThan(Number(before.version));
    expect((await one(key)).body.metadata).toMatchObject(after);
  });

  it('uses the targeting key as the user ID, and other attributes as fields and properties', async () => {
    const key = await flagWith({ constraints: [is('userId', 'me'), is('plan', 'gold'), is('appName', 'shop')] });
    const value = async (context: object) => (await evaluationOf(key, context)).value;
    expect(await value({ targetingKey: 'me', plan: 'gold', appName: 'shop' })).toBe(true);
    expect(await value({ targetingKey: 'me', properties: { plan: 'gold' }, appName: 'shop' })).toBe(true);
    expect(await value({ targetingKey: 'device', userId: 'me', plan: 'gold', appName: 'shop' })).toBe(true);
    expect(await value({ targetingKey: 'me', userId: 'you', plan: 'gold', appName: 'shop' })).toBe(false);
    expect(await value({ plan: 'gold', appName: 'shop' })).toBe(false);
    const device = await flagWith({ constraints: [is('targetingKey', 'device')] });
    expect(await evaluationOf(device, { targetingKey: 'device', userId: 'me' })).toMatchObject({ value: true });
  });

  it('evaluates a request without a body as one without a context', async () => {
    const key = await flagWith({});
    const answer = await service.call('ofrepEvaluateFlag', { params: { featureName: key } });
    expect(answer.body).toMatchObject({ key, value: true });
    expect((await service.call('ofrepEvaluateFlags')).body.flags.length).toBeGreaterThan(0);
  });

  it('returns errors with the fields of OpenFeature and the fields of every other error', async () => {
    const key = await flagWith({});
    const problem = async (answer: Promise<{ status: number; body: Record<string, unknown> }>) => {
      const { status, body } = await answer;
      expect(body.errorDetails).toBe(body.message);
      return [status, body.name, body.errorCode, body.key];
    };
    const bad = (body: unknown) => service.call('ofrepEvaluateFlag', { params: { featureName: key }, body });
    expect(await problem(one('nobody-made-it'))).toEqual([404, 'NotFoundError', 'FLAG_NOT_FOUND', 'nobody-made-it']);
    expect(await problem(bad('{"context": '))).toEqual([400, 'ValidationError', 'PARSE_ERROR', key]);
    expect(await problem(bad('[]'))).toEqual([400, 'ValidationError', 'PARSE_ERROR', key]);
    expect(await problem(one(key, 'me'))).toEqual([400, 'ValidationError', 'INVALID_CONTEXT', key]);
    expect(await problem(one(key, { targetingKey: ['me'] }))).toEqual([400, 'ValidationError', 'INVALID_CONTEXT', key]);
    expect(await problem(one(key, { currentTime: 'noon' }))).toEqual([400, 'ValidationError', 'INVALID_CONTEXT', key]);
    expect(await problem(all({ currentTime: 'noon' }))).toEqual([400, 'ValidationError', 'INVALID_CONTEXT', undefined]);
  });

  it('reports a payload that does not match its type, which older data can contain', () => {
    for (const [type, value] of [
      ['json', '{"half":'],
      ['number', 'many'],
      ['number', ''],
    ] as const) {
      const strategy = { id: 's', name: 'default', title: null, disabled: false, sortOrder: 0, parameters: {} };
      const flag = compileFlag(
        {
          name: 'old',
          enabled: true,
          impressionData: false,
          dependencies: [],
          variants: [{ name: 'only', weight: 1000, payload: { type, value } }],
          strategies: [{ ...strategy, constraints: [], segments: [], variants: [] }],
        },
        () => undefined,
      );
      const context = { currentTimeMs: 0, random: () => 0, longestValue: 32 };
      const evaluation = JSON.parse(
        openFeatureJson(
          flag,
          resolve(flag, context, () => undefined),
          endOfEvaluation({ flagSetId: 'development', version: '7' }),
        ),
      );
      expect(evaluation).toEqual({
        key: 'old',
        errorCode: 'PARSE_ERROR',
        errorDetails: `The payload is not ${type}.`,
        metadata: { featureEnabled: true, impressionData: false, payloadType: type, ...DEVELOPMENT_SET, version: '7' },
      });
    }
  });

  it('accepts a frontend token, bare, as a bearer token or as an API key, and no other token', async () => {
    const key = await flagWith({});
    const statusWith = async (headers: Record<string, string>) =>
      (await service.call('ofrepEvaluateFlag', { params: { featureName: key }, body: {}, token: null, headers }))
        .status;
    expect(await statusWith({ authorization: FRONTEND_TOKEN })).toBe(200);
    expect(await statusWith({ authorization: `Bearer ${FRONTEND_TOKEN}` })).toBe(200);
    expect(await statusWith({ 'x-api-key': FRONTEND_TOKEN })).toBe(200);
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ 'x-api-key': '*:development.nobody' })).toBe(401);
    expect(await statusWith({ 'x-api-key': CLIENT_TOKEN })).toBe(403);
    expect(await statusWith({ authorization: ADMIN_TOKEN })).toBe(403);
    expect(await statusWith({ authorization: 'unknown', 'x-api-key': FRONTEND_TOKEN })).toBe(401);
    const frontend = await fetch(`${service.url}/api/frontend`, { headers: { 'x-api-key': FRONTEND_TOKEN } });
    expect(frontend.status).toBe(401);
  });

  it('returns only the flags of the projects of the token', async () => {
    const mine = await flags.otherProject();
    const name = await flags.create({}, mine);
    const elsewhere = await flagWith({});
    const token = { tokenName: 'ofrep', type: 'frontend', environment: 'development', projects: [mine] };
    const made = (await flags.call('createApiToken', {}, token)).body.secret;
    const { body } = await all({}, {}, made);
    expect(body.flags.map(({ key }: { key: string }) => key)).toEqual([name]);
    const hidden = await service.call('ofrepEvaluateFlag', {
      params: { featureName: elsewhere },
      body: {},
      token: made,
    });
    expect([hidden.status, hidden.body.errorCode]).toEqual([404, 'FLAG_NOT_FOUND']);
  });

  it('lets pages of every origin send requests and read the ETag', async () => {
    for (const path of ['/ofrep/v1/evaluate/flags', '/ofrep/v1/evaluate/flags/x', '/ofrep/v1/configuration']) {
      const preflight = await fetch(service.url + path, {
        method: 'OPTIONS',
        headers: { origin: 'https://page.example', 'access-control-request-headers': 'x-api-key,if-none-match' },
      });
      expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
        204,
        'x-api-key,if-none-match',
      ]);
    }
    const { headers } = await all({}, { origin: 'https://page.example' });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toContain('ETag');
  });

  it('returns the capabilities for providers', async () => {
    const first = await service.call('ofrepGetConfiguration');
    expect(first.body).toMatchObject({ capabilities: { cacheInvalidation: { polling: { enabled: true } } } });
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await service.call('ofrepGetConfiguration', { headers })).status).toBe(304);
  });
});

describe('the ETag of all flags', () => {
  const tagOf = async (context: object = { targetingKey: 'u' }) => (await all(context)).headers.get('etag') ?? '';
  const statusKnowing = async (etag: string, context: object = { targetingKey: 'u' }) =>
    (await all(context, { 'if-none-match': etag })).status;

  it('stays the same until a flag of the token changes, and depends on the context', async () => {
    const etag = await tagOf();
    expect(await statusKnowing(etag)).toBe(304);
    expect(await statusKnowing(`"other", ${etag}`)).toBe(304);
    expect(await statusKnowing(etag, { targetingKey: 'v' })).toBe(200);
    expect(await statusKnowing(etag, { targetingKey: 'u', plan: 'gold' })).toBe(200);
    expect(await statusKnowing(etag, { targetingKey: 'u', sessionId: '1' })).toBe(200);
    const featureName = await flags.create();
    const changed = await tagOf();
    expect(changed).not.toBe(etag);
    await flags.call('toggleFeatureEnvironmentOn', { featureName, environment: 'production' });
    expect(await statusKnowing(changed)).toBe(304);
    await flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEVELOPMENT });
    expect(await statusKnowing(changed)).toBe(200);
  });

  it('changes when a segment of a flag changes, and when a flag is archived', async () => {
    const body = (...values: string[]) => ({ name: flags.name('segment'), constraints: [is('userId', ...values)] });
    const { id } = (await flags.call('createSegment', {}, body('u'))).body;
    const featureName = await flags.create();
    const params = { featureName, ...DEVELOPMENT };
    await flags.call('addFeatureStrategy', params, { name: 'default', segments: [id] });
    await flags.call('toggleFeatureEnvironmentOn', params);
    const before = await tagOf();
    await flags.call('updateSegment', { id }, body('v'));
    expect(await statusKnowing(before)).toBe(200);
    const after = await tagOf();
    await flags.call('archiveFeature', { featureName });
    expect(await statusKnowing(after)).toBe(200);
  });

  it('changes when the time passes a date in a constraint, and at no other time', async () => {
    const at = (operator: string, value: string) => ({ contextName: 'currentTime', operator, value });
    const key = await flagWith({
      constraints: [at('DATE_AFTER', '2026-03-01T13:00:00Z'), at('DATE_BEFORE', '2026-03-01T14:00:00Z')],
    });
    const seen: [boolean, string][] = [];
    for (const time of ['12:30', '13:00', '13:00:00.001', '13:59:59.999', '14:00', '15:00']) {
      nowMs = Date.parse(`2026-03-01T${time.length === 5 ? `${time}:00` : time}Z`);
      const answer = await all({ targetingKey: 'u' });
      const evaluation = answer.body.flags.find((flag: { key: string }) => flag.key === key);
      seen.push([evaluation.value, answer.headers.get('etag') ?? '']);
      expect((await one(key)).body.value).toBe(evaluation.value);
    }
    expect(seen.map(([value]) => value)).toEqual([false, false, true, true, false, false]);
    const etags = seen.map(([, etag]) => etag);
    expect(etags.map((etag) => etags.indexOf(etag))).toEqual([0, 0, 2, 2, 4, 4]);
    expect(await statusKnowing(seen[5]?.[1] ?? '')).toBe(304);
    expect(await statusKnowing(seen[3]?.[1] ?? '')).toBe(200);
    expect(
      await statusKnowing(await tagOf({ currentTime: '2026-03-01T13:30:00Z' }), {
        currentTime: '2026-03-01T13:31:00Z',
      }),
    ).toBe(304);
  });

  it('changes every millisecond when a constraint reads the time as text', async () => {
    const etag = await tagOf();
    const featureName = await flagWith({
      constraints: [{ contextName: 'currentTime', operator: 'STR_CONTAINS', values: ['T15:0'] }],
    });
    nowMs += 1;
    const timed = await tagOf();
    expect(timed).not.toBe(etag);
    expect(await statusKnowing(timed)).toBe(304);
    nowMs += 1;
    expect(await statusKnowing(timed)).toBe(200);
    await flags.call('archiveFeature', { featureName });
  });
});
