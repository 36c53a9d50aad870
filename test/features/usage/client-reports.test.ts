import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unleash, UnleashEvents } from 'unleash-client';
import { UnleashClient } from 'unleash-proxy-client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  accepted,
  FORBIDDEN,
  flag,
  INVALID,
  prepare,
  refused,
  switchedOn,
  UNAUTHENTICATED,
  WRONG_CONTENT_TYPE,
} from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { head, RawConnection } from '../../support/http/raw-http.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { endSdk } from '../../support/programs/end-sdk.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, useService } from '../../support/service.ts';

const REPORTING = [
  'registerClientApplication',
  'registerClientMetrics',
  'clientBulkMetrics',
  'edgeBulkMetrics',
  'registerFrontendMetrics',
  'registerFrontendClient',
];

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

type Toggles = Record<string, unknown>;

/** The time of all reports of a test, so that they are in one hour. A flag has no use in an hour before that of its creation. */
let stopOfTestMs = 0;

beforeEach(() => {
  stopOfTestMs = Date.now();
});

const bucket = (toggles: Toggles, stopMs = stopOfTestMs) => ({
  start: new Date(stopMs - 60_000).toISOString(),
  stop: new Date(stopMs).toISOString(),
  toggles,
});

const report = (appName: string, toggles: Toggles, more: object = {}, token = CLIENT_TOKEN) =>
  accepted(service, 'registerClientMetrics', {
    token,
    body: { appName, instanceId: 'i', bucket: bucket(toggles), ...more },
  });

const raw = async (name: string, query = '') =>
  (await accepted(service, 'getRawFeatureMetrics', { params: { name }, query })).body.data;

const overview = async (appName: string) =>
  (await accepted(service, 'getApplicationOverview', { params: { appName } })).body;

describe('unleash-client, unmodified', () => {
  it('registers and reports, and the admin API shows it', async () => {
    const name = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName: name, environment: 'development' });
    const client = new Unleash({
      skipInstanceCountWarning: true,
      url: `${service.url}/api`,
      appName: 'node-app',
      instanceId: 'node-1',
      customHeaders: { Authorization: CLIENT_TOKEN },
      refreshInterval: 3_600_000,
      metricsInterval: 3_600_000,
      storageProvider: { set: async () => {}, get: async () => undefined },
    });
    try {
      const registered = once(client, UnleashEvents.Registered);
      await once(client, UnleashEvents.Synchronized);
      await registered;
      for (let count = 0; count < 3; count++) expect(client.isEnabled(name)).toBe(true);
      client.isEnabled('nobody-made-this');
      const sent = once(client, UnleashEvents.Sent);
      await client.flushMetrics();
      await sent;
    } finally {
      endSdk(client);
    }
    expect(await raw(name)).toMatchObject([{ environment: 'development', appName: 'node-app', yes: 3, no: 0 }]);
    const shown = await overview('node-app');
    expect(shown).toMatchObject({
      projects: ['default'],
      featureCount: 1,
      environments: [{ name: 'development', instanceCount: 1, issues: { missingFeatures: ['nobody-made-this'] } }],
      issues: { missingStrategies: [] },
    });
    expect(shown.environments[0].sdks).toEqual([expect.stringMatching(/^unleash-node-sdk:6\./)]);
    const { instances } = (
      await accepted(service, 'getApplicationEnvironmentInstances', {
        params: { appName: 'node-app', environment: 'development' },
      })
    ).body;
    expect(instances).toMatchObject([{ instanceId: 'node-1', clientIp: '127.0.0.1' }]);
  });
});

describe('unleash-proxy-client, unmodified', () => {
  it('reports, and the admin API shows it', async () => {
    const name = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName: name, environment: 'development' });
    const client = new UnleashClient({
      url: `${service.url}/api/frontend`,
      clientKey: FRONTEND_TOKEN,
      appName: 'browser-app',
      disableRefresh: true,
      metricsInterval: 3_600,
      // It reports when the test says so: on a busy machine its own first report would come in between.
      metricsIntervalInitial: 0,
      fetch,
      storageProvider: { save: async () => {}, get: async () => undefined },
    });
    await client.start();
    try {
      expect(client.isEnabled(name)).toBe(true);
      const sent = new Promise((resolve) => client.on('sent', resolve));
      await (client as unknown as { readonly metrics: { sendMetrics(): Promise<void> } }).metrics.sendMetrics();
      await sent;
    } finally {
      client.stop();
    }
    expect(await raw(name)).toMatchObject([{ appName: 'browser-app', yes: 1, no: 0 }]);
  });
});

describe('a report', () => {
  it('of a page of another origin is accepted, and so is the preflight of its browser', async () => {
    const origin = 'https://shop.example.org';
    for (const path of ['/api/frontend/client/metrics', '/api/frontend/client/register']) {
      const wanted = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
      const asked = await fetch(service.url + path, { method: 'OPTIONS', headers: { origin, ...wanted } });
      expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      const headers = { origin, authorization: FRONTEND_TOKEN, 'content-type': 'application/json' };
      const sent = await fetch(service.url + path, {
        method: 'POST',
        headers,
        body: '{"appName":"page","bucket":null}',
      });
      expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    }
  });

  it('is added to what other instances and applications reported, variants too', async () => {
    const name = flags.name();
    const variants = ['red', 'blau ": ä'].map((variant) => ({
      name: variant,
      weight: 500,
      weightType: 'variable' as const,
    }));
    const development = {
      ...switchedOn('development'),
      variants: variants.map((one) => ({ ...one, stickiness: 'default' })),
    };
    await prepare(service, (draft) => draft.put('features', flag(name, { environments: [development] })));
    await report('first', {
      [name]: { yes: 2, no: 1, variants: { red: 2, 'blau ": ä': 1, disabled: 4, 'made up': 9 } },
    });
    await report('first', { [name]: { yes: 1, no: 0, variants: { red: 1 } } });
    await report('second', { [name]: { yes: 5, no: 0 } });
    const data = await raw(name);
    expect(data).toHaveLength(2);
    expect(data).toContainEqual({
      environment: 'development',
      featureName: name,
      appName: 'first',
      yes: 3,
      no: 1,
      timestamp: expect.stringMatching(/:00:00\.000Z$/),
      variants: { red: 3, 'blau ": ä': 1, disabled: 4 },
    });
    const { body } = await accepted(service, 'getFeatureUsageSummary', { params: { name } });
    expect(body).toMatchObject({
      version: 1,
      maturity: 'stable',
      featureName: name,
      seenApplications: ['first', 'second'],
      lastHourUsage: [{ environment: 'development', yes: 8, no: 1 }],
    });
  });

  it('is shown in the answers about flags', async () => {
    const name = await flags.create();
    expect((await flags.read(name)).body).toMatchObject({ lastSeenAt: null, lifecycle: { stage: 'initial' } });
    const beforeMs = Date.now();
    await report('seen', { [name]: { yes: 2, no: 7 } });
    await service.running.services.reportRecorder.flush();
    const { body } = await flags.read(name);
    expect(Date.parse(body.lastSeenAt)).toBeGreaterThanOrEqual(beforeMs);
    expect(body.environments).toMatchObject([
      { name: 'development', lastSeenAt: body.lastSeenAt, yes: 2, no: 7 },
      { name: 'production', lastSeenAt: null, yes: 0, no: 0 },
    ]);
    expect(await flags.environment(name)).toMatchObject({ yes: 2, no: 7, lastSeenAt: body.lastSeenAt });
  });

  it('is not shown for a new flag with the name of a deleted one', async () => {
    const clock = new ManualClock();
    const own = await startTestService({ clock });
    try {
      const flags = new Flags(own);
      const name = await flags.create();
      const send = async (toggles: Toggles) => {
        const body = { appName: 'seen', bucket: bucket(toggles, clock.nowMs()) };
        await accepted(own, 'registerClientMetrics', { body });
        await own.running.services.reportRecorder.flush();
      };
      await send({ [name]: { yes: 2, no: 7 } });
      expect(await flags.environment(name)).toMatchObject({ yes: 2, no: 7 });
      clock.advance(3_600_000);
      await flags.call('archiveFeature', { featureName: name });
      await flags.call('deleteFeature', { featureName: name });
      await flags.call('createFeature', {}, { name });
      expect(await flags.environment(name)).toMatchObject({ lastSeenAt: null, yes: 0, no: 0 });
      await send({ [name]: { yes: 1, no: 0 } });
      expect(await flags.environment(name)).toMatchObject({ lastSeenAt: expect.any(String), yes: 1, no: 0 });
    } finally {
      await own.close();
    }
  });

  it('counts in the environment of its token, whatever environment it names', async () => {
    const name = await flags.create();
    await report('liar', { [name]: { yes: 1 } }, { environment: 'production' });
    expect(await raw(name)).toMatchObject([{ environment: 'development' }]);
  });

  it('does not count flags outside the projects of its token, nor does it list them as missing', async () => {
    const projectId = await flags.otherProject();
    const [mine, theirs] = [await flags.create({}, projectId), await flags.create()];
    const body = { type: 'client', tokenName: 'scoped', environment: 'development', projects: [projectId] };
    const { secret } = (await accepted(service, 'createApiToken', { body })).body;
    await report('scoped', { [mine]: { yes: 1 }, [theirs]: { yes: 1 } }, {}, secret);
    await report('whole', { [theirs]: { yes: 4 } });
    expect(await raw(mine)).toMatchObject([{ appName: 'scoped', yes: 1 }]);
    expect(await raw(theirs)).toMatchObject([{ appName: 'whole', yes: 4 }]);
    const { environments, featureCount } = await overview('scoped');
    expect([featureCount, environments[0].issues.missingFeatures]).toEqual([1, []]);
    expect(service.running.services.reportRecorder.dropped.project).toBe(1);
  });

  it('of a page takes no capacity from the reports of servers, whatever names it invents', async () => {
    const clock = new ManualClock();
    const own = await startTestService({ clock });
    try {
      const name = await new Flags(own).create();
      const send = (operationId: string, appName: string, toggles: Toggles) =>
        accepted(own, operationId, { body: { appName, bucket: bucket(toggles, clock.nowMs()) } });
      for (let part = 0; part < 10; part++) {
        const names = Array.from({ length: 5_000 }, (_, index) => `made-up-${part}-${index}`);
        const toggles = Object.fromEntries(names.map((each) => [each, { yes: 1 }]));
        await send('registerFrontendMetrics', 'page', toggles);
      }
      expect(own.running.services.reportRecorder.dropped.full).toBeGreaterThan(0);
      await send('registerClientMetrics', 'server', { [name]: { yes: 1 } });
      const { body } = await accepted(own, 'getRawFeatureMetrics', { params: { name } });
      expect(body.data).toMatchObject([{ appName: 'server', yes: 1 }]);
    } finally {
      await own.close();
    }
  });

  it('of the previous hour is not refused if that hour is one more back when the sums are counted', async () => {
    const clock = new ManualClock();
    const own = await startTestService({ clock });
    try {
      const name = await new Flags(own).create();
      const atMs = clock.nowMs() - 3_600_000;
      await accepted(own, 'registerClientMetrics', {
        body: { appName: 'late', bucket: bucket({ [name]: { yes: 2, no: 7 } }, atMs) },
      });
      clock.advance(3_600_000);
      await own.running.services.reportRecorder.flush();
      expect(own.running.services.counts.risk).toMatchObject({ refused: 0 });
    } finally {
      await own.close();
    }
  });

  it('belongs to the hour in which its bucket ends: a future hour becomes the current one, one long past is dropped', async () => {
    const name = flags.name();
    await prepare(service, (draft) => draft.put('features', flag(name)));
    const at = (stop: number | string) => ({ bucket: { start: 0, stop, toggles: { [name]: { yes: 1 } } } });
    const nowMs = Date.now();
    await report('clock', {}, at(nowMs + 86_400_000));
    await report('clock', {}, at(nowMs - 5 * 3_600_000));
    await report('clock', {}, at('2001-01-01T00:00:00Z'));
    const data = await raw(name);
    const hours = data.map(({ timestamp, yes }: { timestamp: string; yes: number }) => [Date.parse(timestamp), yes]);
    const hourOf = (timeMs: number) => timeMs - (timeMs % 3_600_000);
    expect(hours).toHaveLength(2);
    expect([hourOf(nowMs), hourOf(Date.now())]).toContain(hours[0][0]);
    expect(hours[1]).toEqual([hourOf(nowMs - 5 * 3_600_000), 1]);
    expect(await raw(name, 'hoursBack=3')).toHaveLength(1);
    const days = await raw(name, 'hoursBack=720');
    expect(days.reduce((sum: number, { yes }: { yes: number }) => sum + yes, 0)).toBe(2);
    expect(days[0].timestamp).toMatch(/T00:00:00\.000Z$/);
    expect(service.running.services.reportRecorder.dropped.late).toBeGreaterThanOrEqual(1);
  });

  it('is accepted in the forms of old and new SDKs', async () => {
    const name = await flags.create();
    const about = {
      sdkVersion: 'unleash-client-java:9.2.0',
      platformName: 'jvm',
      platformVersion: '21',
      yggdrasilVersion: null,
      specVersion: '5.1.0',
      connectionId: 'c',
      environment: 'default',
      projectName: 'default',
      impactMetrics: [{ name: 'm', help: 'h', type: 'counter', samples: [{ labels: {}, value: 1 }] }],
    };
    await report('variety', { [name]: { yes: 1, no: 0, variants: {} } }, about);
    await report('variety', { [name]: { yes: 1 } }, { instanceId: null });
    await report('variety', {}, { bucket: null });
    // Java's SDK sends this when nothing was counted: it leaves out null fields.
    await report('variety', {}, { bucket: undefined });
    await report('variety', { [name]: { yes: null, no: 3, variants: null } }, { started: '2026', interval: 15_000 });
    expect(await raw(name)).toMatchObject([{ yes: 2, no: 3 }]);
    const registration = {
      appName: 'variety',
      strategies: ['default', 'own', { name: 'x' }, 7],
      started: 1,
      interval: 5,
    };
    await accepted(service, 'registerClientApplication', { body: registration });
    await accepted(service, 'registerFrontendClient', { body: { appName: 'variety', strategies: null } });
    expect((await overview('variety')).issues).toEqual({ missingStrategies: ['own'] });
  });

  it.each([
    ['without a name', { bucket: null }],
    ['with an empty name', { appName: '' }],
    ['with a number as the name', { appName: 7 }],
    ['with a name that is too long', { appName: 'a'.repeat(256) }],
    ['with an invalid bucket', { appName: 'a', bucket: [] }],
    ['with a bucket without flags', { appName: 'a', bucket: { start: 0, stop: 1 } }],
    ['with invalid times', { appName: 'a', bucket: { start: 'yesterday', stop: 'today', toggles: {} } }],
    ['with an invalid count', { appName: 'a', bucket: { start: 0, stop: 1, toggles: { f: { yes: 'often' } } } }],
    ['with a negative count', { appName: 'a', bucket: { start: 0, stop: 1, toggles: { f: { yes: -1 } } } }],
    ['with invalid variants', { appName: 'a', bucket: { start: 0, stop: 1, toggles: { f: { variants: ['x'] } } } }],
  ])('%s is refused', async (_what, body) => {
    await refused(service, 'registerClientMetrics', INVALID, { body });
    await refused(service, 'registerFrontendMetrics', INVALID, { body });
  });

  it.each(REPORTING)('%s accepts only tokens of its kind, and only JSON', async (operationId) => {
    const foreign = operationId.includes('Frontend') ? CLIENT_TOKEN : FRONTEND_TOKEN;
    await refused(service, operationId, UNAUTHENTICATED, { token: null, body: {} });
    await refused(service, operationId, UNAUTHENTICATED, { token: '*:development.unknown', body: {} });
    await refused(service, operationId, FORBIDDEN, { token: foreign, body: {} });
    const headers = { 'content-type': 'text/plain' };
    await refused(service, operationId, WRONG_CONTENT_TYPE, { body: '{}', headers });
    await refused(service, operationId, INVALID, { body: '[]' });
    await refused(service, operationId, INVALID, { body: '{"appName":' });
  });
});

describe('a relay', () => {
  it.each(['clientBulkMetrics', 'edgeBulkMetrics'])('reports for many instances (%s)', async (operationId) => {
    const name = await flags.create();
    const appName = `through-${operationId}`;
    const about = { appName, instanceId: 'one', sdkVersion: 'unleash-client-go:4.1.0', strategies: ['default'] };
    const connectVia = [{ appName: 'unleash-edge', instanceId: 'edge-1' }];
    const use = { featureName: name, appName, timestamp: new Date(stopOfTestMs).toISOString(), variants: {} };
    const body = {
      applications: [
        { ...about, environment: 'development', connectVia },
        { ...about, instanceId: 'two', environment: 'production' },
      ],
      metrics: [
        { ...use, environment: 'development', yes: 3, no: 2 },
        { ...use, environment: 'production', yes: 70, no: 70 },
        { ...use, yes: 1, no: 0 },
      ],
    };
    await accepted(service, operationId, { body });
    expect(await raw(name)).toMatchObject([{ environment: 'development', appName, yes: 4, no: 2 }]);
    expect((await overview(appName)).environments).toMatchObject([
      { name: 'development', instanceCount: 1, sdks: ['unleash-client-go:4.1.0'] },
    ]);
    await accepted(service, operationId, { body: {} });
    await refused(service, operationId, INVALID, { body: { metrics: [{ appName: 'x', yes: 1 }] } });
    await refused(service, operationId, INVALID, { body: { applications: ['x'] } });
  });

  it('asks which tokens exist, and is sent their type, projects and environment', async () => {
    // Admin tokens are not confirmed.
    const tokens = [CLIENT_TOKEN, FRONTEND_TOKEN, CLIENT_TOKEN, '*:development.unknown', '', ADMIN_TOKEN];
    const { body } = await accepted(service, 'getValidTokens', { body: { tokens } });
    expect(body).toEqual({
      tokens: [
        { token: CLIENT_TOKEN, type: 'client', projects: ['*'], environment: 'development' },
        { token: FRONTEND_TOKEN, type: 'frontend', projects: ['*'], environment: 'development' },
      ],
    });
    expect((await accepted(service, 'getValidTokens', { body: { tokens: [] } })).body).toEqual({ tokens: [] });
    await refused(service, 'getValidTokens', INVALID, { body: {} });
    await refused(service, 'getValidTokens', INVALID, { body: { tokens: [7] } });
  });
});

describe('a flood of reports', () => {
  it('is stored up to the limits, loses no use of existing flags, and is counted where it was dropped', async () => {
    const flooded = await startTestService({ env: { APPLICATIONS_LIMIT: '5' } });
    try {
      const own = new Flags(flooded);
      const name = await own.create();
      const send = (appName: string, toggles: Toggles) =>
        accepted(flooded, 'registerClientMetrics', { body: { appName, instanceId: appName, bucket: bucket(toggles) } });
      const unknown = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`nobody-${at}`, { yes: 1 }]));
      await send('app-0', unknown);
      await send('app-0', { 'no flag at all': { yes: 1 } });
      for (let count = 1; count < 30; count++) await send(`app-${count}`, { [name]: { yes: 1, no: 1 } });
      const { reportRecorder, state } = flooded.running.services;
      const { body } = await accepted(flooded, 'getRawFeatureMetrics', { params: { name } });
      const yes = body.data.map((use: { appName: string; yes: number }) => [use.appName, use.yes]);
      expect(new Map(yes).get('(others)')).toBe(25);
      expect(yes.reduce((sum: number, [, times]: [string, number]) => sum + times, 0)).toBe(29);
      expect(state.size('applications')).toBe(5);
      expect((await accepted(flooded, 'getApplications')).body.total).toBe(5);
      const { unknownFlags } = (await accepted(flooded, 'getUnknownFlags')).body;
      expect(unknownFlags).toHaveLength(2_000);
      expect(reportRecorder.dropped).toMatchObject({ application: 25, name: 1 });
      const gauges = await (await fetch(`${flooded.url}/internal-backstage/prometheus`)).text();
      expect(gauges).toContain('burgee_reports_total{kind="metrics"} 31');
      expect(gauges).toContain('burgee_reports_dropped_total{reason="application"} 25');
      expect(gauges).toContain('burgee_counts_lost_total 1000');
      expect(gauges).toContain('burgee_applications 5');
    } finally {
      await flooded.close();
    }
  });
});

describe('what was reported', () => {
  it('is kept after a restart', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'burgee-reports-'));
    try {
      const first = await startTestService({ directory });
      const name = await new Flags(first).create();
      const body = { appName: 'lasting', instanceId: 'i', sdkVersion: 'unleash-client-node:3.0.0' };
      const toggles = { [name]: { yes: 4, no: 1 }, missing: { yes: 1 } };
      await accepted(first, 'registerClientApplication', { body: { ...body, strategies: ['gone'] } });
      await accepted(first, 'registerClientMetrics', { body: { ...body, bucket: bucket(toggles) } });
      await first.close();

      const second = await startTestService({ directory });
      await second.running.services.flagUse.refresh();
      const read = await new Flags(second).read(name);
      expect(read.body.environments[0]).toMatchObject({ yes: 4, no: 1, lastSeenAt: read.body.lastSeenAt });
      expect(Date.parse(read.body.lastSeenAt)).toBeGreaterThan(Date.now() - 600_000);
      expect(read.body.lifecycle.stage).toBe('pre-live');
      const shown = await accepted(second, 'getApplicationOverview', { params: { appName: 'lasting' } });
      expect(shown.body).toEqual({
        projects: ['default'],
        featureCount: 1,
        issues: { missingStrategies: ['gone'] },
        environments: [
          {
            name: 'development',
            instanceCount: 1,
            sdks: ['unleash-client-node:3.0.0'],
            backendSdks: ['unleash-client-node:3.0.0'],
            frontendSdks: [],
            lastSeen: expect.stringMatching(/Z$/),
            issues: { missingFeatures: ['missing'], outdatedSdks: ['unleash-client-node:3.0.0'] },
          },
        ],
      });
      await second.close();
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe('the sender of a report', () => {
  /** Sends the parts of a body one after the other. */
  async function send(body: unknown, parts: number): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(body));
    const connection = await RawConnection.open(service.url);
    const about = [`authorization: ${CLIENT_TOKEN}`, 'content-type: application/json', 'unleash-sdk: some-sdk:1.2.3'];
    connection.write(head('POST /api/client/metrics HTTP/1.1', ...about, `content-length: ${bytes.length}`));
    const size = Math.ceil(bytes.length / parts);
    for (let start = 0; start < bytes.length; start += size) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      connection.write(bytes.subarray(start, start + size));
    }
    expect((await connection.answer())?.status).toBe(202);
    connection.destroy();
  }

  it.each([
    ['that is read in one pass', 'sent-whole', 1, {}],
    ['that comes in pieces', 'sent-in-pieces', 3, {}],
    ['that is parsed like all other bodies', 'sent-otherwise', 1, { sdkType: 'é' }],
    ['that is so long that it is read in several steps', 'sent-at-length', 1, { filling: 'x'.repeat(200_000) }],
  ])('is known for a report %s', async (_, appName, parts, more) => {
    await send({ appName, instanceId: 'one', bucket: bucket({}), ...more }, parts);
    await service.running.services.reportRecorder.flush();
    const params = { appName, environment: 'development' };
    const { instances } = (await accepted(service, 'getApplicationEnvironmentInstances', { params })).body;
    expect(instances).toMatchObject([{ instanceId: 'one', clientIp: '127.0.0.1', sdkVersion: 'some-sdk:1.2.3' }]);
  });
});
