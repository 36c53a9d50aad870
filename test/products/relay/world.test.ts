import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { type CallOptions, CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { fillSource } from '../migrate/source-world.ts';

const CONTEXTS = [
  'userId=7&plan=gold',
  'userId=9&plan=silver',
  'userId=200&appName=my-WEB-app&plan=gold',
  'userId=3',
  'sessionId=one&properties[plan]=gold',
];

let upstream: TestService;
/** Tokens of all environments. */
let clientTokens: readonly string[];
let browserToken: string;

beforeAll(async () => {
  upstream = await startTestService();
  const { client, mobile, frontend } = await fillSource(upstream);
  const staging = { tokenName: 'staging', type: 'client', environment: 'staging', projects: ['*'] };
  const { body } = await accepted(upstream, 'createApiToken', { body: staging });
  clientTokens = [CLIENT_TOKEN, client, mobile, body.secret];
  browserToken = frontend;
});

afterAll(async () => {
  await upstream.close();
});

async function ask(url: string, path: string, token: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url + path, { headers: { authorization: token, ...headers } });
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as { features: { name: string }[]; segments?: object[]; toggles: object[] };
}

/** The answers for all tokens: to current SDKs, to old SDKs, and to browsers. */
async function everything(url: string) {
  const lists = clientTokens.map(async (token) => {
    const { features, segments } = await ask(url, '/api/client/features', token, { 'unleash-client-spec': '5.2.0' });
    const inlined = await ask(url, '/api/client/features', token);
    return { features, segments, inlined: inlined.features };
  });
  const answers = CONTEXTS.map(async (context) => (await ask(url, `/api/frontend?${context}`, browserToken)).toggles);
  return { lists: await Promise.all(lists), answers: await Promise.all(answers) };
}

describe.each([
  ['asked for lists', false],
  ['streaming', true],
] as const)('an upstream %s, behind two relays', (_how, isStreaming) => {
  const relays: TestRelay[] = [];
  beforeAll(async () => {
    for (let url = upstream.url; relays.length < 2; url = relays.at(-1)?.url ?? '') {
      const relay = await startTestRelay(url, { tokens: clientTokens, isStreaming });
      relays.push(relay);
      await until(
        () => relay.relay.obstacle,
        (obstacle) => obstacle === null,
      );
    }
  });
  afterAll(async () => {
    for (const relay of relays.reverse()) await relay.close();
  });

  it('gives the same answers through each relay: segments, constraints, variants, dependencies, of several environments and projects', async () => {
    const there = await everything(upstream.url);
    const text = JSON.stringify(there);
    for (const what of ['mobile-one', 'byShoeSize', '__proto__', 'DATE_AFTER', '"overrides"', '"dependencies":[{'])
      expect(text).toContain(what);
    expect(there.lists.map(({ segments }) => segments?.length ?? 0)).toEqual([1, 1, 3, 0]);
    for (const relay of relays) expect(await everything(relay.url)).toEqual(there);
  });

  it('is followed by both relays, whatever changes', async () => {
    const names = { projectId: 'default', featureName: 'rollout' };
    const { id, name } = (await accepted(upstream, 'getSegments')).body.segments[0];
    const constraints = [
      { contextName: 'plan', operator: 'IN', values: isStreaming ? ['silver'] : ['gold', 'silver'] },
    ];
    const strategy = { name: 'userWithId', parameters: { userIds: '200' } };
    const changes: [string, CallOptions][] = [
      ['addFeatureStrategy', { params: { ...names, environment: 'production' }, body: strategy }],
      ['updateSegment', { params: { id }, body: { name, constraints } }],
      ['toggleFeatureEnvironmentOff', { params: { ...names, environment: 'development' } }],
      ['toggleFeatureEnvironmentOn', { params: { ...names, environment: 'development' } }],
      ['createFeature', { params: { projectId: 'mobile' }, body: { name: `mobile-${isStreaming}` } }],
      ['archiveFeature', { params: { projectId: 'mobile', featureName: `mobile-${isStreaming}` } }],
    ];
    for (const [operation, options] of changes) {
      await accepted(upstream, operation, options);
      const there = JSON.stringify(await everything(upstream.url));
      for (const relay of relays) {
        await until(
          async () => JSON.stringify(await everything(relay.url)),
          (here) => here === there,
        );
      }
    }
  });
});
