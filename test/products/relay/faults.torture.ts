import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, FaultyProxy } from '../../support/http/faulty-proxy.ts';
import { startTestRelay, type TestRelay, type TestRelayOptions } from '../../support/relay.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const FAULTS: readonly Fault[] = [
  ...(['hang', 'cut', 'status-500', 'status-429', 'truncated-json', 'cut-body'] as const),
  ...(['html', 'other-json', 'empty'] as const),
];

let upstream: TestService;
let proxy: FaultyProxy;
const relays: TestRelay[] = [];
const folders: string[] = [];

async function relayOf(
  url: string,
  options: Parameters<typeof startTestRelay>[1] = {},
  more: TestRelayOptions = {},
): Promise<TestRelay> {
  const relay = await startTestRelay(url, { tokens: [CLIENT_TOKEN], timeoutMs: 400, ...options }, more);
  relays.push(relay);
  return relay;
}

beforeAll(async () => {
  upstream = await startTestService();
  proxy = await FaultyProxy.before(upstream.url);
  await addFlag('first');
});

afterAll(async () => {
  proxy.fault = 'none';
  for (const relay of relays) await relay.close();
  await proxy.close();
  await upstream.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function addFlag(name: string): Promise<void> {
  await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name } });
  const params = { projectId: 'default', featureName: name, environment: 'development' };
  await upstream.call('toggleFeatureEnvironmentOn', { params });
}

async function get(url: string, token = CLIENT_TOKEN) {
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  const answer = await fetch(url, { headers });
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    body: JSON.parse(await answer.text()),
  };
}

async function names(relay: { readonly url: string }): Promise<string[]> {
  const { status, body } = await get(`${relay.url}/api/client/features`);
  return status === 200 ? body.features.map(({ name }: { name: string }) => name) : [`status ${status}`];
}

async function toggles(relay: { readonly url: string }): Promise<string[]> {
  const { status, body } = await get(`${relay.url}/api/frontend`, FRONTEND_TOKEN);
  return status === 200 ? body.toggles.map(({ name }: { name: string }) => name) : [`status ${status}`];
}

/** Waits until the relay streams (if it should) and has no problem with upstream. */
const isFollowing = ({ relay }: TestRelay, isStreaming: boolean) =>
  until(
    () => relay.status(),
    ({ streaming, problem }) => streaming === Number(isStreaming) && problem === null,
    20_000,
  );

describe.each([
  ['asks for lists', false],
  ['reads a stream', true],
] as const)('a relay that %s, with an upstream that fails', (how, isStreaming) => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await relayOf(proxy.url, { isStreaming });
    for (const read of [names, toggles]) {
      await until(
        () => read(relay),
        (all) => all.includes('first'),
      );
    }
  });

  it.each(FAULTS)('serves its last data, reports the failure, and follows upstream again: %s', async (fault) => {
    await isFollowing(relay, isStreaming);
    proxy.fault = fault;
    const name = `${how.replaceAll(' ', '-')}-after-${fault}`;
    await addFlag(name);
    await until(
      () => relay.relay.status().failing,
      (count) => count === 1,
    );
    const before = await names(relay);
    expect(before).toContain('first');
    expect(before).not.toContain(name);
    const ready = await get(`${relay.url}/ready`);
    expect([ready.status, ready.body.upstream.failing]).toEqual([200, 1]);
    expect(ready.body.upstream.problem.message).toMatch(/\w/);
    const gauges = await (await fetch(`${relay.url}/internal-backstage/prometheus`)).text();
    expect(gauges).toContain('burgee_upstream_failing_scopes 1\n');
    const evaluated = await toggles(relay);
    expect(evaluated).toContain('first');
    expect(evaluated).not.toContain(name);
    proxy.fault = 'none';
    for (const read of [names, toggles]) {
      await until(
        () => read(relay),
        (all) => all.includes(name),
        20_000,
      );
    }
    await isFollowing(relay, isStreaming);
  });

  it.each(['hang', 'status-500', 'html', 'empty'] as const)(
    'answers 503 as long as it has no data, and never with an empty list: %s',
    async (fault) => {
      proxy.fault = fault;
      proxy.path = '/api/client';
      const fresh = await relayOf(proxy.url, { isStreaming });
      const response = await get(`${fresh.url}/api/client/features`);
      expect([response.status, response.body.name]).toEqual([503, 'ServiceUnavailableError']);
      expect(Number(response.retryAfter)).toBeGreaterThan(0);
      expect((await get(`${fresh.url}/ready`)).status).toBe(503);
      proxy.fault = 'none';
      proxy.path = '/';
      await until(
        () => names(fresh),
        (all) => all.includes('first'),
        20_000,
      );
      expect((await get(`${fresh.url}/ready`)).status).toBe(200);
    },
  );

  it('answers 503, never 401, when it cannot ask upstream about a token', async () => {
    proxy.fault = 'status-500';
    const response = await get(`${relay.url}/api/client/features`, '*:development.another');
    expect(response.status).toBe(503);
    proxy.fault = 'none';
    expect((await get(`${relay.url}/api/client/features`, '*:development.another')).status).toBe(401);
  });
});

describe('with an upstream that is slow', () => {
  afterEach(() => {
    proxy.delayMs = 0;
  });

  it('a relay follows while each answer arrives within the timeout', async () => {
    proxy.delayMs = 200;
    const relay = await relayOf(proxy.url, { timeoutMs: 5_000 });
    await until(
      () => names(relay),
      (all) => all.includes('first'),
    );
    await addFlag('slowly');
    await until(
      () => names(relay),
      (all) => all.includes('slowly'),
    );
    await isFollowing(relay, false);
  });

  it('a relay serves its last data when answers exceed the timeout, reports that, and follows again', async () => {
    const relay = await relayOf(proxy.url);
    for (const read of [names, toggles]) {
      await until(
        () => read(relay),
        (all) => all.includes('first'),
      );
    }
    proxy.delayMs = 1_000;
    const { problem } = await until(
      () => relay.relay.status(),
      ({ failing }) => failing === 1,
    );
    expect(problem?.message).toBe('no answer within 400 ms');
    await addFlag('too-slowly');
    for (const read of [names, toggles]) {
      const all = await read(relay);
      expect(all).toContain('first');
      expect(all).not.toContain('too-slowly');
    }
    proxy.delayMs = 0;
    await until(
      () => names(relay),
      (all) => all.includes('too-slowly'),
      20_000,
    );
    await isFollowing(relay, false);
  });

  it('a stream may start later than the timeout of an answer', async () => {
    const relay = await relayOf(proxy.url, { isStreaming: true });
    await isFollowing(relay, true);
    proxy.delayMs = 2_000;
    proxy.cutStreams();
    await addFlag('late');
    await until(
      () => names(relay),
      (all) => all.includes('late'),
      20_000,
    );
    await isFollowing(relay, true);
  });
});

it('a stop does not wait for a stream that upstream never starts', async () => {
  const relay = await startTestRelay(proxy.url, { tokens: [CLIENT_TOKEN], isStreaming: true });
  [proxy.path, proxy.fault] = ['/api/client/streaming', 'hang'];
  await until(
    () => names(relay),
    (all) => all.includes('first'),
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  const beginMs = performance.now();
  await relay.close();
  [proxy.path, proxy.fault] = ['/', 'none'];
  expect(performance.now() - beginMs).toBeLessThan(10_000);
});

describe('without an upstream', () => {
  it('a relay serves its stored data after a restart', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'burgee-relay-'));
    folders.push(directory);
    const first = await startTestRelay(upstream.url, { tokens: [CLIENT_TOKEN] }, { directory });
    const expected = await until(
      () => names(first),
      (all) => all.includes('first'),
    );
    await get(`${first.url}/api/frontend`, FRONTEND_TOKEN);
    await first.running.close();
    const again = await relayOf('http://127.0.0.1:9', {}, { directory });
    expect(await names(again)).toEqual(expected);
    const { status, body } = await get(`${again.url}/api/frontend`, FRONTEND_TOKEN);
    expect([status, body.toggles.length > 0]).toEqual([200, true]);
    const ready = await get(`${again.url}/ready`);
    expect([ready.status, ready.body.upstream.syncedAt]).toEqual([200, null]);
  });

  it('a relay asks for each list once after a restart, and writes nothing when nothing changed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'burgee-relay-'));
    folders.push(directory);
    const first = await startTestRelay(upstream.url, { tokens: [CLIENT_TOKEN] }, { directory });
    await until(
      () => names(first),
      (all) => all.includes('first'),
    );
    await first.running.close();
    const own = await FaultyProxy.before(upstream.url);
    const again = await relayOf(own.url, { refreshMs: 60_000 }, { directory });
    await until(
      () => again.relay.status().syncedAt,
      (at) => at !== null,
    );
    expect(own.count('GET', '/api/client/features')).toBe(1);
    const seq = again.running.services.state.seq;
    expect(seq).toBe(first.running.services.state.seq);
    await own.close();
  });
});
