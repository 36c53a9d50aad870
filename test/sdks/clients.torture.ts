import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { OpenFeature as OpenFeatureWeb } from '@openfeature/web-sdk';
import { createApp } from '@unleash/proxy';
import { Unleash as Unleash6 } from 'unleash-client';
import { Unleash as Unleash3 } from 'unleash-client-3';
import { Unleash as Unleash4 } from 'unleash-client-4';
import { Unleash as Unleash5 } from 'unleash-client-5';
import { UnleashClient } from 'unleash-proxy-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../bench/support/free-port.ts';
import { Flags } from '../support/flags.ts';
import { BurgeeProcess } from '../support/programs/burgee-process.ts';
import { endSdk } from '../support/programs/end-sdk.ts';
import { ADMIN_TOKEN, serviceAt, type TestService } from '../support/service.ts';

const DEVELOPMENT = { environment: 'development' };

/** Users of browsers: each browser client has one. */
const USERS = ['1', '2'] as const;
type User = (typeof USERS)[number];

/** An unmodified client, as an application calls it. */
interface Client {
  readonly name: string;
  isOn(flag: string, userId: User): boolean | Promise<boolean>;
  variantOf(flag: string, userId: User): string | undefined | Promise<string | undefined>;
  /** Whether it keeps its last answers while the service is stopped, and after its token was revoked. */
  readonly remembers: boolean;
  /** The name of the application in its reports; null when it sends none. */
  readonly reportsAs: string | null;
  stop(): unknown;
}

interface Tokens {
  readonly client: string;
  readonly frontend: string;
}

let directory: string;
let burgee: BurgeeProcess;
let service: Pick<TestService, 'url' | 'call'>;
let flags: Flags;
let tokens: Tokens;
const clients: Client[] = [];

beforeAll(async () => {
  // The clients log every failed request, and many requests fail here on purpose.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  directory = await mkdtemp(join(tmpdir(), 'burgee-clients-'));
  await start(String(await freePort()));
  tokens = { client: await createToken('client'), frontend: await createToken('frontend') };
  const { url } = service;
  for (const [name, Unleash, experimentalMode] of SERVER_SDKS)
    clients.push(await serverClient(name, Unleash, url, experimentalMode));
  clients.push(await browserClient('unleash-proxy-client', `${url}/api/frontend`, tokens.frontend));
  clients.push(await clientOfProxy(url), await openFeatureClient(url), await openFeatureWebClient(url));
});

afterAll(async () => {
  vi.restoreAllMocks();
  for (const client of clients) await client.stop();
  await burgee.stop();
  await rm(directory, { recursive: true, force: true });
});

/** A separate process, so that it ends as in production: with all connections and the port. */
async function start(port: string): Promise<void> {
  burgee = new BurgeeProcess({
    HTTP_PORT: port,
    DATA_DIR: directory,
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    UNLEASH_DEFAULT_ADMIN_PASSWORD: 'password of nobody here',
  });
  service = serviceAt(await burgee.url());
  flags = new Flags(service as TestService);
}

async function stop(): Promise<void> {
  burgee.process.kill('SIGTERM');
  expect(await burgee.exited).toBe(0);
}

async function createToken(type: 'client' | 'frontend'): Promise<string> {
  const body = { tokenName: `clients-${type}`, type, environment: 'development', projects: ['*'] };
  return (await flags.call('createApiToken', {}, body)).body.secret;
}

/** The common interface of all major versions. */
type UnleashClass = new (
  options: Readonly<Record<string, unknown>> & { readonly url: string; readonly appName: string },
) => {
  isEnabled(name: string, context: { readonly userId: string }): boolean;
  getVariant(name: string, context: { readonly userId: string }): { readonly name: string; readonly enabled: boolean };
  destroy(): void;
  on(event: string, listener: () => void): unknown;
  setExperimentalMode(mode: 'streaming'): Promise<void>;
};

const SERVER_SDKS = [
  ['unleash-client 3', Unleash3],
  ['unleash-client 4', Unleash4],
  ['unleash-client 5', Unleash5],
  ['unleash-client 6', Unleash6],
  ['unleash-client 6 with deltas', Unleash6, { type: 'polling', format: 'delta' }],
  ['unleash-client 6 with a stream', Unleash6, { type: 'streaming' }],
] as unknown as readonly (readonly [string, UnleashClass, object?])[];

/** Names of applications have no spaces. */
const applicationOf = (name: string) => name.replace(/\W+/g, '-');

async function serverClient(
  name: string,
  Unleash: UnleashClass,
  url: string,
  experimentalMode?: object,
): Promise<Client> {
  const appName = applicationOf(name);
  const client = new Unleash({
    url: `${url}/api`,
    appName,
    backupPath: directory,
    experimentalMode,
    refreshInterval: 50,
    metricsInterval: 200,
    customHeaders: { Authorization: tokens.client },
  });
  client.on('error', () => {});
  client.on('warn', () => {});
  if (experimentalMode && 'type' in experimentalMode && experimentalMode.type === 'streaming')
    streamAgain = () => client.setExperimentalMode('streaming');
  await new Promise<void>((resolve) => client.on('synchronized', resolve));
  return {
    name,
    remembers: true,
    reportsAs: appName,
    isOn: (flag, userId) => client.isEnabled(flag, { userId }),
    variantOf: (flag, userId) => client.getVariant(flag, { userId }).name,
    stop: () => endSdk(client),
  };
}

/** One client per user: the context of a browser has one user. */
async function browserClient(name: string, url: string, clientKey: string): Promise<Client> {
  const started = new Map<User, UnleashClient>();
  const appName = applicationOf(name);
  for (const userId of USERS) {
    const client = new UnleashClient({
      url,
      clientKey,
      appName,
      refreshInterval: 0.1,
      metricsInterval: 0.2,
      metricsIntervalInitial: 0.2,
      fetch,
      context: { userId },
      storageProvider: { save: async () => {}, get: async () => undefined },
    });
    client.on('error', () => {});
    await client.start();
    started.set(userId, client);
  }
  const of = (userId: User) => started.get(userId) as UnleashClient;
  return {
    name,
    remembers: true,
    reportsAs: appName,
    isOn: (flag, userId) => of(userId).isEnabled(flag),
    variantOf: (flag, userId) => of(userId).getVariant(flag).name,
    stop: () => started.forEach((client) => void client.stop()),
  };
}

/** A browser client whose requests go through the proxy of Unleash, which polls the service. */
async function clientOfProxy(unleashUrl: string): Promise<Client> {
  const app = createApp({
    unleashUrl: `${unleashUrl}/api`,
    unleashApiToken: tokens.client,
    clientKeys: ['key-of-the-proxy'],
    refreshInterval: 50,
    metricsInterval: 200,
    clientMode: 'new',
    unleashAppName: 'the-proxy',
    storageProvider: { set: async () => {}, get: async () => undefined },
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, fatal: () => {} },
  });
  const proxy: Server = createServer(app).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/proxy`;
  // Until its first poll it answers that clients must try again later.
  while ((await fetch(`${url}/health`)).status !== 200) await wait(25);
  const client = await browserClient('@unleash/proxy', url, 'key-of-the-proxy');
  const stop = async () => {
    await client.stop();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  };
  // It sends reports of browsers under its own name.
  return { ...client, reportsAs: 'the-proxy', stop };
}

/** The server SDK sends a request for each evaluation, so it has no answers while the service is stopped. */
async function openFeatureClient(baseUrl: string): Promise<Client> {
  const provider = new OFREPProvider({ baseUrl, headers: [['authorization', `Bearer ${tokens.frontend}`]] });
  await OpenFeature.setProviderAndWait(provider);
  const client = OpenFeature.getClient();
  return {
    name: 'OpenFeature on servers',
    remembers: false,
    reportsAs: null,
    isOn: (flag, targetingKey) => client.getBooleanValue(flag, false, { targetingKey }),
    variantOf: async (flag, targetingKey) => (await client.getBooleanDetails(flag, false, { targetingKey })).variant,
    stop: () => OpenFeature.close(),
  };
}

async function openFeatureWebClient(baseUrl: string): Promise<Client> {
  for (const targetingKey of USERS) {
    const options = { baseUrl, headers: [['x-api-key', tokens.frontend]] as [string, string][] };
    const provider = new OFREPWebProvider({ ...options, pollInterval: 100, cacheMode: 'disabled' });
    await OpenFeatureWeb.setProviderAndWait(`user ${targetingKey}`, provider, { targetingKey });
  }
  const of = (userId: User) => OpenFeatureWeb.getClient(`user ${userId}`);
  return {
    name: 'OpenFeature in browsers',
    remembers: true,
    reportsAs: null,
    isOn: (flag, userId) => of(userId).getBooleanValue(flag, false),
    variantOf: (flag, userId) => of(userId).getBooleanDetails(flag, false).variant,
    stop: () => OpenFeatureWeb.close(),
  };
}

/** Waits until the condition holds for all of them: each gets updates at its own time. */
async function everyClient(isSo: (client: Client) => boolean | Promise<boolean>, which = clients): Promise<void> {
  let others: readonly Client[] = which;
  while (others.length > 0) {
    const seen = await Promise.all(others.map((client) => isSo(client)));
    others = others.filter((_, index) => !seen[index]);
    waitedFor = others.map(({ name }) => name);
    if (others.length > 0) await wait(25);
  }
}

/** The clients that a test still waits for, to find the reason of a timeout. */
let waitedFor: readonly string[] = [];

async function namesOf(isSo: (client: Client) => boolean | Promise<boolean>): Promise<string[]> {
  const seen = await Promise.all(clients.map((client) => isSo(client)));
  return clients.filter((_, index) => seen[index]).map(({ name }) => name);
}

/** Does nothing while the SDK has a stream. After five failures within a minute, as on a busy machine, it polls until it is asked to stream again. */
let streamAgain: () => Promise<void>;

/** The number of open streams. */
async function streams(): Promise<number> {
  const page = await (await fetch(`${service.url}/internal-backstage/prometheus`)).text();
  return Number(/^burgee_streams (\d+)$/m.exec(page)?.[1]);
}

describe('unmodified clients, all on one service', () => {
  const all = () => clients.map(({ name }) => name);
  const whoRemember = () => clients.filter(({ remembers }) => remembers).map(({ name }) => name);
  let featureName: string;
  let segment: number;
  const target = () => ({ featureName, ...DEVELOPMENT });
  const users = (...values: readonly string[]) => [{ contextName: 'userId', operator: 'IN', values }];

  it('see a flag that was created and switched on, for the users of its segment', async () => {
    featureName = await flags.create();
    const body = { name: flags.name('segment'), constraints: users('1') };
    segment = (await flags.call('createSegment', {}, body)).body.id;
    await flags.call('addFeatureStrategy', target(), { name: 'default', segments: [segment] });
    await flags.call('toggleFeatureEnvironmentOn', target());
    await everyClient((client) => client.isOn(featureName, '1'));
    expect(await namesOf((client) => client.isOn(featureName, '2'))).toEqual([]);
  });

  it('see a variant of the strategy, or of the flag in clients without strategy variants', async () => {
    const [{ id }] = (await flags.environment(featureName)).strategies;
    const variant = (name: string) => ({ name, weight: 1000, weightType: 'variable', stickiness: 'default' });
    await flags.call('overwriteFeatureVariants', { featureName }, [variant('green')]);
    const body = { name: 'default', segments: [segment], variants: [variant('blue')] };
    await flags.call('updateFeatureStrategy', { ...target(), strategyId: id }, body);
    const isOlder = ({ name }: Client) => name === 'unleash-client 3';
    await everyClient(
      async (client) => (await client.variantOf(featureName, '1')) === (isOlder(client) ? 'green' : 'blue'),
    );
    expect(await namesOf((client) => client.isOn(featureName, '1'))).toEqual(all());
  });

  it('report their use', async () => {
    const seen = async () => {
      await namesOf((client) => client.isOn(featureName, '1'));
      return (await flags.call('getFeatureUsageSummary', { name: featureName })).body.seenApplications as string[];
    };
    const applications = clients.flatMap(({ reportsAs }) => reportsAs ?? []);
    expect(applications).toHaveLength(clients.length - 2);
    for (let missing = applications; missing.length > 0; ) {
      const reported = await seen();
      missing = applications.filter((name) => !reported.includes(name));
      waitedFor = missing;
      if (missing.length > 0) await wait(25);
    }
  });

  it('see a changed segment', async () => {
    const body = { name: flags.name('segment'), constraints: users('2') };
    await flags.call('updateSegment', { id: segment }, body);
    await everyClient((client) => client.isOn(featureName, '2'));
    await everyClient(async (client) => !(await client.isOn(featureName, '1')));
  });

  it('keep their answers while the service is stopped, and follow it in the same mode after its restart', async () => {
    const { port } = new URL(service.url);
    expect(await streams()).toBe(1);
    await stop();
    expect(await namesOf((client) => client.isOn(featureName, '2'))).toEqual(whoRemember());
    await start(port);
    await everyClient((client) => client.isOn(featureName, '2'));
    await flags.call('toggleFeatureEnvironmentOff', target());
    await everyClient(async (client) => !(await client.isOn(featureName, '2')));
    await flags.call('toggleFeatureEnvironmentOn', target());
    await everyClient((client) => client.isOn(featureName, '2'));
    // An SDK with a stream opens it again: it would also get the change by polling.
    await streamAgain();
    while ((await streams()) !== 1) await wait(25);
  });

  it('see that a flag was archived', async () => {
    await flags.call('archiveFeature', { featureName });
    await everyClient(async (client) => !(await client.isOn(featureName, '2')));
  });

  it('keep their answers when their token is revoked, and get no more changes', async () => {
    await flags.call('reviveFeature', { featureName });
    await flags.call('toggleFeatureEnvironmentOn', target());
    await everyClient((client) => client.isOn(featureName, '2'));
    for (const token of [tokens.client, tokens.frontend]) await flags.call('deleteApiToken', { token });
    // A stream is closed at its next check, and gets changes until then.
    while ((await streams()) > 0) await wait(25);
    await flags.call('archiveFeature', { featureName });
    // Time for several polls of each client: a 401 must not be read as an empty list.
    await wait(500);
    expect(await namesOf((client) => client.isOn(featureName, '2'))).toEqual(whoRemember());
    const details = await OpenFeature.getClient().getBooleanDetails(featureName, true, { targetingKey: '2' });
    expect(details).toMatchObject({ value: true, reason: 'ERROR', errorCode: 'GENERAL' });
    expect(waitedFor).toEqual([]);
  });
});
