import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolve } from '../../src/evaluation/evaluate.ts';
import type { HashEncoding } from '../../src/evaluation/hashing.ts';
import { accepted } from '../support/admin.ts';
import { startTestRelay, type TestRelay } from '../support/relay.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../support/service.ts';
import { sdkWith } from './sdk.ts';
import { compileFlags, evaluationContext, type WireFlag } from './wire.ts';

const VARIANTS = ['a', 'b'].map((name) => ({
  name,
  weight: 500,
  weightType: 'variable' as const,
  stickiness: 'userId',
}));
const STRATEGY = {
  name: 'flexibleRollout',
  parameters: { rollout: '60', stickiness: 'userId', groupId: 'övrigt' },
  variants: VARIANTS,
};
const FLAG: WireFlag = { name: 'other', enabled: true, strategies: [STRATEGY] };
const USERS = Array.from({ length: 80 }, (_, index) => `åsa-用-${index}`);

let service: TestService;
let relay: TestRelay;

beforeAll(async () => {
  service = await startTestService();
  const params = { projectId: 'default', featureName: FLAG.name, environment: 'development' };
  await accepted(service, 'createFeature', { params, body: { name: FLAG.name } });
  await accepted(service, 'addFeatureStrategy', { params, body: STRATEGY });
  await accepted(service, 'toggleFeatureEnvironmentOn', { params });
  relay = await startTestRelay(service.url);
});

afterAll(async () => {
  await relay?.close();
  await service?.close();
});

/** The variant, or "off". */
type Answer = string;

interface Toggle {
  readonly name: string;
  readonly variant: { readonly name: string };
}

const answerOf = (toggles: readonly Toggle[]): Answer => toggles[0]?.variant.name ?? 'off';

function evaluated(hashEncoding: HashEncoding): Answer[] {
  const flags = compileFlags([FLAG], [], hashEncoding);
  return USERS.map((userId) => {
    const flag = flags(FLAG.name);
    if (!flag) throw new Error('the flag is missing');
    const { on, variant } = resolve(flag, evaluationContext({ userId }), flags);
    return on ? variant.name : 'off';
  });
}

function nodeSdk(): Answer[] {
  const sdk = sdkWith([FLAG], []);
  return USERS.map((userId) =>
    sdk.isEnabled(FLAG.name, { userId }) ? String(sdk.getVariant(FLAG.name, { userId }).name) : 'off',
  );
}

async function frontend(url: string): Promise<Answer[]> {
  const headers = { authorization: FRONTEND_TOKEN };
  const ask = async (userId: string) => {
    const answer = await fetch(`${url}/api/frontend?userId=${encodeURIComponent(userId)}`, { headers });
    expect(answer.status).toBe(200);
    return answerOf(((await answer.json()) as { toggles: Toggle[] }).toggles);
  };
  return Promise.all(USERS.map(ask));
}

async function openFeature(url: string): Promise<Answer[]> {
  const headers = { authorization: FRONTEND_TOKEN, 'content-type': 'application/json' };
  const ask = async (targetingKey: string) => {
    const body = JSON.stringify({ context: { targetingKey } });
    const answer = await fetch(`${url}/ofrep/v1/evaluate/flags/${FLAG.name}`, { method: 'POST', headers, body });
    const { value, variant } = (await answer.json()) as { value: boolean; variant?: string };
    return value === false ? 'off' : String(variant);
  };
  return Promise.all(USERS.map(ask));
}

async function bulk(url: string): Promise<Answer[]> {
  const headers = { authorization: CLIENT_TOKEN, 'content-type': 'application/json' };
  const body = JSON.stringify({ contexts: USERS.map((userId) => ({ userId })) });
  const answer = await fetch(`${url}/api/client/evaluate`, { method: 'POST', headers, body });
  const lines = (await answer.text()).trim().split('\n');
  return lines.map((line) => answerOf((JSON.parse(line) as { toggles: Toggle[] }).toggles));
}

it('the server evaluates non-ASCII user IDs as the Node SDK does, in every API', async () => {
  const expected = nodeSdk();
  expect(new Set(expected).size).toBe(3);
  expect(evaluated('utf-8')).not.toEqual(expected);
  expect(await frontend(service.url)).toEqual(expected);
  expect(await bulk(service.url)).toEqual(expected);
  expect(await openFeature(service.url)).toEqual(expected);
  const { body } = await accepted(service, 'getPlayground', {
    body: { environment: 'development', projects: ['default'], context: { appName: 'test', userId: USERS[0] } },
  });
  expect(body.features[0].variant.name).toBe(expected[0] === 'off' ? 'disabled' : expected[0]);
});

it('a relay evaluates non-ASCII user IDs as the shared SDK core and Edge do, in every API', async () => {
  const expected = evaluated('utf-8');
  const list = `${relay.url}/api/client/features`;
  while ((await fetch(list, { headers: { authorization: CLIENT_TOKEN } })).status !== 200) await sleep(20);
  expect(await frontend(relay.url)).toEqual(expected);
  expect(await bulk(relay.url)).toEqual(expected);
  expect(await openFeature(relay.url)).toEqual(expected);
});
