import { once } from 'node:events';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Flags } from '../support/flags.ts';
import { endSdk } from '../support/programs/end-sdk.ts';
import { CLIENT_TOKEN, useService } from '../support/service.ts';

const DEVELOPMENT = { environment: 'development' };

const service = useService();
let flags: Flags;
const started: Unleash[] = [];

beforeAll(async () => {
  flags = new Flags(service);
});

afterEach(() => {
  for (const client of started.splice(0)) endSdk(client);
});

type Mode = ConstructorParameters<typeof Unleash>[0]['experimentalMode'];

async function startClient(experimentalMode: NonNullable<Mode>): Promise<Unleash> {
  const client = new Unleash({
    skipInstanceCountWarning: true,
    url: `${service.url}/api`,
    appName: 'sdk-modes-test',
    customHeaders: { Authorization: CLIENT_TOKEN },
    refreshInterval: 50,
    disableMetrics: true,
    experimentalMode,
    storageProvider: { set: async () => {}, get: async () => undefined },
  });
  started.push(client);
  client.on(UnleashEvents.Error, () => {});
  await once(client, UnleashEvents.Synchronized);
  return client;
}

/** Waits until the condition holds: the client gets the change at its own time. */
async function until(client: Unleash, isSo: () => boolean): Promise<void> {
  while (!isSo()) await once(client, UnleashEvents.Changed);
}

const modes: readonly [string, NonNullable<Mode>][] = [
  ['polling for deltas', { type: 'polling', format: 'delta' }],
  ['listening to the stream', { type: 'streaming' }],
];

describe.each(modes)('unleash-client, unmodified, %s', (_, mode) => {
  it('sees a new flag, and its changes: on and off, segments, variants, and archived', async () => {
    const client = await startClient(mode);
    const featureName = await flags.create();
    const target = { featureName, ...DEVELOPMENT };
    const isOn = (userId: string) => client.isEnabled(featureName, { userId });
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
    const segment = (await flags.call('createSegment', {}, { name: flags.name('segment'), constraints })).body.id;
    await flags.call('addFeatureStrategy', target, { name: 'default', segments: [segment] });
    await flags.call('toggleFeatureEnvironmentOn', target);
    await until(client, () => isOn('1'));
    expect(isOn('2')).toBe(false);

    await flags.call(
      'updateSegment',
      { id: segment },
      { name: flags.name('segment'), constraints: [{ contextName: 'userId', operator: 'IN', values: ['2'] }] },
    );
    await until(client, () => isOn('2'));
    expect(isOn('1')).toBe(false);

    const variant = { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' };
    const [{ id }] = (await flags.environment(featureName)).strategies;
    await flags.call(
      'updateFeatureStrategy',
      { ...target, strategyId: id },
      { name: 'default', segments: [segment], variants: [variant] },
    );
    await until(client, () => client.getVariant(featureName, { userId: '2' }).name === 'blue');

    await flags.call('toggleFeatureEnvironmentOff', target);
    await until(client, () => !isOn('2'));
    await flags.call('archiveFeature', { featureName });
    await until(client, () => client.getFeatureToggleDefinition(featureName) === undefined);
  });
});
