import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Logger, silentLogger } from '../../../src/base/logger.ts';
import { systemCaller } from '../../../src/model/caller.ts';
import { mirrorTokens } from '../../../src/products/mirror/mirror-tokens.ts';
import { type Fault, FaultyProxy } from '../../support/http/faulty-proxy.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const FAULTS = ['lose-answer', 'status-500', 'cut', 'hang', 'status-429'] as const satisfies readonly Fault[];

let upstream: TestService;
let proxy: FaultyProxy;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  upstream = await startTestService();
  proxy = await FaultyProxy.before(upstream.url);
  for (const name of ['a', 'c', 'd', 'endless', ...FAULTS]) {
    await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name } });
  }
});

// At the end of each test: a relay asks upstream again and again until it is closed.
afterEach(async () => {
  proxy.fault = 'none';
  for (const close of closing.splice(0).reverse()) await close();
});

afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

async function relayOf(...args: Parameters<typeof startTestRelay>): Promise<TestRelay> {
  const relay = await startTestRelay(args[0], { tokens: [CLIENT_TOKEN], ...args[1] }, args[2]);
  closing.push(() => relay.close());
  return relay;
}

/** Waits until the relay is ready. Before that, it refuses the token of a relay behind it, which asks again ten seconds later. */
async function readyRelayOf(url: string): Promise<TestRelay> {
  const relay = await relayOf(url);
  await until(
    async () => (await fetch(`${relay.url}/ready`)).status,
    (status) => status === 200,
  );
  return relay;
}

async function report(
  relay: TestRelay,
  flag: string,
  yes: number,
  token = CLIENT_TOKEN,
  impactMetrics: readonly object[] = [],
): Promise<number> {
  const now = new Date().toISOString();
  const path = token === FRONTEND_TOKEN ? '/api/frontend/client/metrics' : '/api/client/metrics';
  const answer = await fetch(relay.url + path, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({
      appName: 'shop',
      instanceId: 'one',
      bucket: { start: now, stop: now, toggles: { [flag]: { yes, no: 1, variants: {} } } },
      impactMetrics,
    }),
  });
  return answer.status;
}

/** The evaluations of a flag that upstream has counted. */
async function counted(name: string): Promise<{ yes: number; no: number }> {
  await upstream.running.services.reportRecorder.flush();
  const { body } = await upstream.call('getRawFeatureMetrics', { params: { name } });
  const sum = (key: 'yes' | 'no') =>
    body.data.reduce((all: number, each: Record<string, number>) => all + (each[key] ?? 0), 0);
  return { yes: sum('yes'), no: sum('no') };
}

it('reports of servers and of browsers reach upstream, summed up', async () => {
  const relay = await relayOf(proxy.url);
  await until(
    () => report(relay, 'a', 2),
    (status) => status === 202,
  );
  expect(await report(relay, 'a', 3)).toBe(202);
  expect(await report(relay, 'a', 5, FRONTEND_TOKEN)).toBe(200);
  expect(
    await until(
      () => counted('a'),
      ({ yes }) => yes >= 10,
    ),
  ).toEqual({ yes: 10, no: 3 });
});

it('sends the impact metrics of applications to upstream, and only upstream exposes them', async () => {
  const relay = await readyRelayOf(proxy.url);
  const far = await relayOf(relay.url);
  const buckets = [
    { le: 1, count: 2 },
    { le: '+Inf', count: 3 },
  ];
  const measured = (value: number) => [
    { name: 'sold', help: 'of sold', type: 'counter', samples: [{ labels: { shelf: 'a' }, value }] },
    { name: 'stock', help: 'of stock', type: 'gauge', samples: [{ labels: {}, value }] },
    { name: 'took', help: 'of took', type: 'histogram', samples: [{ labels: {}, count: 3, sum: 4.5, buckets }] },
  ];
  await until(
    () => report(relay, 'a', 0),
    (status) => status === 202,
  );
  await until(
    () => report(far, 'a', 0),
    (status) => status === 202,
  );
  await report(relay, 'a', 0, CLIENT_TOKEN, measured(2));
  await report(far, 'a', 0, CLIENT_TOKEN, measured(3));
  await report(relay, 'a', 0, FRONTEND_TOKEN, measured(5));
  const page = async ({ url }: { url: string }) =>
    (await (await fetch(`${url}/internal-backstage/prometheus`)).text())
      .split('\n')
      .filter((line) => /^unleash_(counter|gauge|histogram)_/.test(line));
  const of = (name: string, more = '') => `unleash_${name}{appName="shop",environment="development"${more}}`;
  const lines = await until(
    () => page(upstream),
    (all) =>
      all.includes(`${of('counter_sold', ',shelf="a"')} 5`) &&
      all.includes(`${of('counter_sold', ',origin="browser",shelf="a"')} 5`),
  );
  expect(lines).toContain(`${of('histogram_took_count')} 6`);
  expect(lines).toContain(`${of('histogram_took_bucket', ',le="1"')} 4`);
  expect(lines).toContain(`${of('gauge_stock')} 3`);
  expect([await page(relay), await page(far)]).toEqual([[], []]);
});

it('exposes to Prometheus which flags are used and which SDKs registered, as Edge does', async () => {
  const relay = await relayOf(proxy.url);
  const headers = { authorization: CLIENT_TOKEN, 'content-type': 'application/json' };
  const sdkVersion = 'unleash-node-sdk:6.12.1';
  const body = JSON.stringify({
    appName: 'shop',
    strategies: [],
    started: new Date().toISOString(),
    interval: 1,
    sdkVersion,
  });
  await until(
    async () => (await fetch(`${relay.url}/api/client/register`, { method: 'POST', headers, body })).status,
    (status) => status === 202,
  );
  await report(relay, 'a', 3);
  await report(relay, 'a', 4);
  await report(relay, 'no-flag-of-anybody', 5);
  const page = async () => (await (await fetch(`${relay.url}/internal-backstage/metrics`)).text()).split('\n');
  const of = (active: boolean) =>
    `feature_toggle_usage_total{toggle="a",active="${active}",appName="shop",environment="development"}`;
  const lines = await until(page, (all) => all.includes(`${of(true)} 7`));
  expect(lines).toContain(`${of(false)} 2`);
  expect(lines).toContain('client_sdk_versions{sdk_name="unleash-node-sdk",sdk_version="6.12.1"} 1');
  expect(lines.join()).not.toContain('no-flag-of-anybody');
});

it('counts the reports of a token of several projects, although no client token sees all of them', async () => {
  const [ours, theirs, both] = ['left:production.ours', 'right:production.theirs', '[]:production.both'] as const;
  for (const id of ['left', 'right']) {
    await upstream.call('createProject', { body: { id, name: id } });
    await upstream.call('createFeature', { params: { projectId: id }, body: { name: `of-${id}` } });
  }
  const about = { environment: 'production' };
  const tokens = [
    { ...about, secret: ours, type: 'client' as const, projects: ['left'] },
    { ...about, secret: theirs, type: 'client' as const, projects: ['right'] },
    { ...about, secret: both, type: 'frontend' as const, projects: ['left', 'right'] },
  ];
  await upstream.running.services.writer.submit(mirrorTokens, { tokens, gone: [] }, systemCaller());
  const relay = await relayOf(upstream.url, { tokens: [ours, theirs] });
  await until(
    () => relay.relay.obstacle,
    (obstacle) => obstacle === null,
  );
  const now = new Date().toISOString();
  const use = { yes: 3, no: 1, variants: {} };
  const toggles = { 'of-left': use, 'of-right': use, 'of-nobody': use, a: use };
  const answer = await fetch(`${relay.url}/api/frontend/client/metrics`, {
    method: 'POST',
    headers: { authorization: both, 'content-type': 'application/json' },
    body: JSON.stringify({ appName: 'shop', instanceId: 'one', bucket: { start: now, stop: now, toggles } }),
  });
  expect(answer.status).toBe(200);
  for (const name of ['of-left', 'of-right']) {
    const sum = await until(
      () => counted(name),
      ({ yes }) => yes > 0,
    );
    expect(sum).toEqual({ yes: 3, no: 1 });
  }
});

it('reports whose token was deleted do not block other reports', async () => {
  const token = 'default:production.soon-gone';
  const tokens = [{ secret: token, type: 'client' as const, environment: 'production', projects: ['default'] }];
  await upstream.running.services.writer.submit(mirrorTokens, { tokens, gone: [] }, systemCaller());
  const relay = await relayOf(proxy.url, { tokens: [CLIENT_TOKEN, token], revalidateMs: 200 });
  await until(
    () => report(relay, 'held', 0, token),
    (status) => status === 202,
  );
  proxy.path = '/api/client/metrics';
  proxy.fault = 'status-500';
  await report(relay, 'held', 1, token);
  await until(
    () => relay.relay.status().reports.batches,
    (count) => count > 0,
  );
  await upstream.call('deleteApiToken', { params: { token } });
  await until(
    () => relay.relay.status().scopes,
    (count) => count === 1,
  );
  // Upstream does not count reports of a flag that does not exist yet.
  await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name: 'after' } });
  await report(relay, 'after', 4);
  proxy.fault = 'none';
  proxy.path = '/';
  await until(
    () => counted('after'),
    ({ yes }) => yes === 4,
  );
});

it('warns once of an outage of upstream, and again of the next one', async () => {
  const warnings: string[] = [];
  const logger = { ...silentLogger, child: () => logger, warn: (_: object, text: string) => void warnings.push(text) };
  const relay = await relayOf(proxy.url, {}, { logger: logger as unknown as Logger });
  await until(
    () => report(relay, 'a', 0),
    (status) => status === 202,
  );
  const outages = () => warnings.filter((text) => text === 'reports wait for upstream').length;
  for (const expected of [1, 2]) {
    const failed = proxy.count('POST', '/api/client/metrics/bulk') + 5;
    proxy.path = '/api/client/metrics';
    proxy.fault = 'status-500';
    await report(relay, 'a', 1);
    await until(
      () => proxy.count('POST', '/api/client/metrics/bulk'),
      (count) => count >= failed,
    );
    expect(outages()).toBe(expected);
    proxy.fault = 'none';
    proxy.path = '/';
    await until(
      () => relay.relay.status().reports.batches,
      (count) => count === 0,
    );
  }
});

it('an upstream whose answer never ends does not block a stop, and no report is lost', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'burgee-relay-'));
  closing.push(() => rm(directory, { recursive: true, force: true }));
  const first = await startTestRelay(proxy.url, { tokens: [CLIENT_TOKEN] }, { directory });
  await until(
    () => report(first, 'endless', 1),
    (status) => status === 202,
  );
  await until(
    () => counted('endless'),
    ({ yes }) => yes === 1,
  );
  // Upstream counts the report before the relay receives the answer.
  await until(
    () => first.relay.status().reports.batches,
    (count) => count === 0,
  );
  proxy.path = '/api/client/metrics';
  proxy.fault = 'endless';
  await report(first, 'endless', 6);
  await until(
    () => first.relay.status().reports.batches,
    (count) => count > 0,
  );
  await report(first, 'endless', 7);
  await first.running.close();
  proxy.fault = 'none';
  proxy.path = '/';
  const kept = JSON.parse(await readFile(join(directory, 'unsent-reports.json'), 'utf8'));
  const stored = kept.parcels.flatMap(({ body }: { body: string }) => JSON.parse(body).metrics);
  expect(stored.map(({ yes }: { yes: number }) => yes).sort()).toEqual([6, 7]);
});

it('registrations of applications reach upstream through the relay', async () => {
  const relay = await relayOf(proxy.url);
  const send = () =>
    fetch(`${relay.url}/api/client/register`, {
      method: 'POST',
      headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({
        appName: 'till',
        instanceId: 'two',
        sdkVersion: 'unleash-client-node:6.12.1',
        strategies: ['default'],
        started: new Date().toISOString(),
        interval: 15_000,
      }),
    });
  await until(
    async () => (await send()).status,
    (status) => status === 202,
  );
  await until(
    async () => {
      await upstream.running.services.reportRecorder.flush();
      return [...upstream.running.services.state.values('applications')].map(({ appName }) => appName);
    },
    (names) => names.includes('till'),
  );
});

it.each(FAULTS)('reports that upstream does not acknowledge are sent again, and counted once: %s', async (fault) => {
  const relay = await relayOf(proxy.url, { metricsMs: 150, ...(fault === 'hang' && { timeoutMs: 500 }) });
  await until(
    () => report(relay, fault, 0),
    (status) => status === 202,
  );
  await until(
    () => counted(fault),
    ({ no }) => no === 1,
  );
  proxy.path = '/api/client/metrics';
  proxy.fault = fault;
  await report(relay, fault, 7);
  await until(
    () => relay.relay.status().reports.batches,
    (count) => count > 0,
  );
  await report(relay, fault, 4);
  proxy.fault = 'none';
  await until(
    () => counted(fault),
    ({ yes }) => yes >= 11,
  );
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await counted(fault)).toEqual({ yes: 11, no: 3 });
  proxy.path = '/';
});

it('reports that could not be sent before a stop are sent by the next process', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'burgee-relay-'));
  closing.push(() => rm(directory, { recursive: true, force: true }));
  const first = await startTestRelay(proxy.url, { tokens: [CLIENT_TOKEN] }, { directory });
  await until(
    () => report(first, 'c', 1),
    (status) => status === 202,
  );
  await until(
    () => counted('c'),
    ({ yes }) => yes >= 1,
  );
  proxy.fault = 'status-500';
  await report(first, 'c', 6);
  await first.running.close();
  expect(await readdir(directory)).toContain('unsent-reports.json');
  proxy.fault = 'none';
  await relayOf(proxy.url, {}, { directory });
  await until(
    () => counted('c'),
    ({ yes }) => yes >= 7,
  );
  expect((await counted('c')).yes).toBe(7);
});

it('reports and flags pass through two relays, and the reports are counted once', async () => {
  const near = await readyRelayOf(upstream.url);
  const far = await relayOf(near.url);
  await until(
    () => report(far, 'd', 3),
    (status) => status === 202,
  );
  await until(
    () => counted('d'),
    ({ yes }) => yes >= 3,
  );
  expect(await counted('d')).toEqual({ yes: 3, no: 1 });
  const list = async ({ url }: { url: string }) => {
    const headers = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0' };
    const answer = await fetch(`${url}/api/client/features`, { headers });
    const { features, segments } = JSON.parse(await answer.text());
    return { features, segments };
  };
  expect(await list(far)).toEqual(await list(upstream));
});
