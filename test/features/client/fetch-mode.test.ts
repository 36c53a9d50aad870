import { once } from 'node:events';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Flags } from '../../support/flags.ts';
import { endSdk } from '../../support/programs/end-sdk.ts';
import { CLIENT_TOKEN, startTestService, type TestService, useFreshService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const service = useFreshService();
let flags: Flags;
const started: Unleash[] = [];

beforeEach(() => {
  flags = new Flags(service);
});

afterEach(() => {
  for (const client of started.splice(0)) endSdk(client);
});

type Options = Partial<ConstructorParameters<typeof Unleash>[0]>;

/** The SDK as it is, which polls. Only its interval is shorter, and it keeps no file. */
async function startClient(options: Options = { customHeaders: { Authorization: CLIENT_TOKEN } }): Promise<Unleash> {
  const client = new Unleash({
    skipInstanceCountWarning: true,
    url: `${service.url}/api`,
    appName: 'fetch-mode-test',
    refreshInterval: 50,
    disableMetrics: true,
    storageProvider: { set: async () => {}, get: async () => undefined },
    ...options,
  });
  started.push(client);
  client.on(UnleashEvents.Error, () => {});
  await once(client, UnleashEvents.Synchronized);
  return client;
}

const streams = () => service.running.services.http().streams;

const setMode = (fetchMode: string | null) => flags.call('updateEnvironment', { name: 'development' }, { fetchMode });

async function switchedOn(): Promise<string> {
  const featureName = await flags.create();
  await flags.call('toggleFeatureEnvironmentOn', { featureName, environment: 'development' });
  return featureName;
}

async function untilOn(client: Unleash, name: string): Promise<void> {
  while (!client.isEnabled(name)) await once(client, UnleashEvents.Changed);
}

interface Ask {
  readonly path?: string;
  readonly etag?: string | null;
  readonly connection?: string;
  readonly at?: TestService;
}

async function poll({ path = '/api/client/features', etag, connection, at = service }: Ask = {}) {
  const headers = {
    authorization: CLIENT_TOKEN,
    ...(etag && { 'if-none-match': etag }),
    ...(connection !== undefined && { 'unleash-connection-id': connection }),
  };
  const answer = await fetch(`${at.url}${path}`, { headers });
  await answer.arrayBuffer();
  return { status: answer.status, etag: answer.headers.get('etag'), mode: answer.headers.get('fetch-mode') };
}

describe('unleash-client, unmodified, of an environment with fetchMode', () => {
  it('moves from polls to a stream at its next list, and back to polls when the setting says so', async () => {
    await switchedOn();
    const client = await startClient();
    expect(streams()).toBe(0);
    await setMode('streaming');
    await untilOn(client, await switchedOn());
    expect(streams()).toBe(1);
    await untilOn(client, await switchedOn());
    await setMode('polling');
    await until(streams, (count) => count === 0);
    await untilOn(client, await switchedOn());
    expect(streams()).toBe(0);
    await setMode('streaming');
    await untilOn(client, await switchedOn());
    await until(streams, (count) => count === 1);
  });

  it('begins with a stream if it starts later', async () => {
    const name = await switchedOn();
    await setMode('streaming');
    const client = await startClient();
    expect(client.isEnabled(name)).toBe(true);
    await untilOn(client, await switchedOn());
    expect(streams()).toBe(1);
  });

  it('has every change although its stream is refused: it drops the list that asks for a stream, and gets it again', async () => {
    await switchedOn();
    await setMode('streaming');
    // The SDK sends these headers with polls only, so its streams have no token.
    const client = await startClient({ customHeadersFunction: async () => ({ Authorization: CLIENT_TOKEN }) });
    await untilOn(client, await switchedOn());
    await untilOn(client, await switchedOn());
    expect(streams()).toBe(0);
  });
});

describe('the header fetch-mode', () => {
  it('is in lists with status 200 only, and changes no ETag', async () => {
    await switchedOn();
    const before = await poll();
    expect(before).toMatchObject({ status: 200, mode: null });
    await setMode('streaming');
    expect(await poll({ etag: before.etag })).toEqual({ status: 304, etag: before.etag, mode: null });
    // An SDK drops the list of this answer: with its ETag, it would get a 304 if it polls again.
    expect(await poll({ connection: 'it' })).toEqual({ status: 200, etag: null, mode: 'streaming' });
    await setMode(null);
    expect(await poll()).toEqual(before);
  });

  it('is not in lists with a filter, nor in deltas: a stream has no filter, and an SDK would lose a delta', async () => {
    await setMode('streaming');
    expect(await poll({ path: '/api/client/features?namePrefix=a' })).toMatchObject({ status: 200, mode: null });
    expect(await poll({ path: '/api/client/delta' })).toMatchObject({ status: 200, mode: null });
  });

  it('is sent once to an SDK that does not open a stream, and never to one without an id', async () => {
    await setMode('streaming');
    expect(await poll({ connection: 'one' })).toEqual({ status: 200, etag: null, mode: 'streaming' });
    const { etag, ...listed } = await poll({ connection: 'one' });
    expect(listed).toEqual({ status: 200, mode: null });
    expect(await poll({ connection: 'one', etag })).toMatchObject({ status: 304 });
    await switchedOn();
    for (const connection of ['one', 'x'.repeat(101), undefined])
      expect(await poll({ connection, etag })).toMatchObject({ status: 200, etag: expect.any(String), mode: null });
    expect(await poll({ connection: 'two', etag })).toMatchObject({ status: 200, mode: 'streaming' });
  });

  it('follows FETCH_MODE in environments without a setting', async () => {
    const other = await startTestService({ env: { FETCH_MODE: 'streaming' } });
    try {
      expect((await poll({ at: other, connection: 'it' })).mode).toBe('streaming');
      await other.call('updateEnvironment', { params: { name: 'development' }, body: { fetchMode: 'polling' } });
      expect((await poll({ at: other, connection: 'other' })).mode).toBe(null);
    } finally {
      await other.close();
    }
  });
});
