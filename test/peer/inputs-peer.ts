import { once } from 'node:events';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENTRANCES, type Entered, exportWith } from '../support/entrances.ts';
import { STRATEGY_INPUTS, type StrategyInput } from '../support/odd-inputs.ts';
import { endSdk } from '../support/programs/end-sdk.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../support/service.ts';
import { asFirstAdmin, ask, PEER } from './unleash.ts';

/** Strategies that Unleash stores and Burgee refuses: Unleash checks less. Their percentages or values mean nothing to SDKs. */
const ONLY_UNLEASH: readonly string[] = [];

const AT = '/projects/default/features';
const USERS = Array.from({ length: 40 }, (_, index) => String(index));

let service: TestService;
let burgee: Unleash;
let peer: Unleash;
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
  const call = await asFirstAdmin();
  const taken = new Map<StrategyInput, string | undefined>();
  const whole = exportWith('import', STRATEGY_INPUTS);
  for (const [index, input] of STRATEGY_INPUTS.entries()) {
    // One file for each: Unleash refuses a file with one wrong strategy.
    const name = `import-${index}`;
    const data = {
      features: whole.features.slice(index, index + 1),
      featureStrategies: whole.featureStrategies.slice(index, index + 1),
      featureEnvironments: whole.featureEnvironments.slice(index, index + 1),
      ...{ contextFields: [], featureTags: [], segments: [], tagTypes: [], dependencies: [], links: [] },
    };
    const body = { project: 'default', environment: 'development', data };
    taken.set(input, (await isTaken(call('POST', '/features-batch/import', body))) ? name : undefined);
  }
  return taken;
}

beforeAll(async () => {
  service = await startTestService();
  for (const [prefix, entrance, toPeer] of [
    ['post', 'POST of a strategy', postedToPeer],
    ['import', 'an import', importedToPeer],
  ] as const) {
    const enter = ENTRANCES[entrance] as (typeof ENTRANCES)[string];
    entered.set(prefix, { burgee: await enter(service, STRATEGY_INPUTS), peer: await toPeer() });
  }
  const body = { type: 'client', tokenName: 'inputs-peer', environment: 'development', projects: ['*'] };
  const { secret } = await ask('POST', '/api-tokens', body);
  burgee = sdkOf(service.url, CLIENT_TOKEN);
  peer = sdkOf(PEER.url, secret);
  await Promise.all([once(burgee, UnleashEvents.Synchronized), once(peer, UnleashEvents.Synchronized)]);
}, 600_000);

afterAll(async () => {
  for (const sdk of [burgee, peer]) endSdk(sdk);
  await service.close();
  // Other tests use the same Unleash.
  const features = [...entered.keys()].flatMap((prefix) => STRATEGY_INPUTS.map((_, index) => `${prefix}-${index}`));
  const { features: existing } = await ask('GET', AT);
  const names = features.filter((name) => existing.some((flag: { name: string }) => flag.name === name));
  await ask('POST', '/projects/default/archive', { features: names });
  await ask('POST', '/projects/default/delete', { features: names });
});

it.each(['post', 'import'])('takes what Unleash takes: %s', (prefix) => {
  const both = entered.get(prefix);
  const different = STRATEGY_INPUTS.flatMap((input) => {
    const [here, there] = [both?.burgee.get(input) !== undefined, both?.peer.get(input) !== undefined];
    return here === there ? [] : [`${there ? 'only Unleash' : 'only Burgee'}: ${input.what}`];
  });
  expect(different).toEqual(ONLY_UNLEASH.map((what) => `only Unleash: ${what}`));
});

it.each(['post', 'import'])('SDKs of both services have the same results: %s', async (prefix) => {
  const both = entered.get(prefix);
  const names = STRATEGY_INPUTS.flatMap((input) => {
    const name = both?.burgee.get(input);
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
