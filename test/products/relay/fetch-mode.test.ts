import { once } from 'node:events';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Flags } from '../../support/flags.ts';
import { EventStream } from '../../support/http/event-stream.ts';
import { endSdk } from '../../support/programs/end-sdk.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, useService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const upstream = useService();
let flags: Flags;
const relays: TestRelay[] = [];

beforeAll(() => {
  flags = new Flags(upstream);
});

afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.close();
});

async function relayOf(
  ...[options, more]: [Parameters<typeof startTestRelay>[1]?, Parameters<typeof startTestRelay>[2]?]
) {
  const relay = await startTestRelay(upstream.url, { tokens: [CLIENT_TOKEN], ...options }, more);
  relays.push(relay);
  return relay;
}

const setMode = (fetchMode: string | null) => flags.call('updateEnvironment', { name: 'development' }, { fetchMode });

/** Each list is that of another SDK: one that was asked is left alone. */
let sdks = 0;

async function list({ url }: TestRelay) {
  const headers = {
    authorization: CLIENT_TOKEN,
    'unleash-client-spec': '5.2.0',
    'unleash-connection-id': `sdk-${++sdks}`,
  };
  const answer = await fetch(`${url}/api/client/features`, { headers });
  return { mode: answer.headers.get('fetch-mode'), text: await answer.text() };
}

async function streaming({ url }: TestRelay): Promise<number> {
  const answer = await fetch(`${url}/ready`);
  return ((await answer.json()) as { upstream: { streaming: number } }).upstream.streaming;
}

async function untilServed(relay: TestRelay, name: string): Promise<void> {
  await until(
    () => list(relay),
    ({ text }) => text.includes(`"${name}"`),
  );
}

describe.each([
  ['polls by its option', false],
  ['would stream', true],
])('a relay that %s', (_, isStreaming) => {
  it('opens a stream when upstream asks for it, polls when upstream asks for that, and misses no change', async () => {
    await setMode(isStreaming ? 'polling' : null);
    const relay = await relayOf({ isStreaming });
    await untilServed(relay, await flags.create());
    await until(
      () => streaming(relay),
      (count) => count === 0,
    );
    await setMode('streaming');
    await untilServed(relay, await flags.create());
    await until(
      () => streaming(relay),
      (count) => count === 1,
    );
    await untilServed(relay, await flags.create());
    await setMode('polling');
    await until(
      () => streaming(relay),
      (count) => count === 0,
    );
    await untilServed(relay, await flags.create());
  });
});

describe('a relay with FETCH_MODE', () => {
  it('moves unleash-client, unmodified, to its streams', async () => {
    await setMode(null);
    const relay = await relayOf({}, { env: { FETCH_MODE: 'streaming' } });
    const sdk = new Unleash({
      skipInstanceCountWarning: true,
      url: `${relay.url}/api`,
      appName: 'behind-a-relay',
      customHeaders: { Authorization: CLIENT_TOKEN },
      refreshInterval: 50,
      disableMetrics: true,
      storageProvider: { set: async () => {}, get: async () => undefined },
    });
    try {
      await once(sdk, UnleashEvents.Synchronized);
      for (const name of [await flags.create(), await flags.create()])
        while (sdk.getFeatureToggleDefinition(name) === undefined) await once(sdk, UnleashEvents.Changed);
      expect(relay.running.services.http().streams).toBe(1);
    } finally {
      endSdk(sdk);
    }
  });

  it('asks its own SDKs, whatever upstream asks for', async () => {
    await setMode('polling');
    const relay = await relayOf({}, { env: { FETCH_MODE: 'streaming' } });
    await untilServed(relay, await flags.create());
    expect((await list(relay)).mode).toBe('streaming');
    const back = await relayOf({}, { env: { FETCH_MODE: 'polling' } });
    await untilServed(back, await flags.create());
    expect((await list(back)).mode).toBe(null);
    const stream = await EventStream.open(`${back.url}/api/client/streaming`, { authorization: CLIENT_TOKEN });
    await stream.until(() => stream.events.length === 2);
    stream.close();
    expect(stream.events.map(({ event }) => event)).toEqual(['unleash-connected', 'fetch-mode']);
    expect(stream.last).toMatchObject({ id: '', data: 'polling' });
  });
});
