import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const SPEC = { 'unleash-client-spec': '5.2.0' };

let upstream: TestService;
const relays: TestRelay[] = [];

async function relayOf(...args: Parameters<typeof startTestRelay>): Promise<TestRelay> {
  const relay = await startTestRelay(...args);
  relays.push(relay);
  return relay;
}

beforeAll(async () => {
  upstream = await startTestService();
  await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name: 'first' } });
  await switchOn('first');
});

afterAll(async () => {
  for (const relay of relays) await relay.close();
  await upstream.close();
});

async function switchOn(featureName: string): Promise<void> {
  const params = { projectId: 'default', featureName, environment: 'development' };
  await upstream.call('toggleFeatureEnvironmentOn', { params });
}

async function ask(url: string, path: string, token: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: token, ...headers } });
  const text = await answer.text();
  return { status: answer.status, etag: answer.headers.get('etag'), body: text === '' ? undefined : JSON.parse(text) };
}

const list = (url: string, token = CLIENT_TOKEN) => ask(url, '/api/client/features', token, SPEC);

describe('a relay', () => {
  it('serves the lists of its upstream to a token that it never saw before', async () => {
    const relay = await relayOf(upstream.url);
    const [there, here] = [await list(upstream.url), await list(relay.url)];
    expect(here.status).toBe(200);
    expect(here.body.features).toEqual(there.body.features);
    expect(here.body.features.length).toBeGreaterThan(0);
    expect(here.body.segments).toEqual(there.body.segments);
    const again = await ask(relay.url, '/api/client/features', CLIENT_TOKEN, {
      ...SPEC,
      'if-none-match': here.etag ?? '',
    });
    expect(again.status).toBe(304);
  });

  it('follows what changes upstream', async () => {
    const relay = await relayOf(upstream.url, { tokens: [CLIENT_TOKEN] });
    await list(relay.url);
    await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name: 'second' } });
    await switchOn('second');
    const isThere = ({ body }: Awaited<ReturnType<typeof list>>) =>
      body.features.some(({ name, enabled }: { name: string; enabled: boolean }) => name === 'second' && enabled);
    await until(() => list(relay.url), isThere);
    const [there, here] = [await list(upstream.url), await list(relay.url)];
    expect(here.body.features).toEqual(there.body.features);
  });

  it('evaluates for browsers as its upstream does', async () => {
    const relay = await relayOf(upstream.url, { tokens: [CLIENT_TOKEN] });
    await list(relay.url);
    const [there, here] = await Promise.all(
      [upstream.url, relay.url].map((url) => ask(url, '/api/frontend?userId=7', FRONTEND_TOKEN)),
    );
    expect(here?.status).toBe(200);
    expect(here?.body.toggles).toEqual(there?.body.toggles);
    expect(here?.body.toggles.length).toBeGreaterThan(0);
  });

  it('refuses a token that its upstream does not know, and a text that is not a token', async () => {
    const relay = await relayOf(upstream.url);
    for (const token of ['*:development.nobody', 'nonsense']) {
      expect((await list(relay.url, token)).status).toBe(401);
    }
  });

  it('answers 511 to a frontend token as long as no client token sees its flags', async () => {
    const relay = await relayOf(upstream.url);
    const refused = await ask(relay.url, '/api/frontend', FRONTEND_TOKEN);
    expect([refused.status, refused.body.name]).toEqual([511, 'NetworkAuthenticationRequired']);
    await list(relay.url);
    expect((await ask(relay.url, '/api/frontend', FRONTEND_TOKEN)).status).toBe(200);
  });

  it('answers the OpenFeature protocol for a token that it never saw before, in the header X-API-Key', async () => {
    const relay = await relayOf(upstream.url, { tokens: [CLIENT_TOKEN] });
    await list(relay.url);
    const evaluate = async (key: string) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const body = '{"context":{"targetingKey":"7"}}';
      const answer = await fetch(`${relay.url}/ofrep/v1/evaluate/flags/first`, { method: 'POST', headers, body });
      return [answer.status, ((await answer.json()) as { value?: unknown }).value];
    };
    expect(await evaluate(FRONTEND_TOKEN)).toEqual([200, true]);
    expect((await evaluate('*:development.nobody'))[0]).toBe(401);
  });

  it('has no admin API', async () => {
    const relay = await relayOf(upstream.url);
    expect((await ask(relay.url, '/api/admin/projects', '*:*.test-admin')).status).toBe(404);
  });
});
