import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENTRANCES, type Entered, exportWith } from '../support/entrances.ts';
import { STRATEGY_INPUTS, type StrategyInput } from '../support/odd-inputs.ts';
import { endSdk } from '../support/programs/end-sdk.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../support/service.ts';
import { asFirstAdmin, ask, PEER } from './unleash.ts';

/** Strategies that Unleash stores and Burgee refuses, because their percentages mean nothing. An import leaves out their flags, and names them. */
const ONLY_UNLEASH: readonly string[] = [
  'a gradual rollout with null for its percentage',
  'a gradual rollout with an empty percentage',
  'a gradual rollout with a word for its percentage',
  'a gradual rollout above 100',
  'a gradual rollout below 0',
  'an older rollout above 100',
];

/** Strategy types that a new Unleash does not have. */
const FORMER = ['userWithId', 'gradualRolloutUserId', 'gradualRolloutRandom'];

const AT = '/projects/default/features';
const USERS = Array.from({ length: 40 }, (_, index) => String(index));

let service: TestService;
let burgee: Unleash;
let peer: Unleash;
/** The token of the SDK that asks Unleash. */
let secret = '';
/** Prefix of the flags → the flags that each of both services has. */
const entered = new Map<string, { readonly burgee: Entered; readonly peer: Entered }>();

function sdkOf(url: string, token: string): Unleash {
  return new Unleash({
    skipInstanceCountWarning: true,
    url: `${url}/api`,
    appName: 'inputs-peer',
    customHeaders: { Authorization: token },
    refreshInterval: 1_000,
    disableMetrics: true,
    storageProvider: { set: async () => {}, get: async () => undefined },
  });
}

/** Whether Unleash accepts the request. */
async function isTaken(request: Promise<unknown>): Promise<boolean> {
  return request.then(
    () => true,
    (error: Error) => {
      expect(error.message).toMatch(/: 400 /);
      return false;
    },
  );
}

async function postedToPeer(): Promise<Entered> {
  const taken = new Map<StrategyInput, string | undefined>();
  for (const [index, input] of STRATEGY_INPUTS.entries()) {
    const name = `post-${index}`;
    await ask('POST', AT, { name });
    const path = `${AT}/${name}/environments/development`;
    taken.set(input, (await isTaken(ask('POST', `${path}/strategies`, input.sent))) ? name : undefined);
    if (taken.get(input)) await ask('POST', `${path}/on`, {});
  }
  return taken;
}

async function importedToPeer(): Promise<Entered> {
  // Unleash imports only for a person.
  const call = await asFirstAdmin();
  const token = { description: `inputs ${randomUUID()}`, expiresAt: '2090-01-01T00:00:00Z' };
  const made = await call('POST', '/user/tokens', token);
  const taken = new Map<StrategyInput, string | undefined>();
  const whole = exportWith('import', STRATEGY_INPUTS);
  for (const [index, input] of STRATEGY_INPUTS.entries()) {
    // One file for each: Unleash refuses a file with one wrong strategy.
    const name = `import-${index}`;
    const data = {
      features: whole.features.slice(index, index + 1),
      featureStrategies: whole.featureStrategies.slice(index, index + 1),
      featureEnvironments: whole.featureEnvironments.slice(index, index + 1),
      contextFields: [],
      featureTags: [],
      segments: [],
      tagTypes: [],
      dependencies: [],
      links: [],
    };
    const body = { project: 'default', environment: 'development', data };
    taken.set(input, (await isTaken(ask('POST', '/features-batch/import', body, made.secret))) ? name : undefined);
  }
  return taken;
}

beforeAll(async () => {
  service = await startTestService();
  for (const name of FORMER) await ask('POST', '/strategies', { name, parameters: [] });
  for (const [prefix, entrance, toPeer] of [
    ['post', 'POST of a strategy', postedToPeer],
    ['import', 'an import', importedToPeer],
  ] as const) {
    const enter = ENTRANCES[entrance] as (typeof ENTRANCES)[string];
    entered.set(prefix, { burgee: await enter(service, STRATEGY_INPUTS), peer: await toPeer() });
  }
  const body = { type: 'client', tokenName: 'inputs-peer', environment: 'development', projects: ['*'] };
  ({ secret } = await ask('POST', '/api-tokens', body));
  burgee = sdkOf(service.url, CLIENT_TOKEN);
  peer = sdkOf(PEER.url, secret);
  await Promise.all([once(burgee, UnleashEvents.Synchronized), once(peer, UnleashEvents.Synchronized)]);
}, 600_000);

afterAll(async () => {
  for (const sdk of [burgee, peer]) if (sdk) endSdk(sdk);
  await service.close();
  // Other tests use the same Unleash.
  const features = [...entered.keys()].flatMap((prefix) => STRATEGY_INPUTS.map((_, index) => `${prefix}-${index}`));
  const { features: existing } = await ask('GET', AT);
  const names = features.filter((name) => existing.some((flag: { name: string }) => flag.name === name));
  await ask('POST', '/projects/default/archive', { features: names });
  await ask('POST', '/projects/default/delete', { features: names });
  for (const name of FORMER) await ask('DELETE', `/strategies/${name}`);
  await ask('DELETE', `/api-tokens/${encodeURIComponent(secret)}`);
});

it.each(['post', 'import'])('takes what Unleash takes, except percentages that mean nothing: %s', (prefix) => {
  const both = entered.get(prefix);
  const refused = STRATEGY_INPUTS.filter((input) => both?.peer.get(input) !== undefined && !both.burgee.get(input));
  expect(refused.map(({ what }) => what)).toEqual(ONLY_UNLEASH);
});

it.each(['post', 'import'])('SDKs of both services have the same results: %s', async (prefix) => {
  const both = entered.get(prefix);
  const names = STRATEGY_INPUTS.flatMap((input) => {
    const name = both?.burgee.get(input);
    // A flag whose strategies are all disabled is off here, and on for everybody with Unleash.
    if (input.stored?.disabled === true) return [];
    return name !== undefined && both?.peer.get(input) !== undefined ? [name] : [];
  });
  await expect
    .poll(() => names.filter((name) => peer.getFeatureToggleDefinition(name) === undefined), { timeout: 30_000 })
    .toEqual([]);
  for (const userId of USERS) {
    const context = { userId, properties: { age: '6', beta: 'true', 5: '1' } };
    const onIn = (sdk: Unleash) =>
      names.filter((name) => sdk.isEnabled(name, context)).map((name) => [name, sdk.getVariant(name, context).name]);
    expect(onIn(burgee)).toEqual(onIn(peer));
  }
});
