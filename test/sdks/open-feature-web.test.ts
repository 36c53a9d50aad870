import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature as Server } from '@openfeature/server-sdk';
import { ProviderEvents, OpenFeature as Web } from '@openfeature/web-sdk';
import { EventSource } from 'eventsource';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { Flags, is } from '../support/flags.ts';
import { startTestRelay } from '../support/relay.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, useService } from '../support/service.ts';

const DEVELOPMENT = { environment: 'development' };
const DAY_MS = 24 * 60 * 60 * 1_000;
const HEADERS: [string, string][] = [['authorization', FRONTEND_TOKEN]];
const KEPT = Object.getOwnPropertyDescriptor(globalThis, 'EventSource');

let aheadMs = 0;
const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
const service = useService(() => ({ clock }));
let flags: Flags;

beforeAll(() => {
  // Browsers have it; Node 20 does not.
  Object.defineProperty(globalThis, 'EventSource', { configurable: true, value: EventSource });
  flags = new Flags(service);
});

afterEach(() => Web.close());

afterAll(async () => {
  await Server.close();
  if (KEPT) Object.defineProperty(globalThis, 'EventSource', KEPT);
  else Reflect.deleteProperty(globalThis, 'EventSource');
});

const turn = (featureName: string, on: boolean, target = flags) =>
  target.call(`toggleFeatureEnvironment${on ? 'On' : 'Off'}`, { featureName, ...DEVELOPMENT });

/** The client of an application in a browser, with the provider's default options: it does not poll. */
async function webClient(baseUrl: string) {
  await Web.setProviderAndWait(new OFREPWebProvider({ baseUrl, headers: HEADERS }), { targetingKey: 'u' });
  return Web.getClient();
}

/** Resolves when the provider has reported a change and the flag has this value. */
async function untilValue(client: ReturnType<typeof Web.getClient>, flag: string, value: boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const check = () => {
      if (client.getBooleanValue(flag, !value) === value) resolve();
    };
    client.addHandler(ProviderEvents.ConfigurationChanged, check);
    check();
  });
}

function flagWithPayload(constraints: readonly object[] = []) {
  const payload = { type: 'string', value: 'red' };
  return flags.createFor(constraints, {
    variants: [{ name: 'only', weight: 1000, weightType: 'variable', stickiness: 'default', payload }],
  });
}

describe('OFREP’s provider for browsers, with its default options', () => {
  it('shows changes without polling', async () => {
    const name = await flags.createFor([]);
    const client = await webClient(service.url);
    expect(client.getBooleanValue(name, false)).toBe(true);
    await turn(name, false);
    await untilValue(client, name, false);
    await turn(name, true);
    await untilValue(client, name, true);
  });

  it('shows changes through a relay', async () => {
    const upstream = await startTestService();
    const relay = await startTestRelay(upstream.url, { isStreaming: true, tokens: [CLIENT_TOKEN] });
    const made = new Flags(upstream);
    const name = await made.createFor([]);
    const client = await webClient(relay.url);
    await untilValue(client, name, true);
    await turn(name, false, made);
    await untilValue(client, name, false);
    await relay.close();
    await upstream.close();
  });

  it('gets another address when the one that it has kept has ended, and then hears of changes', async () => {
    const name = await flags.createFor([]);
    const provider = new OFREPWebProvider({ baseUrl: service.url, headers: HEADERS });
    await Web.setProviderAndWait(provider, { targetingKey: 'u' });
    const client = Web.getClient();
    const manager = Reflect.get(provider, '_sseManager');
    const [kept] = manager.connectedUrls as Set<string>;
    aheadMs += 3 * DAY_MS;
    // As after a tab was in the background: the provider opens the address that it has.
    for (const connection of Reflect.get(manager, '_connections')) connection.close();
    Reflect.set(manager, '_connections', []);
    Reflect.get(manager, '_connectToUrl').call(manager, kept);
    await expect.poll(() => [...manager.connectedUrls][0] ?? kept, { timeout: 20_000 }).not.toBe(kept);
    await turn(name, false);
    await untilValue(client, name, false);
  });

  it('uses the default value for a flag with payloads that is off, without an error, and has the revision', async () => {
    const name = await flagWithPayload([is('userId', 'other')]);
    const client = await webClient(service.url);
    const details = client.getStringDetails(name, 'blue');
    expect(details).toMatchObject({ value: 'blue', variant: 'off', reason: 'DEFAULT' });
    expect(details.errorCode).toBeUndefined();
    expect(details.flagMetadata).toMatchObject({
      flagSetId: 'development',
      version: expect.stringMatching(/^\d+$/),
    });
    const off = await flags.create();
    await untilValue(client, off, false);
    expect(client.getBooleanDetails(off, true)).toMatchObject({ value: false, reason: 'DISABLED' });
  });
});

describe('OFREP’s provider for servers', () => {
  it('has values, metadata and, for a flag with payloads that is off, the default value', async () => {
    await Server.setProviderAndWait(new OFREPProvider({ baseUrl: service.url, headers: HEADERS }));
    const client = Server.getClient();
    const name = await flagWithPayload([is('userId', 'me')]);
    const on = await client.getStringDetails(name, 'blue', { targetingKey: 'me' });
    expect(on).toMatchObject({ value: 'red', flagMetadata: { flagSetId: 'development' } });
    expect((await client.getStringDetails(name, 'blue', { targetingKey: 'you' })).value).toBe('blue');
    const off = await flags.create();
    expect(await client.getBooleanDetails(off, true, {})).toMatchObject({ value: false, reason: 'DISABLED' });
  });
});
