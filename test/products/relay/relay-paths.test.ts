import { UnleashClient } from 'unleash-proxy-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { Flags, INVALID } from '../../support/flags.ts';
import { type CallResult, CLIENT_TOKEN, FRONTEND_TOKEN, useService } from '../../support/service.ts';

const EVERYWHERE = { environment: 'development' };

const service = useService();
let flags: Flags;
/** The flag that is on for the user `in` only, with a variant. */
let varied: string;
let off: string;

beforeAll(async () => {
  flags = new Flags(service);
  const variants = [{ name: 'red', weight: 1000, weightType: 'variable', stickiness: 'default' }];
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['in'] }];
  varied = await flags.create({ impressionData: true });
  off = await flags.create();
  const params = { featureName: varied, ...EVERYWHERE };
  await flags.call('addFeatureStrategy', params, { name: 'default', parameters: {}, constraints, variants });
  await flags.call('toggleFeatureEnvironmentOn', params);
});

const onToggle = () => ({
  name: varied,
  enabled: true,
  variant: { name: 'red', enabled: true, feature_enabled: true, featureEnabled: true },
  impressionData: true,
});

const offToggle = (name: string, impressionData: boolean) => ({
  name,
  enabled: false,
  variant: { name: 'disabled', enabled: false, feature_enabled: false, featureEnabled: false },
  impressionData,
});

/** The results for the same context: in the query, in the body, and under `context`. */
async function everyWay(get: string, post: string, userId: string, params = {}): Promise<CallResult[]> {
  return [
    await service.call(get, { query: `userId=${userId}&properties[plan]=gold`, params }),
    await service.call(post, { body: { userId, properties: { plan: 'gold' } }, params }),
    await service.call(post, { body: { userId, plan: 'gold' }, params }),
    await service.call(post, { body: { context: { userId, properties: { plan: 'gold' } } }, params }),
  ];
}

describe('the paths of the relay', () => {
  it.each([
    ['getAllFrontendFeatures', 'postAllFrontendFeatures'],
    ['getAllProxyFeatures', 'postAllProxyFeatures'],
  ])('return every flag, on or off (%s, %s)', async (get, post) => {
    for (const { body } of await everyWay(get, post, 'in'))
      expect(body.toggles).toEqual([onToggle(), offToggle(off, false)]);
    for (const { body } of await everyWay(get, post, 'out'))
      expect(body.toggles).toEqual([offToggle(varied, true), offToggle(off, false)]);
  });

  it('return only the flags that are on under /api/proxy', async () => {
    for (const { body } of await everyWay('getProxyFeatures', 'postProxyFeatures', 'in'))
      expect(body.toggles).toEqual([onToggle()]);
    for (const { body } of await everyWay('getProxyFeatures', 'postProxyFeatures', 'out'))
      expect(body.toggles).toEqual([]);
  });

  it('return one flag, on or off', async () => {
    const params = { featureName: varied };
    for (const { body } of await everyWay('getFrontendFeature', 'postFrontendFeature', 'in', params))
      expect(body).toEqual(onToggle());
    for (const { body } of await everyWay('getFrontendFeature', 'postFrontendFeature', 'out', params))
      expect(body).toEqual(offToggle(varied, true));
  });

  it('return 404 for a flag that the token does not see', async () => {
    const project = await flags.otherProject();
    const featureName = await flags.create({}, project);
    const body = { type: 'frontend', tokenName: 'scoped', environment: 'development', projects: ['default'] };
    const token = (await flags.call('createApiToken', {}, body)).body.secret;
    expect((await service.call('getFrontendFeature', { params: { featureName } })).status).toBe(200);
    for (const name of [featureName, 'no-such-flag', '__proto__']) {
      const params = { featureName: name };
      expect((await service.call('getFrontendFeature', { params, token })).status).toBe(404);
      expect((await service.call('postFrontendFeature', { params, token, body: {} })).status).toBe(404);
    }
    await flags.call('archiveFeature', { projectId: project, featureName });
    expect((await service.call('getFrontendFeature', { params: { featureName } })).status).toBe(404);
  });

  it('accept reports', async () => {
    const bucket = { start: new Date().toISOString(), stop: new Date().toISOString(), toggles: {} };
    for (const name of ['Frontend', 'AllFrontend', 'Proxy', 'AllProxy']) {
      const metrics = { appName: 'app', instanceId: 'one', bucket };
      expect((await service.call(`register${name}Metrics`, { body: metrics })).status).toBe(200);
      await flags.refused(`register${name}Metrics`, INVALID, { body: { appName: 'app', bucket: 'none' } });
      const started = new Date().toISOString();
      const body = { appName: 'app', instanceId: 'one', strategies: [], started, interval: 1_000 };
      expect((await service.call(`register${name}Client`, { body })).status).toBe(200);
    }
  });

  it('require a frontend token, and accept requests from pages of other origins', async () => {
    const paths = ['/api/proxy', '/api/proxy/all', '/api/frontend/all', `/api/frontend/features/${varied}`];
    for (const path of paths) {
      const ask = (headers: Record<string, string>) => fetch(`${service.url}${path}`, { headers });
      expect((await ask({})).status).toBe(401);
      expect((await ask({ authorization: CLIENT_TOKEN })).status).toBe(403);
      const answer = await ask({ authorization: FRONTEND_TOKEN, origin: 'https://shop.example' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
    const reports = ['/api/proxy/client/metrics', '/api/frontend/all/client/register'];
    for (const path of [...paths, ...reports]) {
      const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
      const preflight = await fetch(`${service.url}${path}`, { method: 'OPTIONS', headers });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    }
  });

  it.each(['/api/proxy', '/api/frontend/all'])('serve unleash-proxy-client, unmodified, at %s', async (path) => {
    const client = new UnleashClient({
      url: `${service.url}${path}`,
      clientKey: FRONTEND_TOKEN,
      appName: 'relay-test',
      disableRefresh: true,
      context: { userId: 'in' },
      fetch,
      storageProvider: { save: async () => {}, get: async () => undefined },
    });
    try {
      await client.start();
      expect(client.getError()).toBeUndefined();
      expect([client.isEnabled(varied), client.isEnabled(off)]).toEqual([true, false]);
      expect(client.getVariant(varied)).toMatchObject({ name: 'red', enabled: true });
      await client.updateContext({ userId: 'out' });
      expect(client.isEnabled(varied)).toBe(false);
    } finally {
      client.stop();
    }
  });
});
