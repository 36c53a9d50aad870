import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getOrMake } from '../../../src/base/get-or-make.ts';
import { type Logger, silentLogger } from '../../../src/base/logger.ts';
import { warnOfIncompleteStrategies } from '../../../src/features/flags/strategies/incomplete-strategies.ts';
import type { Strategy } from '../../../src/model/strategy.ts';
import { readBootstrap } from '../../../src/products/offline/bootstrap-file.ts';
import { migrateFiles, savedIn, TARGET_ADMIN } from '../../products/migrate/run-migrate.ts';
import { changed, ENTRANCES, type Entered, exportWith, REVIEWER } from '../../support/entrances.ts';
import { FLAG, STRATEGY_INPUTS, type StrategyInput } from '../../support/odd-inputs.ts';
import { endSdk } from '../../support/programs/end-sdk.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, useService } from '../../support/service.ts';
import { isDeep } from '../../support/tiers/depth.ts';

// Flags of all entrances together, and the tokens of a second admin and of `burgee migrate`.
const service = useService({
  env: { MCP_WRITE_DIRECTLY: 'true', INIT_ADMIN_API_TOKENS: `*:*.test-admin,${REVIEWER},${TARGET_ADMIN}` },
});
const USERS = Array.from({ length: 20 }, (_, index) => String(index));
/** Every input, one third of them in `npm test`. */
const INPUTS = STRATEGY_INPUTS.filter((_, index) => isDeep || index % 3 === 0);
/** Entrance → the flags that it made. */
const enteredBy = new Map<string, Entered>();

type StoredFields = Readonly<Record<string, unknown>>;

/** The stored fields of the input, for this flag. */
function expectedOf({ stored }: StrategyInput, flag: string, entrance: string): StoredFields {
  const fields: StoredFields = JSON.parse(JSON.stringify(stored).replaceAll(FLAG, flag));
  // The first strategy of a flag is always enabled.
  return entrance === 'a default strategy' && 'disabled' in fields ? { ...fields, disabled: false } : fields;
}

/** A list for SDKs leaves out the empty list of values of an operator that does not read it. */
function withoutEmptyValues({ constraints, ...fields }: StoredFields): StoredFields {
  if (!Array.isArray(constraints)) return fields;
  const shown = constraints.map(({ values, ...rest }) => (values.length === 0 ? rest : { ...rest, values }));
  return { ...fields, constraints: shown };
}

function strategyOf(flag: string, environment = 'development'): Strategy | undefined {
  const feature = service.running.services.state.get('features', flag);
  const location = feature?.environments.find((each) => each.environment === environment);
  return location?.strategies.find(({ title }) => title !== 'the other strategy');
}

let sdk: Unleash;

beforeAll(async () => {
  for (const [name, enter] of Object.entries(ENTRANCES)) enteredBy.set(name, await enter(service, INPUTS));
  sdk = new Unleash({
    skipInstanceCountWarning: true,
    url: `${service.url}/api`,
    appName: 'entrances',
    customHeaders: { Authorization: CLIENT_TOKEN },
    refreshInterval: 3_600_000,
    disableMetrics: true,
    storageProvider: { set: async () => {}, get: async () => undefined },
  });
  await once(sdk, UnleashEvents.Synchronized);
}, 300_000);

afterAll(() => endSdk(sdk));

/** User → the names of the flags that are on for the user. */
const onFor = new Map<string, Promise<readonly string[]>>();

async function namesOnFor(userId: string): Promise<readonly string[]> {
  const query = `userId=${userId}&age=6`;
  const { body } = await service.call('getFrontendFeatures', { query, token: FRONTEND_TOKEN });
  return body.toggles.map(({ name }: { name: string }) => name).sort();
}

describe.each(Object.keys(ENTRANCES))('%s', (entrance) => {
  it('takes and refuses the same strategies as every other entrance', () => {
    const refused = [...(enteredBy.get(entrance) ?? [])].flatMap(([{ what }, flag]) =>
      flag === undefined ? [what] : [],
    );
    expect(refused).toEqual(INPUTS.filter(({ stored }) => stored === undefined).map(({ what }) => what));
  });

  it('stores what every other entrance stores', () => {
    for (const [input, flag] of enteredBy.get(entrance) ?? []) {
      if (flag === undefined) continue;
      const expected = expectedOf(input, flag, entrance);
      const strategy = strategyOf(flag);
      expect(strategy, input.what).toMatchObject(expected);
      // No field more: `toMatchObject` accepts further parameters.
      expect({ ...strategy, ...expected }, input.what).toEqual(strategy);
    }
  });

  it('is evaluated by an SDK as by this service, for every user', async () => {
    const names = new Set([...(enteredBy.get(entrance)?.values() ?? [])].filter((flag) => flag !== undefined));
    for (const userId of USERS) {
      const on = await getOrMake(onFor, userId, () => namesOnFor(userId));
      const context = { userId, properties: { age: '6' } };
      const onInSdk = [...names].filter((name) => sdk.isEnabled(name, context));
      expect(onInSdk.sort()).toEqual(on.filter((name) => names.has(name)));
    }
  });
});

describe('burgee offline', () => {
  it('serves a file of these strategies as an import of the file does', async () => {
    const accepted = STRATEGY_INPUTS.filter(({ stored }) => stored !== undefined);
    const { form, flags, warnings } = await readBootstrap(Buffer.from(JSON.stringify(exportWith('offline', accepted))));
    expect([form, warnings]).toEqual(['export', []]);
    for (const [index, input] of accepted.entries()) {
      const name = `offline-${index}`;
      const { disabled, title: _title, ...expected } = expectedOf(input, name, 'offline') as StoredFields;
      const [strategy] = flags.find((flag) => flag.name === name)?.strategies ?? [];
      if (disabled === true) expect(strategy).toBeUndefined();
      else expect(strategy, input.what).toMatchObject(withoutEmptyValues(expected));
    }
  });
});

describe('what SDKs get', () => {
  const incomplete = {
    name: 'flexibleRollout',
    parameters: { stickiness: 'default' },
    constraints: [],
    segments: [],
    variants: [],
  };
  const list = (name: string) => ({
    version: 2,
    features: [{ name, enabled: true, project: 'default', strategies: [incomplete] }],
    segments: [],
  });

  it('passes unchanged: a list that is served, and one that is imported, stay off for everybody', async () => {
    const { flags } = await readBootstrap(Buffer.from(JSON.stringify(list('listed'))));
    expect(flags[0]?.strategies).toEqual([incomplete]);
    const directory = await mkdtemp(join(tmpdir(), 'burgee-test-'));
    try {
      const file = await savedIn(directory, 'list.json', list('listed'));
      const { code, said } = await migrateFiles(service.url, '--file', file, '--environment', 'development');
      expect(code, said).toBe(0);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    expect(strategyOf('listed')?.parameters).toEqual({ stickiness: 'default' });
  });

  it('is named in a warning after the next start', async () => {
    const warned: unknown[] = [];
    const logger = { ...silentLogger, warn: (...all: unknown[]) => void warned.push(all) } as unknown as Logger;
    const { state } = service.running.services;
    await warnOfIncompleteStrategies(state, logger, new AbortController().signal);
    expect(warned).toEqual([[{ flags: ['listed'], count: 1 }, expect.stringContaining('off for everybody')]]);
  });

  it('keeps its effect when it is edited, patched, copied, cloned or changed by a change request', async () => {
    const at = { projectId: 'default', featureName: 'listed', environment: 'development' };
    const params = { ...at, strategyId: strategyOf('listed')?.id ?? '' };
    const parametersAfter = async (operationId: string, options: object) => {
      const answer = await service.call(operationId, options);
      expect(answer.status, answer.text).toBeLessThan(300);
      return strategyOf('listed')?.parameters;
    };
    const { stickiness, ...none } = { stickiness: 'default' };
    expect(await parametersAfter('updateFeatureStrategy', { params, body: { title: 'edited' } })).toEqual({
      stickiness,
    });
    expect(await parametersAfter('updateFeatureStrategy', { params, body: { parameters: { groupId: 'g' } } })).toEqual({
      ...none,
      groupId: 'g',
      stickiness,
    });
    const patch = [{ op: 'replace', path: '/title', value: 'patched' }];
    expect(await parametersAfter('patchFeatureStrategy', { params, body: patch })).not.toHaveProperty('rollout');
    const request = { id: params.strategyId, title: 'changed' };
    expect(await changed(service, 'listed', 'updateStrategy', request)).toBe(true);
    expect(strategyOf('listed')).toMatchObject({ title: 'changed' });
    expect(strategyOf('listed')?.parameters).not.toHaveProperty('rollout');
    await parametersAfter('copyFeatureEnvironment', { params: at, body: { targets: ['production'] } });
    expect(strategyOf('listed', 'production')?.parameters).not.toHaveProperty('rollout');
    await parametersAfter('cloneFeature', { params: at, body: { name: 'listed-clone' } });
    expect(strategyOf('listed-clone')?.parameters).not.toHaveProperty('rollout');
    const exported = await service.call('exportFeatures', {
      body: { environment: 'development', features: ['listed'] },
    });
    // An import completes what an export leaves out.
    expect(exported.body.featureStrategies[0].parameters).toMatchObject({ rollout: '0', stickiness, groupId: 'g' });
    // A percentage that somebody says counts.
    const said = { rollout: '20', groupId: 'g' };
    expect(await parametersAfter('updateFeatureStrategy', { params, body: { parameters: said } })).toEqual({
      ...said,
      stickiness,
    });
  });
});
