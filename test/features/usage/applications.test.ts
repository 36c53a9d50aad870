import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, eventsOf, INVALID, MISSING, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { expectConforms, startTestService, useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;
let productionToken: string;

beforeAll(async () => {
  flags = new Flags(service);
  const body = { type: 'client', tokenName: 'in production', environment: 'production' };
  productionToken = (await accepted(service, 'createApiToken', { body })).body.secret;
});

interface Report {
  readonly appName: string;
  readonly instanceId?: string;
  readonly sdkVersion?: string;
  readonly strategies?: readonly string[];
  readonly flags?: readonly string[];
  readonly token?: string;
}

async function report({ flags: used = [], token, strategies = ['default'], ...about }: Report): Promise<void> {
  const options = token === undefined ? {} : { token };
  await accepted(service, 'registerClientApplication', { ...options, body: { ...about, strategies } });
  const toggles = Object.fromEntries(used.map((name) => [name, { yes: 1, no: 1 }]));
  const bucket = { start: Date.now() - 1, stop: Date.now(), toggles };
  await accepted(service, 'registerClientMetrics', { ...options, body: { ...about, bucket } });
}

const read = async (operationId: string, params: Readonly<Record<string, string>> = {}, query = '') =>
  (await accepted(service, operationId, { params, query })).body;

describe('the overview of an application', () => {
  const overview = (appName: string) => read('getApplicationOverview', { appName });

  it('shows where it runs, what it uses, and the issues with that, in the fields of the contract', async () => {
    const projectId = await flags.otherProject();
    const [own, other] = [await flags.create(), await flags.create({}, projectId)];
    const appName = 'all of it';
    const node = 'unleash-client-node:6.12.1';
    const old = 'unleash-client-node:3.9.1';
    await report({
      appName,
      instanceId: 'a',
      sdkVersion: node,
      flags: [own, 'never-made'],
      strategies: ['default', 'x', 'y'],
    });
    await report({ appName, instanceId: 'b', sdkVersion: old, flags: [own], strategies: ['default', 'x'] });
    await report({
      appName,
      instanceId: 'c',
      sdkVersion: node,
      flags: [other],
      token: productionToken,
      strategies: ['x', 'flexibleRollout'],
    });
    const shown = await overview(appName);
    expect(shown).toEqual({
      projects: ['default', projectId].sort(),
      featureCount: 2,
      environments: [
        {
          name: 'development',
          instanceCount: 2,
          sdks: [old, node],
          lastSeen: expect.any(String),
          frontendSdks: [],
          backendSdks: [old, node],
          issues: { missingFeatures: ['never-made'], outdatedSdks: [old] },
        },
        {
          name: 'production',
          instanceCount: 1,
          sdks: [node],
          lastSeen: expect.any(String),
          frontendSdks: [],
          backendSdks: [node],
          issues: { missingFeatures: [], outdatedSdks: [] },
        },
      ],
      issues: { missingStrategies: ['x'] },
    });
    for (const { lastSeen } of shown.environments) {
      expect(new Date(lastSeen).toISOString()).toBe(lastSeen);
      expect(Date.parse(lastSeen)).toBeGreaterThan(Date.now() - 600_000);
    }
    await flags.call('createStrategy', {}, { name: 'x', parameters: [] });
    await flags.call('createFeature', {}, { name: 'never-made' });
    const mended = await overview(appName);
    expect([mended.issues.missingStrategies, mended.environments[0].issues.missingFeatures]).toEqual([[], []]);
  });

  it('separates SDKs of browsers from those of servers, and adds an SDK that only a later report names', async () => {
    const appName = 'both sides';
    const node = 'unleash-client-node:6.1.0';
    await report({ appName, instanceId: 'server', sdkVersion: node });
    const bucket = { start: new Date().toISOString(), stop: new Date().toISOString(), toggles: {} };
    const browser = { appName, instanceId: 'browser', bucket };
    await accepted(service, 'registerFrontendMetrics', { body: browser });
    const sdkVersion = 'unleash-client-js:3.7.0';
    const started = { ...browser, sdkVersion, strategies: [], interval: 1, started: bucket.start };
    await accepted(service, 'registerFrontendClient', { body: started });
    const { environments } = await overview(appName);
    expect(environments).toMatchObject([{ frontendSdks: [sdkVersion], backendSdks: [node], instanceCount: 2 }]);
    const { instances } = await read('getApplication', { appName });
    const types = instances.map(({ instanceId, sdkType }: Record<string, string>) => `${instanceId}: ${sdkType}`);
    expect(types.sort()).toEqual(['browser: frontend', 'server: backend']);
  });

  it('is empty for an application that a user has created and that has not reported yet', async () => {
    await accepted(service, 'createApplication', { params: { appName: 'planned' }, body: { description: 'Soon' } });
    expect(await overview('planned')).toEqual({
      projects: [],
      featureCount: 0,
      environments: [],
      issues: { missingStrategies: [] },
    });
  });

  it('is 404 for an unknown application, and 401 without a token', async () => {
    await refused(service, 'getApplicationOverview', MISSING, { params: { appName: 'nobody' } });
    await refused(service, 'getApplicationOverview', UNAUTHENTICATED, { params: { appName: 'x' }, token: null });
  });
});

describe('an application', () => {
  it('is created once, with one event, and again when it reports after its deletion', async () => {
    const appName = 'once';
    const { reportRecorder } = service.running.services;
    const events = await eventsOf(service, async () => {
      for (let count = 0; count < 3; count++) {
        await report({ appName, instanceId: `i-${count}` });
        await reportRecorder.flush();
      }
    });
    expect(events).toMatchObject([{ type: 'application-created', data: { appName }, createdBy: 'burgee' }]);
    const again = await eventsOf(service, async () => {
      await accepted(service, 'deleteApplication', { params: { appName } });
      await refused(service, 'getApplication', MISSING, { params: { appName } });
      await accepted(service, 'deleteApplication', { params: { appName } });
      await report({ appName });
      await reportRecorder.flush();
    });
    expect(again.map(({ type }) => type)).toEqual(['application-created']);
    expect((await read('getApplication', { appName })).appName).toBe(appName);
  });

  it('is there after a flush that began while a round wrote it', async () => {
    const clock = new ManualClock();
    const timed = await startTestService({ clock });
    try {
      const { reportRecorder, state } = timed.running.services;
      const body = { appName: 'in a round', instanceId: 'one', strategies: [] };
      await accepted(timed, 'registerClientApplication', { body });
      clock.advance(5_000);
      while (reportRecorder.waiting > 0) await Promise.resolve();
      expect(state.get('applications', 'in a round')).toBeUndefined();
      await reportRecorder.flush();
      expect(state.get('applications', 'in a round')).toBeDefined();
    } finally {
      await timed.close();
    }
  });

  it('has the properties that users have set, and what it has reported', async () => {
    const appName = 'with / a slash & ä';
    const name = await flags.create();
    await report({
      appName,
      instanceId: 'one',
      sdkVersion: 'unleash-client-go:4.5.0',
      flags: [name],
      strategies: ['own', 'default'],
    });
    await service.running.services.reportRecorder.flush();
    const details = { description: 'Sells', url: 'https://example.org', icon: 'shop', color: '#00ff00' };
    await accepted(service, 'createApplication', { params: { appName }, body: details });
    await accepted(service, 'createApplication', { params: { appName }, body: { icon: null } });
    const application = await read('getApplication', { appName });
    expect(application).toMatchObject({
      ...details,
      appName,
      icon: null,
      createdBy: 'burgee',
      strategies: [
        { name: 'default', displayName: 'Standard', editable: false, parameters: [] },
        { name: 'own', notFound: true },
      ],
      usage: [{ project: '*', environments: ['development'] }],
      project: '*',
      environment: 'development',
      instances: [
        {
          appName,
          instanceId: 'one',
          sdkVersion: 'unleash-client-go:4.5.0',
          sdkType: 'backend',
          environment: 'development',
        },
      ],
      seenToggles: [{ name, type: 'release', project: 'default', stale: false, archived: false }],
    });
    const { applications } = await read('getApplications', {}, `query=${encodeURIComponent('A SLASH')}`);
    const { instances: _instances, seenToggles: _seenToggles, ...listed } = application;
    expect(applications).toEqual([{ ...listed, strategies: ['default', 'own'] }]);
    await refused(service, 'createApplication', INVALID, { params: { appName }, body: { description: 7 } });
    await refused(service, 'createApplication', INVALID, { params: { appName: 'a'.repeat(256) }, body: {} });
    const { instances } = await read('getApplicationEnvironmentInstances', { appName, environment: 'development' });
    expect(instances).toMatchObject([{ instanceId: 'one', clientIp: '127.0.0.1' }]);
    const none = await read('getApplicationEnvironmentInstances', { appName, environment: 'production' });
    expect(none.instances).toEqual([]);
    await refused(service, 'getApplicationEnvironmentInstances', MISSING, {
      params: { appName: 'nobody', environment: 'development' },
    });
  });

  it('is in a list that can be searched, sorted and paged', async () => {
    for (const appName of ['page-a', 'page-b', 'page-c']) await report({ appName });
    const names = async (query: string) => {
      const { total, applications } = await read('getApplications', {}, query);
      return [total, applications.map(({ appName }: { appName: string }) => appName)];
    };
    expect(await names('query=page-')).toEqual([3, ['page-a', 'page-b', 'page-c']]);
    expect(await names('query=page-&limit=1&offset=1')).toEqual([3, ['page-b']]);
    expect(await names('query=page-&sortOrder=desc&sortBy=appName')).toEqual([3, ['page-c', 'page-b', 'page-a']]);
    expect(await names('query=none-such')).toEqual([0, []]);
    await refused(service, 'getApplications', INVALID, { query: 'limit=0' });
    await refused(service, 'getApplications', INVALID, { query: 'sortOrder=up' });
  });

  it('belongs to the projects whose flags it uses', async () => {
    const projectId = await flags.otherProject();
    const [own, elsewhere] = [await flags.create({}, projectId), await flags.create()];
    const old = 'unleash-client-php:1.0.0';
    await report({ appName: 'of project', instanceId: 'x', sdkVersion: old, flags: [own, elsewhere] });
    await report({ appName: 'of project', instanceId: 'y', sdkVersion: 'unleash-client-php:2.1.0', flags: [own] });
    await report({ appName: 'not of project', flags: [elsewhere], sdkVersion: old });
    expect(await read('getProjectApplications', { projectId })).toEqual({
      total: 1,
      applications: [
        {
          name: 'of project',
          environments: ['development'],
          instances: ['x', 'y'],
          sdks: [{ name: 'unleash-client-php', versions: ['1.0.0', '2.1.0'] }],
        },
      ],
    });
    expect(await read('getProjectApplications', { projectId }, 'query=other')).toEqual({ total: 0, applications: [] });
    expect(await read('getOutdatedProjectSdks', { projectId })).toEqual({
      sdks: [{ sdkVersion: old, applications: ['of project'] }],
    });
    const everywhere = (await read('getOutdatedSdks')).sdks.find(
      (sdk: { sdkVersion: string }) => sdk.sdkVersion === old,
    );
    expect(everywhere.applications).toEqual(expect.arrayContaining(['not of project', 'of project']));
    await refused(service, 'getProjectApplications', MISSING, { params: { projectId: 'nowhere' } });
    await refused(service, 'getOutdatedProjectSdks', MISSING, { params: { projectId: 'nowhere' } });
  });

  it('is listed with the missing flags that it uses, until they are created', async () => {
    await report({ appName: 'early', flags: ['wanted-1', 'wanted-2'] });
    await report({ appName: 'early', flags: ['wanted-1'], token: productionToken });
    const wanted = async () =>
      (await read('getUnknownFlags')).unknownFlags.filter(({ name }: { name: string }) => name.startsWith('wanted-'));
    const unknown = await wanted();
    expect(unknown).toHaveLength(2);
    const first = unknown.find(({ name }: { name: string }) => name === 'wanted-1');
    expect(first.reports).toMatchObject([{ appName: 'early' }]);
    expect(first.reports[0].environments.map((entry: { environment: string }) => entry.environment).sort()).toEqual([
      'development',
      'production',
    ]);
    await flags.call('createFeature', {}, { name: 'wanted-1' });
    expect((await wanted()).map(({ name }: { name: string }) => name)).toEqual(['wanted-2']);
  });
});

describe('reading what was reported', () => {
  it('returns nothing for a flag without use, and nothing of a deleted flag with the same name', async () => {
    const name = await flags.create();
    await report({ appName: 'namesake', flags: [name] });
    expect((await read('getRawFeatureMetrics', { name })).data).toHaveLength(1);
    expect((await read('getRawFeatureMetrics', { name: `${name}-` })).data).toEqual([]);
    expect((await read('getFeatureUsageSummary', { name: 'nobody' })).lastHourUsage).toEqual([]);
    await service.running.services.reportRecorder.flush();
    await flags.call('archiveFeature', { featureName: name });
    await flags.call('deleteFeature', { featureName: name });
    await flags.call('createFeature', {}, { name });
    expect((await flags.read(name)).body).toMatchObject({ lastSeenAt: null, lifecycle: { stage: 'initial' } });
    await refused(service, 'getRawFeatureMetrics', INVALID, { params: { name }, query: 'hoursBack=0' });
  });

  it('answers 503 while the store is unavailable', async () => {
    const { store } = service.running.services;
    const readCounters = store.counters.read;
    const { StoreError } = await import('../../../src/stores/store.ts');
    store.counters.read = () => {
      throw new StoreError('away', 'not-appended');
    };
    try {
      const answer = await service.call('getRawFeatureMetrics', { params: { name: 'x' } });
      expect([answer.status, answer.body.name]).toEqual([503, 'ServiceUnavailableError']);
    } finally {
      store.counters.read = readCounters;
    }
    expectConforms({ type: 'array' }, (await read('getRawFeatureMetrics', { name: 'x' })).data, 'it is back');
  });
});
