import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { Flags, INVALID, is } from '../../support/flags.ts';
import {
  type CallResult,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  startTestService,
  type TestService,
} from '../../support/service.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const EVERYWHERE = { environment: 'development' };

let service: TestService;
let flags: Flags;

beforeAll(async () => {
  const clock = { ...systemClock, nowMs: () => Date.parse(NOW) };
  service = await startTestService({ clock, random: () => 0.5 });
  flags = new Flags(service);
});

afterAll(() => service.close());

const flagFor = (constraints: readonly object[], strategy: object = {}) =>
  flags.createFor(constraints, strategy, { impressionData: true });

const get = (query: string, headers = {}) => service.call('getFrontendFeatures', { query, headers });
const url = (path: string) => `${service.url}/api/frontend${path}`;
const post = (body: unknown, headers = {}) => service.call('postFrontendFeatures', { body, headers });

function names({ body }: CallResult): string[] {
  return body.toggles.map((toggle: { name: string }) => toggle.name);
}

describe('the frontend API', () => {
  it('returns only the flags that are on, with all fields', async () => {
    const payload = { type: 'json', value: '{"a":"\\"quoted\\""}' };
    const variants = [{ name: 'red', weight: 1000, weightType: 'variable', stickiness: 'default', payload }];
    const plain = await flagFor([is('userId', 'whole')]);
    const varied = await flagFor([is('userId', 'whole')], { variants });
    const off = await flagFor([is('userId', 'somebody else')]);
    const answer = await post({ context: { userId: 'whole' } });
    expect(names(answer)).not.toContain(off);
    expect(answer.body.toggles).toEqual([
      {
        name: plain,
        enabled: true,
        variant: { name: 'disabled', enabled: false, feature_enabled: true, featureEnabled: true },
        impressionData: true,
      },
      {
        name: varied,
        enabled: true,
        variant: { name: 'red', enabled: true, payload, feature_enabled: true, featureEnabled: true },
        impressionData: true,
      },
    ]);
  });

  it('accepts a context in the query, in the body and under "context", with the same answer', async () => {
    const name = await flagFor([is('userId', 'alike'), is('plan', 'gold'), is('appName', 'shop')]);
    const context = { userId: 'alike', appName: 'shop', properties: { plan: 'gold' } };
    expect(names(await get('userId=alike&appName=shop&properties[plan]=gold'))).toEqual([name]);
    expect(names(await get('userId=alike&appName=shop&properties%5Bplan%5D=gold'))).toEqual([name]);
    expect(names(await post(context))).toEqual([name]);
    expect(names(await post({ context }))).toEqual([name]);
    expect(names(await get('userId=alike&appName=shop&properties[plan]=silver'))).toEqual([]);
  });

  it('takes a POST without a body as an empty context', async () => {
    // Off for all users, so that it does not appear in other tests.
    const name = await flagFor([is('userId', 'with-a-body')]);
    const sent = { method: 'POST', headers: { authorization: FRONTEND_TOKEN, 'content-type': 'application/json' } };
    for (const path of ['', '/all', `/features/${name}`]) {
      const [without, empty] = [await fetch(url(path), sent), await fetch(url(path), { ...sent, body: '{}' })];
      expect([path, without.status, await without.text()]).toEqual([path, 200, await empty.text()]);
    }
  });

  it('reads unknown fields of a context as properties', async () => {
    const name = await flagFor([is('userId', 'fields'), is('region', 'eu')]);
    expect(names(await get('userId=fields&region=eu'))).toEqual([name]);
    expect(names(await post({ context: { userId: 'fields', region: 'eu' } }))).toEqual([name]);
    expect(names(await post({ userId: 'fields', region: 'us', properties: { region: 'eu' } }))).toEqual([name]);
  });

  it('reads numbers and booleans as strings, and lists, objects and null as missing', async () => {
    const name = await flagFor([is('userId', '42'), is('beta', 'true')]);
    expect(names(await post({ userId: 42, properties: { beta: true } }))).toEqual([name]);
    expect(names(await post({ userId: 42, properties: { beta: ['true'] } }))).toEqual([]);
    expect(names(await post({ userId: 42, properties: { beta: { toString: 'true' } } }))).toEqual([]);
    expect(names(await post({ userId: 42, properties: { beta: null } }))).toEqual([]);
  });

  it('takes the environment from the token and never from the caller', async () => {
    const name = await flagFor([is('userId', 'env'), is('environment', 'development')]);
    expect(names(await get('userId=env&environment=production'))).toEqual([name]);
    expect(names(await post({ userId: 'env', environment: 'production' }))).toEqual([name]);
    const elsewhere = await flagFor([is('userId', 'env'), is('environment', 'production')]);
    expect(names(await post({ userId: 'env', environment: 'production' }))).not.toContain(elsewhere);
  });

  it('takes the caller’s address where the context has none', async () => {
    const own = await flagFor([is('userId', 'address')], { name: 'remoteAddress', parameters: { IPs: '127.0.0.1' } });
    const proxied = await flagFor([is('userId', 'address')], {
      name: 'remoteAddress',
      parameters: { IPs: '10.1.1.0/24' },
    });
    expect(names(await get('userId=address'))).toEqual([own]);
    expect(names(await post({ userId: 'address' }))).toEqual([own]);
    expect(names(await get('userId=address&remoteAddress=10.1.1.7'))).toEqual([proxied]);
    // X-Forwarded-For is ignored unless TRUST_PROXY is set.
    expect(names(await get('userId=address', { 'x-forwarded-for': '10.1.1.9' }))).toEqual([own]);
  });

  it('takes a random session where the context has none', async () => {
    const rollout = { name: 'flexibleRollout', parameters: { rollout: '100', stickiness: 'sessionId' } };
    const name = await flagFor([is('userId', 'session')], rollout);
    expect(names(await get('userId=session'))).toEqual([name]);
    const fixed = await flagFor([is('userId', 'session'), is('sessionId', '500000000')]);
    expect(names(await get('userId=session'))).toEqual([name, fixed]);
    expect(names(await get('userId=session&sessionId=mine'))).toEqual([name]);
  });

  it('takes the time of the service where the context has none', async () => {
    const at = (operator: string, value: string) => ({ contextName: 'currentTime', operator, value });
    const name = await flagFor([
      is('userId', 'time'),
      at('DATE_AFTER', '2026-03-01T11:59:59Z'),
      at('DATE_BEFORE', '2026-03-01T12:00:01Z'),
    ]);
    expect(names(await post({ userId: 'time' }))).toEqual([name]);
    expect(names(await post({ userId: 'time', currentTime: '2026-03-01T12:00:00Z' }))).toEqual([name]);
    expect(names(await get('userId=time&currentTime=2030-01-01T00:00:00Z'))).toEqual([]);
  });

  it('treats names of JavaScript object members like any other name', async () => {
    const name = await flagFor([is('userId', 'members'), { ...is('constructor', 'x'), inverted: true }]);
    const own = await flagFor([is('userId', 'members'), is('__proto__', 'x')]);
    expect(names(await get('userId=members'))).toEqual([name]);
    expect(names(await get('userId=members&constructor=x&toString=y'))).toEqual([]);
    expect(names(await get('userId=members&properties[__proto__]=x'))).toEqual([name, own]);
    expect(names(await get('userId=members&__proto__=x'))).toEqual([name, own]);
    expect(names(await post({ userId: 'members', constructor: 'x', properties: { hasOwnProperty: 'y' } }))).toEqual([]);
  });

  it('shows a token the flags of its projects and of no other', async () => {
    const mine = await flags.otherProject();
    const context = { name: 'default', constraints: [is('userId', 'scope')], parameters: {} };
    const inDefault = await flagFor([is('userId', 'scope')]);
    const inMine = await flags.create({}, mine);
    const params = { projectId: mine, featureName: inMine, ...EVERYWHERE };
    await flags.call('addFeatureStrategy', params, context);
    await flags.call('toggleFeatureEnvironmentOn', params);
    const tokenBody = { type: 'frontend', tokenName: 'scoped', environment: 'development', projects: [mine] };
    const token = (await flags.call('createApiToken', {}, tokenBody)).body.secret;
    const query = 'userId=scope';
    expect(names(await service.call('getFrontendFeatures', { query, token }))).toEqual([inMine]);
    expect(names(await get(query)).sort()).toEqual([inDefault, inMine].sort());
  });

  it('evaluates parents with the child’s context', async () => {
    const parent = await flagFor([is('userId', 'family')]);
    const child = await flagFor([]);
    await flags.call('addFeatureDependency', { child }, { feature: parent });
    expect(names(await post({ userId: 'family' }))).toEqual([parent, child]);
    expect(names(await post({ userId: 'stranger' }))).toEqual([]);
    await flags.call('archiveFeature', { featureName: child });
  });

  it('shows a change with the next request', async () => {
    const featureName = await flagFor([is('userId', 'change')]);
    expect(names(await get('userId=change'))).toEqual([featureName]);
    await flags.call('toggleFeatureEnvironmentOff', { featureName, ...EVERYWHERE });
    expect(names(await get('userId=change'))).toEqual([]);
    await flags.call('toggleFeatureEnvironmentOn', { featureName, ...EVERYWHERE });
    await flags.call('archiveFeature', { featureName });
    expect(names(await get('userId=change'))).toEqual([]);
  });

  it('refuses invalid requests', async () => {
    await flags.refused('getFrontendFeatures', INVALID, { query: 'currentTime=noon' });
    await flags.refused('postFrontendFeatures', INVALID, { body: { context: { currentTime: 'noon' } } });
    await flags.refused('postFrontendFeatures', INVALID, { body: { context: 'user' } });
    await flags.refused('postFrontendFeatures', INVALID, { body: { userId: ['a'] } });
    await flags.refused('postFrontendFeatures', INVALID, { body: { properties: 'a' } });
    await flags.refused('postFrontendFeatures', INVALID, { body: '{"context": ' });
    await flags.refused('postFrontendFeatures', INVALID, { body: '{"properties": {"__proto__": "x"}}' });
    const many = Array.from({ length: 201 }, (_, index) => `f${index}=1`).join('&');
    await flags.refused('getFrontendFeatures', INVALID, { query: many });
    await flags.refused('postFrontendFeatures', [415, 'ContentTypeerror'], {
      body: 'userId=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  });

  it.each(['getFrontendFeatures', 'postFrontendFeatures'])('%s needs a frontend token', async (operationId) => {
    await flags.refused(operationId, [401, 'AuthenticationRequired'], { token: null });
    await flags.refused(operationId, [401, 'AuthenticationRequired'], { token: '*:development.unknown' });
    await flags.refused(operationId, [403, 'NoAccessError'], { token: CLIENT_TOKEN });
  });
});

describe('pages of other origins', () => {
  const preflight = (url: string, origin: string) =>
    fetch(`${url}/api/frontend`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,unleash-appname',
      },
    });

  it('may call from any origin, unless origins are configured', async () => {
    const allowed = await preflight(service.url, 'https://shop.example');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('*');
    expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization,unleash-appname');
    expect(allowed.headers.get('access-control-allow-methods')).toBe('GET, POST');
    const answer = await get('userId=1', { origin: 'https://shop.example' });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('can read errors as well', async () => {
    const answer = await service.call('getFrontendFeatures', {
      token: null,
      headers: { origin: 'https://shop.example' },
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('may call only from the configured origins', async () => {
    const env = { UNLEASH_FRONTEND_API_ORIGINS: 'https://shop.example, https://admin.example' };
    const guarded = await startTestService({ env });
    try {
      const allowed = await preflight(guarded.url, 'https://admin.example');
      expect(allowed.headers.get('access-control-allow-origin')).toBe('https://admin.example');
      expect(allowed.headers.get('vary')).toBe('authorization, accept-encoding, origin');
      const other = await preflight(guarded.url, 'https://elsewhere.example');
      expect(other.headers.get('access-control-allow-origin')).toBeNull();
      const answer = await guarded.call('getFrontendFeatures', { headers: { origin: 'https://elsewhere.example' } });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    } finally {
      await guarded.close();
    }
  });
});

describe('long context values', () => {
  it('are refused before anything is compared with them', async () => {
    const long = 'x'.repeat(5_000);
    for (const context of [{ userId: long }, { properties: { region: long } }, { region: long }]) {
      const answer = await service.call('postFrontendFeatures', { body: { context } });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain('longer than 4096');
    }
  });
});
