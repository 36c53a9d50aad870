import { once } from 'node:events';
import { Unleash, UnleashEvents } from 'unleash-client';
import { UnleashClient } from 'unleash-proxy-client';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Flags } from '../support/flags.ts';
import { endSdk } from '../support/programs/end-sdk.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, useService } from '../support/service.ts';

const DEVELOPMENT = { environment: 'development' };

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

/** Adds a strategy for one user and switches the flag on. */
async function flagFor(userId: string, strategy: object = {}): Promise<string> {
  const featureName = await flags.create({ impressionData: true });
  const constraints = [{ contextName: 'userId', operator: 'IN', values: [userId] }];
  const target = { featureName, ...DEVELOPMENT };
  await flags.call('addFeatureStrategy', target, { name: 'default', parameters: {}, constraints, ...strategy });
  await flags.call('toggleFeatureEnvironmentOn', target);
  return featureName;
}

describe('unleash-client, unmodified', () => {
  const started: Unleash[] = [];

  afterEach(() => {
    for (const client of started.splice(0)) endSdk(client);
  });

  /** A client that polls when the test calls `poll`. Its own timer fires only after an hour. */
  async function startClient(): Promise<Unleash> {
    const client = new Unleash({
      skipInstanceCountWarning: true,
      url: `${service.url}/api`,
      appName: 'sdk-test',
      customHeaders: { Authorization: CLIENT_TOKEN },
      refreshInterval: 3_600_000,
      disableMetrics: true,
      storageProvider: { set: async () => {}, get: async () => undefined },
    });
    started.push(client);
    await once(client, UnleashEvents.Synchronized);
    return client;
  }

  /** The result of one poll: a list (200), or that it has not changed (304). */
  async function poll(client: Unleash): Promise<'list' | 'not modified'> {
    const result = new Promise<'list' | 'not modified'>((resolve, reject) => {
      client.once(UnleashEvents.Changed, () => resolve('list'));
      client.once(UnleashEvents.Unchanged, () => resolve('not modified'));
      client.once(UnleashEvents.Error, reject);
    });
    // The call of its timer, without the wait.
    await (client as unknown as { readonly repository: { fetch(): Promise<void> } }).repository.fetch();
    return result;
  }

  it('sees that a flag is created, switched on, changed and archived, each with the next poll, and gets 304 in between', async () => {
    const client = await startClient();
    const featureName = await flags.create();
    const isOn = (userId: string) => client.isEnabled(featureName, { userId });
    expect(client.getFeatureToggleDefinition(featureName)).toBeUndefined();
    expect(await poll(client)).toBe('list');
    expect(client.getFeatureToggleDefinition(featureName)).toMatchObject({ enabled: false });
    expect(await poll(client)).toBe('not modified');

    await flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEVELOPMENT });
    expect(isOn('1')).toBe(false);
    expect(await poll(client)).toBe('list');
    expect([isOn('1'), isOn('2')]).toEqual([true, true]);
    expect(await poll(client)).toBe('not modified');

    const [{ id }] = (await flags.environment(featureName)).strategies;
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['2'] }];
    const target = { featureName, ...DEVELOPMENT, strategyId: id };
    await flags.call('updateFeatureStrategy', target, { name: 'default', parameters: {}, constraints });
    expect(await poll(client)).toBe('list');
    expect([isOn('1'), isOn('2')]).toEqual([false, true]);
    expect(await poll(client)).toBe('not modified');

    await flags.call('archiveFeature', { featureName });
    expect(await poll(client)).toBe('list');
    expect(isOn('2')).toBe(false);
    expect(client.getFeatureToggleDefinition(featureName)).toBeUndefined();
    expect(await poll(client)).toBe('not modified');
  });

  it('gets 304 when something outside of its content changed', async () => {
    const client = await startClient();
    const featureName = await flags.create();
    expect(await poll(client)).toBe('list');
    await flags.call('toggleFeatureEnvironmentOn', { featureName, environment: 'production' });
    expect(await poll(client)).toBe('not modified');
    await flags.create({}, await flags.otherProject());
    expect(await poll(client)).toBe('list');
  });

  it('gets segments by id, as in version 2 of the list, and follows their changes', async () => {
    const constraints = [{ contextName: 'plan', operator: 'IN', values: ['gold'] }];
    const segment = await flags.call('createSegment', {}, { name: 'gold plan', constraints });
    const featureName = await flagFor('u', { segments: [segment.body.id] });
    const client = await startClient();
    const isOn = (plan: string) => client.isEnabled(featureName, { userId: 'u', properties: { plan } });
    expect(client.getFeatureToggleDefinition(featureName)?.strategies?.[0]?.segments).toEqual([segment.body.id]);
    expect([isOn('gold'), isOn('silver')]).toEqual([true, false]);
    const values = ['silver'];
    const body = { name: 'silver plan', constraints: [{ contextName: 'plan', operator: 'IN', values }] };
    await flags.call('updateSegment', { id: segment.body.id }, body);
    expect(await poll(client)).toBe('list');
    expect([isOn('gold'), isOn('silver')]).toEqual([false, true]);
  });

  it('gets the same variant as the frontend API and the playground', async () => {
    const variant = (name: string) => ({ name, weight: 1, weightType: 'variable', stickiness: 'userId' });
    const variants = ['red', 'green', 'blue'].map(variant);
    const userIds = Array.from({ length: 30 }, (_, index) => `user-${index}`);
    const constraints = [{ contextName: 'userId', operator: 'STR_STARTS_WITH', values: ['user-'] }];
    const parameters = { rollout: '100', stickiness: 'userId', groupId: 'colours' };
    const featureName = await flagFor('', { name: 'flexibleRollout', parameters, constraints, variants });
    const client = await startClient();
    const seen = new Set<string>();
    for (const userId of userIds) {
      const { name } = client.getVariant(featureName, { userId });
      seen.add(name);
      const { toggles } = (await service.call('getFrontendFeatures', { query: `userId=${userId}` })).body;
      expect(toggles.find((toggle: { name: string }) => toggle.name === featureName).variant.name).toBe(name);
      const body = { environment: 'development', context: { appName: 'test', userId } };
      const { features } = (await service.call('getPlayground', { body })).body;
      expect(features.find((feature: { name: string }) => feature.name === featureName).variant.name).toBe(name);
    }
    expect([...seen].sort()).toEqual(['blue', 'green', 'red']);
  });
});

describe('unleash-proxy-client, unmodified', () => {
  const started: UnleashClient[] = [];

  afterEach(() => {
    for (const client of started.splice(0)) client.stop();
  });

  async function startClient(options: { readonly usePOSTrequests: boolean; readonly userId: string }) {
    const client = new UnleashClient({
      url: `${service.url}/api/frontend`,
      clientKey: FRONTEND_TOKEN,
      appName: 'browser-test',
      disableRefresh: true,
      disableMetrics: true,
      usePOSTrequests: options.usePOSTrequests,
      context: { userId: options.userId, properties: { plan: 'gold' } },
      fetch,
      storageProvider: { save: async () => {}, get: async () => undefined },
    });
    started.push(client);
    await client.start();
    expect(client.getError()).toBeUndefined();
    return client;
  }

  it.each([false, true])(
    'gets the flags that are on for its context and follows changes (POST: %s)',
    async (usePOSTrequests) => {
      const userId = `browser-${usePOSTrequests}`;
      const payload = { type: 'string', value: 'x' };
      const variants = [{ name: 'only', weight: 1000, weightType: 'variable', stickiness: 'default', payload }];
      const on = await flagFor(userId, { variants });
      const off = await flagFor('somebody else');
      const client = await startClient({ usePOSTrequests, userId });
      expect([client.isEnabled(on), client.isEnabled(off)]).toEqual([true, false]);
      expect(client.getVariant(on)).toMatchObject({ name: 'only', enabled: true, payload, feature_enabled: true });
      await client.updateContext({ userId: 'somebody else' });
      expect([client.isEnabled(on), client.isEnabled(off)]).toEqual([false, true]);
      await flags.call('archiveFeature', { featureName: off });
      await client.updateContext({ userId: 'somebody else', properties: { plan: 'silver' } });
      expect(client.isEnabled(off)).toBe(false);
    },
  );
});
