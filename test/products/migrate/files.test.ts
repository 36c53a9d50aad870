import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { clientList, migrateFiles, savedIn, startTarget, TARGET_ADMIN } from './run-migrate.ts';
import { fillSource, type SourceTokens } from './source-world.ts';

let directory: string;
let source: TestService;
let target: TestService;
let tokens: SourceTokens;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-files-'));
  source = await startTestService();
  tokens = await fillSource(source);
  target = await startTarget();
});

afterAll(async () => {
  await source?.close();
  await target?.close();
  await rm(directory, { recursive: true, force: true });
});

const saved = (name: string, content: unknown) => savedIn(directory, name, content);
const migrate = (...args: readonly string[]) => migrateFiles(target.url, ...args);

it('SDKs get the same flags after an import of the exports of several environments and a list of segments', async () => {
  const files: string[] = [];
  for (const environment of ['development', 'staging', 'production']) {
    const { body } = await accepted(source, 'exportFeatures', { body: { environment } });
    files.push('--file', await saved(`${environment}.json`, body));
  }
  const without = await migrate(...files, '--dry-run');
  expect(without.code).toBe(3);
  expect(without.said).toMatch(/flags: rollout: In development: This instance has no segment segment-0\./);
  const { body: segments } = await accepted(source, 'getSegments');
  const strategies = { features: [], featureStrategies: [], strategies: [{ name: 'byShoeSize', parameters: [] }] };
  files.push('--file', await saved('segments.json', segments), '--file', await saved('strategies.json', strategies));
  const { code, said } = await migrate(...files);
  expect(code, said).toBe(0);
  const token = (
    await accepted(target, 'createApiToken', {
      body: { tokenName: 'sdk', type: 'client', environment: 'development', projects: ['*'] },
      token: TARGET_ADMIN,
    })
  ).body.secret;
  const flagsOf = async (service: TestService, with_: string) => {
    const { features, segments: listed } = await clientList(service, with_);
    const names = new Map((listed as { id: number; name: string }[]).map(({ id, name }) => [id, name]));
    return JSON.parse(JSON.stringify(features), (key, value) =>
      key === 'segments' ? value.map((id: number) => names.get(id)) : value,
    );
  };
  expect(await flagsOf(target, token)).toEqual(await flagsOf(source, tokens.client));
  const { seq } = target.running.services.state;
  const again = await migrate(...files);
  expect(again.code, again.said).toBe(0);
  expect(target.running.services.state.seq).toBe(seq);
});

it('an export of one environment does not change a flag in the other environments', async () => {
  const { body } = await accepted(source, 'exportFeatures', {
    body: { environment: 'production', features: ['rollout'] },
  });
  body.featureEnvironments[0].enabled = false;
  const before = target.running.services.state.get('features', 'rollout');
  const { code, said } = await migrate('--file', await saved('one.json', body));
  expect(code, said).toBe(0);
  const after = target.running.services.state.get('features', 'rollout');
  const of = (environment: string, feature: typeof after) =>
    feature?.environments.find((each) => each.environment === environment);
  expect(of('production', after)?.enabled).toBe(false);
  expect(of('development', after)).toEqual(of('development', before));
  expect(target.running.services.state.get('projects', 'default')?.environments).toContain('development');
});

it('imports the flags of a state export of Unleash 4.1, whose only environment has no valid name', async () => {
  const flag = { featureName: 'oldest', environment: ':global:' };
  const state = {
    version: 4,
    projects: [{ id: 'default', name: 'Default' }],
    environments: [{ name: ':global:', displayName: 'Across all environments', type: 'production' }],
    features: [{ name: 'oldest', project: 'default', type: 'release', variants: [{ name: 'blue', weight: 1000 }] }],
    featureEnvironments: [{ ...flag, enabled: true }],
    featureStrategies: [
      { ...flag, id: 'a', strategyName: 'userWithId', parameters: { userIds: '7' }, constraints: [] },
    ],
    strategies: [],
    tags: [],
    tagTypes: [],
    featureTags: [],
  };
  const path = await saved('state-4.1.json', state);
  const imported = () => target.running.services.state.get('features', 'oldest')?.environments;
  const first = await migrate('--file', path);
  expect(first.code, first.said).toBe(0);
  expect(first.said).toContain('its flags are imported into default. --environment names another one');
  expect(imported()).toMatchObject([
    {
      environment: 'default',
      enabled: true,
      variants: [{ name: 'blue' }],
      strategies: [{ name: 'userWithId', parameters: { userIds: '7' } }],
    },
  ]);
  const second = await migrate('--file', path, '--environment', 'production');
  expect(second.code, second.said).toBe(0);
  expect(
    imported()
      ?.map(({ environment }) => environment)
      .sort(),
  ).toEqual(['default', 'production']);
});

it('reads a state export of an old Unleash with its segments and the order of its strategies', async () => {
  const state = {
    version: 4,
    projects: [{ id: 'old', name: 'Old', description: 'of before' }],
    environments: [{ name: 'live', type: 'production', sortOrder: 1, enabled: true, protected: false }],
    features: [
      { name: 'old-flag', project: 'old', type: 'release', stale: false, createdAt: '2021-02-03T04:05:06.000Z' },
    ],
    featureEnvironments: [{ featureName: 'old-flag', environment: 'live', enabled: true }],
    featureStrategies: [
      {
        id: 'b',
        featureName: 'old-flag',
        projectId: 'old',
        environment: 'live',
        strategyName: 'default',
        sortOrder: 2,
        parameters: {},
        constraints: [],
      },
      {
        id: 'a',
        featureName: 'old-flag',
        projectId: 'old',
        environment: 'live',
        strategyName: 'userWithId',
        sortOrder: 1,
        parameters: { userIds: '7' },
        constraints: [],
      },
    ],
    segments: [{ id: 4, name: 'old-segment', constraints: [{ contextName: 'userId', operator: 'IN', values: ['7'] }] }],
    featureStrategySegments: [{ featureStrategyId: 'b', segmentId: 4 }],
    tagTypes: [],
    featureTags: [],
    strategies: [],
    tags: [],
  };
  const { code, said } = await migrate('--file', await saved('state.json', state));
  expect(code, said).toBe(0);
  const flag = target.running.services.state.get('features', 'old-flag');
  expect(flag?.createdAt).toBe('2021-02-03T04:05:06.000Z');
  const [segment] = target.running.services.state.lookup('segmentsByName', 'old-segment');
  expect(flag?.environments[0]?.strategies.map(({ name, segments }) => [name, segments])).toEqual([
    ['userWithId', []],
    ['default', [segment?.id]],
  ]);
});

it('a file without tags, links, types, dependencies and archive state does not change them', async () => {
  const { state } = target.running.services;
  const params = { projectId: 'default', featureName: 'custom' };
  await accepted(target, 'archiveFeature', { params, token: TARGET_ADMIN });
  const names = ['rollout', 'child', 'custom'];
  // The settings in the environment change, and with them the time of the last change.
  const detailsOf = (name: string) => ({ ...state.get('features', name), environments: [], changedAt: undefined });
  const before = names.map(detailsOf);
  expect(before[0]).toMatchObject({ type: 'experiment', tags: [{}], links: [{}] });
  expect(before[1]).toMatchObject({ impressionData: true, dependencies: [{}] });
  const simplified = await saved('simplified.json', Object.fromEntries(names.map((name) => [name, { enabled: true }])));
  const rules = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'on' };
  const flagd = await saved('rules.flagd.json', { flags: Object.fromEntries(names.map((name) => [name, rules])) });
  for (const file of [simplified, flagd]) {
    const { code, said } = await migrate('--file', file, '--environment', 'development');
    expect(code, said).toBe(0);
    expect(names.map(detailsOf)).toEqual(before);
  }
});

it('an export changes links and dependencies only if it contains them, and then removes those that it lacks', async () => {
  const { state } = target.running.services;
  const options = { body: { environment: 'development', features: ['rollout', 'child'] } };
  const { body } = await accepted(source, 'exportFeatures', options);
  const migrated = async (content: unknown) => {
    const { code, said } = await migrate('--file', await saved('details.json', content));
    expect(code, said).toBe(0);
    return [state.get('features', 'rollout')?.links, state.get('features', 'child')?.dependencies];
  };
  const whole = await migrated(body);
  expect(whole).toMatchObject([[{}], [{}]]);
  const { links: _links, dependencies: _dependencies, ...older } = body;
  expect(await migrated(older)).toEqual(whole);
  expect(await migrated({ ...body, links: [] })).toEqual([undefined, whole[1]]);
  expect(await migrated({ ...body, dependencies: [] })).toMatchObject([[{}], []]);
  expect(await migrated(body)).toMatchObject([[{}], [{}]]);
});

it('a list for SDKs does not change tags and links, and removes dependencies that it does not contain', async () => {
  const { state } = target.running.services;
  const before = state.get('features', 'rollout');
  const common = {
    project: 'default',
    enabled: true,
    stale: true,
    impressionData: true,
    strategies: [{ name: 'default' }],
  };
  const features = ['rollout', 'child'].map((name) => ({ name, type: 'operational', ...common }));
  const list = { version: 2, features, query: { environment: 'development' } };
  const { code, said } = await migrate('--file', await saved('list.json', list));
  expect(code, said).toBe(0);
  const { tags, links, description } = before ?? {};
  const updated = { type: 'operational', stale: true, impressionData: true };
  expect(state.get('features', 'rollout')).toMatchObject({ tags, links, description, ...updated });
  expect(state.get('features', 'child')).toMatchObject({ dependencies: [], ...updated });
});

it.each([
  ['cut', '{"features":[', /is not valid JSON/],
  ['something else', { hello: 1 }, /is neither an export of flags/],
  ['too old', { version: 3, features: [] }, /from before Unleash had environments/],
])('reports a file that is %s, and changes nothing', async (name, content, message) => {
  const { seq } = target.running.services.state;
  const { code, said } = await migrate('--file', await saved(`${name}.json`, content));
  expect([code, said.trim().split('\n').length]).toEqual([1, 1]);
  expect(said).toMatch(message);
  expect(target.running.services.state.seq).toBe(seq);
});
