import Type from 'typebox';
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/features/modules.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted, eventsOf, FORBIDDEN, INVALID, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, expectConforms, FRONTEND_TOKEN, startTestService, useService } from '../../support/service.ts';

const RESOURCE_LIMITS = [
  'segmentValues',
  'strategySegments',
  'actionSetActions',
  'actionSetsPerProject',
  'actionSetFilters',
  'actionSetFilterValues',
  'signalEndpoints',
  'signalTokensPerEndpoint',
  'featureEnvironmentStrategies',
  'constraintValues',
  'constraints',
  'environments',
  'apiTokens',
  'projects',
  'segments',
  'featureFlags',
] as const;

/** Written from the contract. */
const UI_CONFIG = Type.Object({
  slogan: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  version: Type.String(),
  environment: Type.Optional(Type.String()),
  serviceUrl: Type.String(),
  baseUriPath: Type.String(),
  feedbackUriPath: Type.Optional(Type.String()),
  disablePasswordAuth: Type.Boolean(),
  emailEnabled: Type.Boolean(),
  maintenanceMode: Type.Boolean(),
  segmentValuesLimit: Type.Number(),
  strategySegmentsLimit: Type.Number(),
  resourceLimits: Type.Object(Object.fromEntries(RESOURCE_LIMITS.map((name) => [name, Type.Integer()])), {
    additionalProperties: false,
  }),
  networkViewEnabled: Type.Boolean(),
  frontendApiOrigins: Type.Array(Type.String()),
  flags: Type.Object({}),
  links: Type.Array(
    Type.Object({ value: Type.String(), icon: Type.String(), href: Type.String(), title: Type.String() }),
  ),
  authenticationType: Type.Enum(['open-source', 'demo', 'enterprise', 'hosted', 'custom', 'none']),
  versionInfo: Type.Object({
    current: Type.Object({ oss: Type.String(), enterprise: Type.String() }),
    latest: Type.Object({}, { additionalProperties: false }),
    isLatest: Type.Boolean(),
    instanceId: Type.String({ minLength: 1 }),
  }),
  oidcConfiguredThroughEnv: Type.Boolean(),
  samlConfiguredThroughEnv: Type.Boolean(),
});

const service = useService();

beforeAll(async () => {
  await putUser(service, 31);
});

const config = async (of = service, token = ADMIN_TOKEN) => (await accepted(of, 'getUiConfig', { token })).body;

describe('the configuration for pages', () => {
  it('matches the contract, for every signed-in user', async () => {
    const body = await config();
    expectConforms(UI_CONFIG, body, 'the configuration');
    expect(await config(service, await personalTokenOf(service, 31))).toEqual(body);
    expect(body.versionInfo).toMatchObject({ current: { enterprise: '' }, latest: {}, isLatest: true });
    expect(body).toMatchObject({
      authenticationType: 'open-source',
      disablePasswordAuth: false,
      maintenanceMode: false,
    });
    for (const name of ['environments', 'projects', 'featureFlags'])
      expect(body.resourceLimits[name]).toBeGreaterThan(0);
    expect(body.segmentValuesLimit).toBe(body.resourceLimits.segmentValues);
  });

  it('returns the limits and settings that environment variables set', async () => {
    const of = [
      'segmentValues',
      'strategySegments',
      'constraints',
      'constraintValues',
      'apiTokens',
      'projects',
    ] as const;
    const all = [...of, 'environments', 'segments', 'featureFlags', 'featureEnvironmentStrategies'] as const;
    const limits = Object.fromEntries(all.map((name, index) => [LIMITS[name].env, String(11 + index)]));
    const env = {
      ...limits,
      SAML_ENTITY_ID: 'idp',
      BASE_URI_PATH: '/flags',
      UNLEASH_URL: 'https://flags.example.com/flags',
    };
    const other = await startTestService({ env: { ...env, UNLEASH_FRONTEND_API_ORIGINS: 'https://a.example.com' } });
    try {
      const body = await config(other);
      for (const [index, name] of all.entries()) expect(body.resourceLimits[name], name).toBe(11 + index);
      expect(body).toMatchObject({ baseUriPath: '/flags', serviceUrl: 'https://flags.example.com/flags' });
      expect(body).toMatchObject({ samlConfiguredThroughEnv: true, oidcConfiguredThroughEnv: false });
      expect(body.frontendApiOrigins).toEqual(['https://a.example.com']);
    } finally {
      await other.close();
    }
  });

  it('reports whether password authentication is disabled', async () => {
    await accepted(service, 'setPasswordAuthSettings', { body: { disabled: true } });
    expect((await config()).disablePasswordAuth).toBe(true);
    await accepted(service, 'setPasswordAuthSettings', { body: { disabled: false } });
  });
});

/** The allowed origins that the frontend API returns to a page of the origin: in the preflight, then in the answer. */
async function allowedFor(origin: string): Promise<(string | null)[]> {
  const preflight = await fetch(`${service.url}/api/frontend`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-headers': 'authorization' },
  });
  const answer = await fetch(`${service.url}/api/frontend`, { headers: { origin, authorization: FRONTEND_TOKEN } });
  expect(answer.status).toBe(200);
  if (preflight.status === 204) expect(preflight.headers.get('access-control-max-age')).toBe('86400');
  return [preflight, answer].map(({ headers }) => headers.get('access-control-allow-origin'));
}

const setOrigins = (frontendApiOrigins: unknown) => accepted(service, 'setCors', { body: { frontendApiOrigins } });

describe('the origins of the frontend API', () => {
  it('are unrestricted until they are set', async () => {
    expect(await allowedFor('https://any.example.com')).toEqual(['*', '*']);
  });

  it('take effect at once when they are set', async () => {
    const events = await eventsOf(service, async () => {
      expect((await setOrigins(['https://App.example.com/', 'http://localhost:3000'])).status).toBe(204);
    });
    const origins = ['https://app.example.com', 'http://localhost:3000'];
    expect(events).toMatchObject([{ type: 'setting-created', data: { frontendApiOrigins: origins } }]);
    expect((await config()).frontendApiOrigins).toEqual(origins);
    for (const origin of origins) expect(await allowedFor(origin)).toEqual([origin, origin]);
    expect(await allowedFor('https://any.example.com')).toEqual([null, null]);
    await setOrigins([]);
    expect(await allowedFor('https://app.example.com')).toEqual([null, null]);
    await setOrigins(['*']);
    expect(await allowedFor('https://any.example.com')).toEqual(['*', '*']);
  });

  it.each([
    ['a path', ['https://app.example.com/page']],
    ['no scheme', ['app.example.com']],
    ['another scheme', ['ftp://app.example.com']],
    ['a user', ['https://user@app.example.com']],
    ['a query', ['https://app.example.com?']],
    ['a wildcard in a name', ['https://*']],
    ['a line break', ['https://app.example.com\r\nx: y']],
    ['an empty string', ['']],
    ['a string', 'https://app.example.com'],
    ['too many', Array.from({ length: 101 }, (_, index) => `https://${index}.example.com`)],
  ])('cannot be set to %s', async (_what, frontendApiOrigins) => {
    await refused(service, 'setCors', INVALID, { body: { frontendApiOrigins } });
  });

  it('can be set by admins only', async () => {
    const token = await personalTokenOf(service, 31);
    await refused(service, 'setCors', FORBIDDEN, { token, body: { frontendApiOrigins: [] } });
  });
});

describe('the instance', () => {
  it('reports its statistics', async () => {
    await putUser(service, 32, { seenAt: new Date().toISOString(), rootRole: ROLE_ID.editor });
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'counted' } });
    const params = { projectId: 'default', featureName: 'counted', environment: 'production' };
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1', '2', '3'] }];
    await accepted(service, 'addFeatureStrategy', { params, body: { name: 'default', constraints } });
    const { body } = await accepted(service, 'getInstanceAdminStats');
    expect(body).toMatchObject({ instanceId: (await config()).versionInfo.instanceId, featureToggles: 1, projects: 1 });
    expect(body).toMatchObject({ maxEnvironmentStrategies: 1, maxConstraints: 1, maxConstraintValues: 3 });
    expect(body.activeUsers.last7).toBeGreaterThanOrEqual(1);
    expect(body.productionChanges.last30).toBeGreaterThanOrEqual(1);
    expect(body.apiTokens).toEqual({ admin: 1, backend: 0, client: 1, frontend: 1 });
    expect(body).toMatchObject({ releasePlans: 0, releaseTemplates: 0, SCIMenabled: false });
    expect(body.clientApps).toEqual([{ range: 'allTime', count: 0 }]);
    expect(body).toMatchObject({ environments: 2, SAMLenabled: false, passwordAuthEnabled: true });
  });

  it('reports its statistics as CSV, without cells that a spreadsheet reads as formulas', async () => {
    const headers = { authorization: ADMIN_TOKEN };
    const answer = await fetch(`${service.url}/api/admin/instance-admin/statistics/csv`, { headers });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [names = '', values = '', rest] = (await answer.text()).split('\r\n');
    expect(rest).toBe('');
    const cells = new Map(names.split(',').map((name, index) => [name, values.split(',')[index]]));
    expect(cells.get('featureToggles')).toBe('1');
    expect(cells.get('apiTokens_admin')).toBe('1');
    expect(`,${values}`).not.toMatch(/,[=+\-@]/);
    expect((await fetch(`${service.url}/api/admin/instance-admin/statistics/csv`)).status).toBe(401);
  });

  it('reports that telemetry is off', async () => {
    const { body } = await accepted(service, 'getTelemetrySettings');
    expect(body).toEqual({ versionInfoCollectionEnabled: false, featureInfoCollectionEnabled: false });
  });

  it('accepts reports of browser errors', async () => {
    expect((await accepted(service, 'recordUiError', { body: { errorMessage: 'x is undefined' } })).status).toBe(204);
    for (const body of [{}, { errorMessage: '' }, { errorMessage: 'x'.repeat(1_001) }, { errorMessage: 3 }])
      await refused(service, 'recordUiError', INVALID, { body });
  });

  it('reports good health in the readiness answer', async () => {
    const { body } = await accepted(service, 'getReady');
    expect(body).toMatchObject({ health: 'GOOD', status: 'READY' });
  });
});
