import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { coverOf } from '../../../src/products/relay/scope-cover.ts';
import { accepted } from '../../support/admin.ts';
import { FaultyProxy } from '../../support/http/faulty-proxy.ts';
import { plainRequest } from '../../support/http/request.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { atDepth } from '../../support/tiers/depth.ts';
import { until } from '../../support/until.ts';

/** More than one request asks about. */
const TOKENS = Array.from({ length: 300 }, (_, index) => {
  const environment = index % 3 === 0 ? 'production' : 'development';
  return `${index % 2 === 0 ? '*' : 'default'}:${environment}.token-${index}`;
});
const CHANGES = atDepth({ quick: 8, full: 200 });

let upstream: TestService;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  upstream = await startTestService({ env: { INIT_CLIENT_API_TOKENS: [CLIENT_TOKEN, ...TOKENS].join(',') } });
  await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name: 'first' } });
});

// At the end of each test: a relay asks upstream again and again until it is closed.
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => upstream.close());

async function relayOf(...args: Parameters<typeof startTestRelay>): Promise<TestRelay> {
  const relay = await startTestRelay(...args);
  closing.push(() => relay.close());
  return relay;
}

async function list(url: string, token: string) {
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  const { status, text } = await plainRequest(`${url}/api/client/features`, { headers });
  return { status, body: JSON.parse(text) };
}

/** A relay answers 503 when upstream takes longer to answer than a caller waits. */
const isAnswered = ({ status }: { status: number }) => status !== 503;

it('asks about hundreds of tokens in few requests, and asks for no scope twice', async () => {
  const proxy = await FaultyProxy.before(upstream.url);
  closing.push(() => proxy.close());
  // While upstream answers, other tokens gather.
  proxy.delayMs = 50;
  const relay = await relayOf(proxy.url, { refreshMs: 600_000 });
  for (let start = 0; start < TOKENS.length; start += 100) {
    const listOf = (token: string) => until(() => list(relay.url, token), isAnswered);
    const part = await Promise.all(TOKENS.slice(start, start + 100).map(listOf));
    expect(new Set(part.map(({ status }) => status))).toEqual(new Set([200]));
  }
  expect(proxy.count('POST', '/edge/validate')).toBeLessThanOrEqual(TOKENS.length / 10);
  expect(relay.relay.status().scopes).toBe(2);
  // Of the four scopes, the relay may have asked for one before it knew the wider scope that contains it.
  expect(proxy.count('GET', '/api/client/features')).toBeLessThanOrEqual(4);
});

/** Sets of projects that the tokens of an environment see. Two tokens see each set. */
const SEEN: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'one-sees-all': [['*'], ['p0'], ['p1', 'p2'], ['p3', 'p4', 'p5']],
  'each-alone': [['p0'], ['p1'], ['p2'], ['p3'], ['p4'], ['p5'], ['p6'], ['p7']],
  'in-a-ring': Array.from({ length: 8 }, (_, index) => [`p${index}`, `p${(index + 1) % 8}`]),
  overlapping: [['p0', 'p1', 'p2'], ['p2', 'p3'], ['p3', 'p4'], ['p0'], ['p5'], ['p2']],
  'all-but-one': [['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'], ['p6', 'p7'], ['p1'], ['p7']],
};
const PROJECTS = Array.from({ length: 8 }, (_, index) => `p${index}`);
const ENVIRONMENTS = Object.keys(SEEN);

/** Creates five environments, eight projects with one flag each, and the tokens of all sets. */
async function fillScopes(service: TestService) {
  for (const name of ENVIRONMENTS)
    await accepted(service, 'createEnvironment', { body: { name, type: 'development', sortOrder: 1 } });
  for (const id of PROJECTS) {
    await accepted(service, 'createProject', { body: { id, name: id, environments: ENVIRONMENTS } });
    const params = { projectId: id };
    await accepted(service, 'createFeature', { params, body: { name: `flag-of-${id}` } });
  }
  const tokens: { secret: string; environment: string; projects: readonly string[] }[] = [];
  for (const [environment, sets] of Object.entries(SEEN)) {
    for (const projects of [...sets, ...sets]) {
      const tokenName = `token-${tokens.length}`;
      const { body } = await accepted(service, 'createApiToken', {
        body: { tokenName, type: 'client', environment, projects },
      });
      tokens.push({ secret: body.secret, environment, projects });
    }
  }
  return tokens;
}

it('asks upstream once for each of the fewest scopes that cover all sets of projects', async () => {
  const service = await startTestService();
  closing.push(() => service.close());
  const tokens = await fillScopes(service);
  const proxy = await FaultyProxy.before(service.url);
  closing.push(() => proxy.close());
  const secrets = tokens.map(({ secret }) => secret);
  const relay = await relayOf(proxy.url, { tokens: secrets, refreshMs: 600_000 });
  const cover = coverOf(tokens);
  await until(
    () => relay.relay.obstacle,
    (obstacle) => obstacle === null,
  );
  for (const { secret, projects } of tokens) {
    const seen = projects.includes('*') ? PROJECTS : projects;
    const { status, body } = await list(relay.url, secret);
    const names = body.features?.map(({ name }: { name: string }) => name).sort();
    expect([status, names], secret).toEqual([200, seen.map((id) => `flag-of-${id}`).sort()]);
  }
  const asked = proxy.seen.filter(({ path }) => path === '/api/client/features').map(({ token }) => token);
  const scopeAsked = (secret: string) => cover.find(({ secrets: own }) => own.includes(secret))?.key;
  expect(asked.map(scopeAsked).sort()).toEqual(cover.map(({ key }) => key).sort());
  // In the order of SEEN: the set of all; each of the eight; every second pair of the ring; p0 to p2, p3 with p4, and p5; p0 to p6, and p6 with p7.
  const sizes = ENVIRONMENTS.map((name) => cover.filter(({ environment }) => environment === name).length);
  expect(sizes).toEqual([1, 8, 4, 3, 2]);
});

it(`${CHANGES} changes of different flags reach all of hundreds of tokens`, async () => {
  const flags = Array.from({ length: CHANGES }, (_, index) => `change-${index}`);
  for (const name of flags)
    await accepted(upstream, 'createFeature', { params: { projectId: 'default' }, body: { name } });
  const relay = await relayOf(upstream.url, { tokens: TOKENS, refreshMs: 100 });
  await until(
    () => relay.relay.obstacle,
    (obstacle) => obstacle === null,
  );
  for (const [index, featureName] of flags.entries()) {
    const environment = index % 2 === 0 ? 'development' : 'production';
    await accepted(upstream, 'toggleFeatureEnvironmentOn', {
      params: { projectId: 'default', featureName, environment },
    });
  }
  const features = async (url: string, token: string) => JSON.stringify((await list(url, token)).body.features);
  const scopes = new Set(TOKENS.map((token) => token.slice(0, token.indexOf('.'))));
  expect(scopes.size).toBe(4);
  for (const scope of scopes) {
    const tokens = TOKENS.filter((token) => token.startsWith(`${scope}.`));
    const [first = ''] = tokens;
    const there = await features(upstream.url, first);
    expect(there.match(/"enabled":true/g)?.length).toBeGreaterThanOrEqual(CHANGES / 2);
    await until(
      () => features(relay.url, first),
      (here) => here === there,
    );
    for (const token of tokens) expect(await features(relay.url, token), token).toBe(there);
  }
});

it('a relay refuses a token that is revoked upstream, and deletes the flags of a scope with its last token', async () => {
  const [revoked] = TOKENS as [string];
  const relay = await relayOf(upstream.url, { tokens: [revoked], revalidateMs: 200 });
  await until(
    async () => (await list(relay.url, revoked)).status,
    (status) => status === 200,
  );
  await upstream.call('deleteApiToken', { params: { token: revoked } });
  await until(
    async () => (await list(relay.url, revoked)).status,
    (status) => status === 401,
  );
  await until(
    () => relay.running.services.state.size('features'),
    (count) => count === 0,
  );
});

it('accepts a pretrusted token without asking upstream', async () => {
  const proxy = await FaultyProxy.before(upstream.url);
  closing.push(() => proxy.close());
  const pretrusted = [
    { secret: CLIENT_TOKEN, type: 'client' as const, environment: 'development', projects: ['*'] },
    { secret: 'ours', type: 'frontend' as const, environment: 'development', projects: ['default'] },
  ];
  const relay = await relayOf(proxy.url, { pretrusted });
  const answer = await fetch(`${relay.url}/api/frontend`, { headers: { authorization: 'ours' } });
  expect(answer.status).toBe(200);
  expect(proxy.count('POST', '/edge/validate')).toBe(0);
});

it('with STRICT, accepts a token only if TOKENS cover its scope', async () => {
  const relay = await relayOf(upstream.url, { tokens: ['default:development.token-1'], isStrict: true });
  const status = async (token: string) => (await list(relay.url, token)).status;
  await until(
    () => status('default:development.token-5'),
    (code) => code === 200,
  );
  expect(await status('*:development.token-2')).toBe(403);
  expect(await status('default:production.token-3')).toBe(403);
  const browser = await fetch(`${relay.url}/api/frontend`, { headers: { authorization: FRONTEND_TOKEN } });
  expect(browser.status).toBe(511);
});

it('receives changes at once from an upstream that streams', async () => {
  const relay = await relayOf(upstream.url, { tokens: [CLIENT_TOKEN], refreshMs: 600_000, isStreaming: true });
  await until(
    () => relay.relay.status().streaming,
    (count) => count === 1,
  );
  await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name: 'sent-at-once' } });
  const there = (await list(upstream.url, CLIENT_TOKEN)).body.features;
  await until(
    async () => JSON.stringify((await list(relay.url, CLIENT_TOKEN)).body.features),
    (here) => here === JSON.stringify(there),
  );
  await upstream.call('archiveFeature', { params: { projectId: 'default', featureName: 'sent-at-once' } });
  await until(
    async () => (await list(relay.url, CLIENT_TOKEN)).body.features.length,
    (count) => count === there.length - 1,
  );
});

it('asks for lists where a proxy buffers streams', async () => {
  const proxy = await FaultyProxy.before(upstream.url);
  closing.push(() => proxy.close());
  proxy.fault = 'hold-stream';
  proxy.path = '/api/client/streaming';
  const relay = await relayOf(proxy.url, { tokens: [CLIENT_TOKEN], isStreaming: true });
  await until(
    () => relay.relay.obstacle,
    (obstacle) => obstacle === null,
  );
  await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name: 'not-held-back' } });
  await until(
    async () => JSON.stringify((await list(relay.url, CLIENT_TOKEN)).body.features),
    (here) => here.includes('not-held-back'),
  );
  expect(relay.relay.status()).toMatchObject({ streaming: 0, failing: 0 });
});

it('filters by project and name, and refuses to filter by tag', async () => {
  const relay = await relayOf(upstream.url, { tokens: [CLIENT_TOKEN] });
  const filtered = async (query: string) => {
    const headers = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0' };
    const answer = await fetch(`${relay.url}/api/client/features?${query}`, { headers });
    const { features } = JSON.parse(await answer.text());
    return [answer.status, features?.map(({ name }: { name: string }) => name)];
  };
  expect(await filtered('namePrefix=fir&project=default')).toEqual([200, ['first']]);
  expect(await filtered('tag=simple:one')).toEqual([400, undefined]);
});

it('shows its state to operators without secrets', async () => {
  const relay = await relayOf(upstream.url, { tokens: [CLIENT_TOKEN] });
  await until(
    () => relay.relay.obstacle,
    (obstacle) => obstacle === null,
  );
  for (const name of ['health', 'ready', 'tokens', 'metricsbatch', 'info', 'instancedata', 'prometheus', 'metrics']) {
    const answer = await fetch(`${relay.url}/internal-backstage/${name}`);
    const text = await answer.text();
    expect([name, answer.status]).toEqual([name, 200]);
    expect(text).not.toContain('test-client');
  }
  const trusting = await relayOf(upstream.url, {
    tokens: [CLIENT_TOKEN],
    pretrusted: [{ secret: 'ours', type: 'frontend', environment: 'development', projects: ['*'] }],
  });
  const known = await until(
    async () =>
      JSON.parse(await (await fetch(`${trusting.url}/internal-backstage/tokens`)).text()).tokenValidationStatus,
    (tokens) => tokens.length === 2,
  );
  expect(Object.fromEntries(known.map(({ type, status }: Record<string, string>) => [type, status]))).toEqual({
    client: 'Validated',
    frontend: 'Trusted',
  });
  const { development } = await until(
    async () => JSON.parse(await (await fetch(`${relay.url}/internal-backstage/features`)).text()),
    (lists) => lists.development !== undefined,
  );
  expect(development.features.map(({ name }: { name: string }) => name)).toContain('first');
});

it('with BACKSTAGE_TOKEN set, shows only health and readiness to other callers, and does not ask upstream about their tokens', async () => {
  const relay = await relayOf(upstream.url, { tokens: [CLIENT_TOKEN] }, { env: { BACKSTAGE_TOKEN: 'operators-only' } });
  await until(
    () => relay.relay.obstacle,
    (obstacle) => obstacle === null,
  );
  const statusOf = async (name: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${relay.url}/internal-backstage/${name}`, { headers });
    await answer.text();
    return answer.status;
  };
  const known = relay.running.services.state.size('apiTokens');
  for (const name of [
    'tokens',
    'features',
    'metricsbatch',
    'info',
    'instancedata',
    'prometheus',
    'metrics',
    'impact/metrics',
  ]) {
    const statuses = [
      await statusOf(name),
      // A token of upstream, which is valid for the client API.
      await statusOf(name, { authorization: TOKENS[0] ?? '' }),
      await statusOf(name, { authorization: 'Bearer operators-only' }),
    ];
    expect([name, ...statuses]).toEqual([name, 401, 401, 200]);
  }
  for (const name of ['health', 'ready']) expect([name, await statusOf(name)]).toEqual([name, 200]);
  expect(relay.running.services.state.size('apiTokens')).toBe(known);
});
