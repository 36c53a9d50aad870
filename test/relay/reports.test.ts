import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fault, FaultyProxy } from '../support/faulty-proxy.ts';
import { startTestRelay, type TestRelay } from '../support/relay.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const FAULTS = ['lose-answer', 'status-500', 'cut', 'hang'] as const satisfies readonly Fault[];

let upstream: TestService;
let proxy: FaultyProxy;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  upstream = await startTestService();
  proxy = await FaultyProxy.before(upstream.url);
  for (const name of ['a', 'c', 'd', ...FAULTS]) {
    await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name } });
  }
});

afterAll(async () => {
  proxy.fault = 'none';
  for (const close of closing.reverse()) await close();
  await proxy.close();
  await upstream.close();
});

async function relayOf(...given: Parameters<typeof startTestRelay>): Promise<TestRelay> {
  const relay = await startTestRelay(given[0], { tokens: [CLIENT_TOKEN], timeoutMs: 500, ...given[1] }, given[2]);
  closing.push(() => relay.close());
  return relay;
}

async function report(relay: TestRelay, flag: string, yes: number, token = CLIENT_TOKEN): Promise<number> {
  const now = new Date().toISOString();
  const path = token === FRONTEND_TOKEN ? '/api/frontend/client/metrics' : '/api/client/metrics';
  const answer = await fetch(relay.url + path, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({
      appName: 'shop',
      instanceId: 'one',
      bucket: { start: now, stop: now, toggles: { [flag]: { yes, no: 1, variants: {} } } },
    }),
  });
  return answer.status;
}

/** What upstream has counted of a flag. */
async function counted(name: string): Promise<{ yes: number; no: number }> {
  await upstream.running.services.useRecorder.flush();
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

it('registrations reach upstream with the relay that they came through', async () => {
  const relay = await relayOf(proxy.url);
  const send = () =>
    fetch(`${relay.url}/api/client/register`, {
      method: 'POST',
      headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ appName: 'till', instanceId: 'two', sdkVersion: 'unleash-client-node:6.12.1' },
        ...{ strategies: ['default'], started: new Date().toISOString(), interval: 15_000 },
      }),
    });
  await until(
    async () => (await send()).status,
    (status) => status === 202,
  );
  await until(
    async () => {
      await upstream.running.services.useRecorder.flush();
      return [...upstream.running.services.state.values('applications')].map(({ appName }) => appName);
    },
    (names) => names.includes('till'),
  );
});

it.each(FAULTS)('what upstream does not acknowledge is told again, and counted once: %s', async (fault) => {
  const relay = await relayOf(proxy.url, { metricsMs: 150 });
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
    () => relay.relay.status().reports.parcels,
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

it('what could not be told before a stop is told by the next process', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'burgee-relay-'));
  closing.push(() => rm(directory, { recursive: true, force: true }));
  const first = await startTestRelay(proxy.url, { tokens: [CLIENT_TOKEN], timeoutMs: 300 }, { directory });
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

it('through two relays they arrive once, as do the flags', async () => {
  const near = await relayOf(upstream.url);
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
