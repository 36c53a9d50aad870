import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { FaultyProxy } from '../../support/http/faulty-proxy.ts';
import { startTestRelay } from '../../support/relay.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, startTestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const OTHER_TOKEN = 'default:production.another';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function world() {
  const upstream = await startTestService({
    env: { INIT_ADMIN_API_TOKENS: ADMIN_TOKEN, INIT_CLIENT_API_TOKENS: [CLIENT_TOKEN, OTHER_TOKEN].join(',') },
  });
  closing.push(() => upstream.close());
  await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name: 'first' } });
  const proxy = await FaultyProxy.before(upstream.url);
  closing.push(() => proxy.close());
  return { upstream, proxy };
}

async function relayOf(url: string, directory?: string) {
  const options = { tokens: [CLIENT_TOKEN, OTHER_TOKEN], isStreaming: true, refreshMs: 200 };
  const relay = await startTestRelay(url, options, directory === undefined ? {} : { directory });
  closing.push(() => relay.close());
  await until(
    () => relay.relay.status().streaming,
    (count) => count === 2,
  );
  return relay;
}

async function names(url: string, authorization: string): Promise<string[]> {
  const answer = await fetch(`${url}/api/client/features`, { headers: { authorization } });
  return ((await answer.json()) as { features: { name: string }[] }).features.map(({ name }) => name);
}

it('where upstream streams, each start opens one stream per token and asks for no list', async () => {
  const { upstream, proxy } = await world();
  const directory = await mkdtemp(join(tmpdir(), 'burgee-relay-'));
  closing.unshift(() => rm(directory, { recursive: true, force: true }));
  const first = await relayOf(proxy.url, directory);
  for (const token of [CLIENT_TOKEN, OTHER_TOKEN]) expect(await names(first.url, token)).toEqual(['first']);
  expect(first.relay.status().syncedAt).not.toBeNull();
  await first.running.close();
  const again = await relayOf(proxy.url, directory);
  expect(await names(again.url, CLIENT_TOKEN)).toEqual(['first']);
  expect(proxy.count('GET', '/api/client/streaming')).toBe(4);
  expect(proxy.count('GET', '/api/client/features')).toBe(0);
  await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name: 'second' } });
  await until(
    () => names(again.url, CLIENT_TOKEN),
    (all) => all.join() === 'first,second',
  );
});

it('tries the streams again while the answers of upstream hang, and streams when upstream answers', async () => {
  const { proxy } = await world();
  [proxy.path, proxy.fault] = ['/api/client/', 'hang'];
  const relay = await startTestRelay(proxy.url, {
    tokens: [CLIENT_TOKEN],
    isStreaming: true,
    refreshMs: 200,
    timeoutMs: 1_000,
  });
  closing.push(() => relay.close());
  // Upstream answers neither request: it does not say that it has no streams.
  await until(
    () => proxy.count('GET', '/api/client/streaming'),
    (count) => count >= 2,
  );
  expect(relay.relay.status()).toMatchObject({ streaming: 0, failing: 1 });
  proxy.fault = 'none';
  await until(
    () => relay.relay.status(),
    ({ streaming, failing }) => streaming === 1 && failing === 0,
  );
});
