import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { Constraint } from '../../../src/model/constraint.ts';
import type { Feature } from '../../../src/model/feature.ts';
import { flag, prepare, refused, switchedOn } from '../../support/admin.ts';
import { Flags, INVALID } from '../../support/flags.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const IN_FOR_U: Constraint = { contextName: 'userId', operator: 'IN', values: ['u'] };

let service: TestService;
let flags: Flags;

beforeAll(async () => {
  const clock = { ...systemClock, nowMs: () => Date.parse(NOW) };
  const playground = { PLAYGROUND_CONTEXTS_MAX: '20', PLAYGROUND_RESULTS_MAX: '2000' };
  const env = { ...playground, UNLEASH_CONSTRAINT_VALUES_LIMIT: '10000' };
  service = await startTestService({ clock, random: () => 0.5, env });
  flags = new Flags(service);
});

afterAll(() => service.close());

interface Result {
  readonly environment: string;
  readonly context: Record<string, unknown>;
  readonly isEnabled: boolean;
}

interface Evaluated {
  readonly name: string;
  readonly projectId: string;
  readonly environments: Record<string, Result[]>;
}

/** The advanced playground's answer for a project. Each test has its own, so tests do not see each other's flags. */
async function ask(project: string, body: object = {}) {
  const answer = await service.call('getAdvancedPlayground', {
    body: { environments: ['development'], projects: [project], context: { appName: 'test', userId: 'u' }, ...body },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as { input: unknown; features: Evaluated[]; warnings: unknown };
}

/** Puts flags with these configurations into a new project. */
async function projectWith(...features: readonly Partial<Feature>[]): Promise<{ project: string; names: string[] }> {
  const project = await flags.otherProject();
  const names = features.map(() => flags.name());
  await prepare(service, (draft) => {
    for (const [index, rest] of features.entries())
      draft.put('features', flag(names[index] ?? '', { project, ...rest }));
  });
  return { project, names };
}

/** A configuration that is on in an environment when the context meets the constraints. */
function onFor(constraints: readonly Constraint[], environment = 'development') {
  const config = switchedOn(environment);
  return {
    ...config,
    strategies: config.strategies.map((strategy) => ({ ...strategy, constraints: [...constraints] })),
  };
}

const contextsOf = (results: readonly Result[] | undefined) => results?.map(({ context }) => context);

describe('the advanced playground', () => {
  it('echoes its input and evaluates each flag in each environment, with every field of a result', async () => {
    const { project, names } = await projectWith({ environments: [onFor([IN_FOR_U])] });
    const [name = ''] = names;
    const request = {
      environments: ['development', 'production'],
      projects: [project],
      context: { appName: 'test', userId: 'u', properties: { plan: 'gold' } },
    };
    const { input, features, warnings } = await ask(project, request);
    expect(input).toEqual(request);
    expect(warnings).toEqual({ invalidContextProperties: [] });
    const link = `/projects/${project}/features/${name}/strategies/edit?environmentId=development&strategyId=strategy-development-`;
    const off = { name: 'disabled', enabled: false, feature_enabled: false, featureEnabled: false };
    const common = {
      name,
      projectId: project,
      hasUnsatisfiedDependency: false,
      context: request.context,
      variants: [],
    };
    expect(features).toEqual([
      {
        name,
        projectId: project,
        environments: {
          development: [
            {
              ...common,
              environment: 'development',
              strategies: {
                result: true,
                data: [
                  {
                    id: 'strategy-development-',
                    name: 'default',
                    disabled: false,
                    parameters: {},
                    result: { evaluationStatus: 'complete', enabled: true },
                    constraints: [{ ...IN_FOR_U, result: true }],
                    segments: [],
                    links: { edit: link },
                  },
                ],
              },
              isEnabledInCurrentEnvironment: true,
              isEnabled: true,
              variant: { ...off, feature_enabled: true, featureEnabled: true },
            },
          ],
          production: [
            {
              ...common,
              environment: 'production',
              strategies: { result: true, data: [] },
              isEnabledInCurrentEnvironment: false,
              isEnabled: false,
              variant: off,
            },
          ],
        },
      },
    ]);
  });

  it('evaluates every combination of comma-separated values, in fields and properties; the last one varies fastest', async () => {
    const { project } = await projectWith({ environments: [onFor([IN_FOR_U])] });
    const context = { appName: 'a, b', userId: 'u,v,,u', region: 'eu', properties: { plan: 'gold,free', note: ',' } };
    const { features } = await ask(project, { context });
    const results = features[0]?.environments.development ?? [];
    const shown = results.map(({ context, isEnabled }) => [
      context.appName,
      context.userId,
      context.properties,
      isEnabled,
    ]);
    const gold = { plan: 'gold', note: ',' };
    const free = { plan: 'free', note: ',' };
    expect(shown).toEqual([
      ['a', 'u', gold, true],
      ['a', 'u', free, true],
      ['a', 'v', gold, false],
      ['a', 'v', free, false],
      ['b', 'u', gold, true],
      ['b', 'u', free, true],
      ['b', 'v', gold, false],
      ['b', 'v', free, false],
    ]);
    expect(results.every(({ context }) => context.region === 'eu')).toBe(true);
  });

  it('accepts several times, and uses the current time by default', async () => {
    const later: Constraint = { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-03-01T12:00:01Z' };
    const { project } = await projectWith({ environments: [onFor([later])] });
    const isEnabled = async (context: object) =>
      (await ask(project, { context })).features[0]?.environments.development?.map((result) => result.isEnabled);
    expect(await isEnabled({ appName: 'test' })).toEqual([false]);
    const currentTime = '2026-03-01T12:00:00Z, 2026-03-02T12:00:00+02:00';
    expect(await isEnabled({ appName: 'test', currentTime })).toEqual([false, true]);
  });

  it('leaves out fields that are lists or objects, with a warning; numbers and booleans are used as text', async () => {
    const { project } = await projectWith({
      environments: [onFor([{ contextName: 'age', operator: 'NUM_GT', value: '17' }])],
    });
    const context = { appName: 'test', age: 18, beta: true, list: [1], object: { a: 1 }, nothing: null };
    const { features, warnings } = await ask(project, { context });
    expect(warnings).toEqual({ invalidContextProperties: ['list', 'object'] });
    expect(features[0]?.environments.development).toMatchObject([
      { isEnabled: true, context: { appName: 'test', age: 18, beta: true, nothing: null } },
    ]);
    expect(features[0]?.environments.development?.[0]?.context).not.toHaveProperty('list');
  });

  it('evaluates each environment once, whatever environment the context has', async () => {
    const here = onFor([{ contextName: 'environment', operator: 'IN', values: ['production'] }], 'production');
    const { project } = await projectWith({ environments: [here] });
    const context = { appName: 'test', environment: 'a,b' };
    const { features } = await ask(project, { environments: ['production', 'development', 'production'], context });
    expect(Object.keys(features[0]?.environments ?? {})).toEqual(['production', 'development']);
    expect(features[0]?.environments.production).toMatchObject([{ isEnabled: true, context }]);
  });

  it('leaves out environments that the project does not have, archived flags, and projects that do not exist', async () => {
    const { project, names } = await projectWith({}, { archived: true, archivedAt: NOW });
    await flags.call('removeEnvironmentFromProject', { projectId: project, environment: 'production' });
    const { features } = await ask(project, {
      projects: [project, 'nowhere', 'constructor', project],
      environments: ['production', 'development'],
    });
    expect(features.map(({ name, environments }) => [name, Object.keys(environments)])).toEqual([
      [names[0], ['development']],
    ]);
    expect((await ask(project, { environments: ['production'] })).features).toEqual([]);
    expect((await ask(project, { projects: [] })).features).toEqual([]);
  });

  it('evaluates all projects when the request names none', async () => {
    const one = await projectWith({});
    const other = await projectWith({});
    for (const projects of ['*', undefined]) {
      const found = (await ask('', { projects })).features.map(({ projectId }) => projectId);
      expect(found).toEqual(expect.arrayContaining([one.project, other.project]));
    }
  });

  it('accepts names that are special in JavaScript', async () => {
    await flags.call('createEnvironment', {}, { name: '__proto__', type: 'test' });
    const { project } = await projectWith();
    await flags.call('addEnvironmentToProject', { projectId: project }, { environment: '__proto__' });
    const configuration = onFor([{ ...IN_FOR_U, contextName: 'constructor' }], '__proto__');
    await prepare(service, (draft) =>
      draft.put('features', flag('special', { project, environments: [configuration] })),
    );
    const context = { appName: 'test', constructor: 'u,v', properties: { toString: 'x,y' } };
    const { features } = await ask(project, { environments: ['__proto__', 'development'], context });
    const results = Object.getOwnPropertyDescriptor(features[0]?.environments, '__proto__')?.value as Result[];
    expect(results.map(({ isEnabled, environment }) => [environment, isEnabled])).toEqual([
      ['__proto__', true],
      ['__proto__', true],
      ['__proto__', false],
      ['__proto__', false],
    ]);
    expect(contextsOf(results)).toContainEqual({ appName: 'test', constructor: 'v', properties: { toString: 'y' } });
  });

  it('returns the same result for each combination as the playground', async () => {
    const values = fc.subarray(['u', 'v', '1', 'eu'], { minLength: 1 });
    const constraint = fc.record({
      contextName: fc.constantFrom('userId', 'region', 'appName', 'environment'),
      operator: fc.constantFrom('IN' as const, 'NOT_IN' as const, 'STR_CONTAINS' as const),
      values,
      inverted: fc.boolean(),
    });
    const configuration = fc.record({
      development: fc.array(constraint, { maxLength: 2 }),
      production: fc.array(constraint, { maxLength: 2 }),
    });
    const context = fc.record({
      appName: fc.constantFrom('test', 'eu', 'u,test'),
      userId: fc.constantFrom('u', 'u,v', '1'),
      properties: fc.constantFrom<Record<string, string>>({}, { region: 'eu,us' }),
    });
    const compare = async (
      configurations: { development: Constraint[]; production: Constraint[] }[],
      asked: object,
    ) => {
      const features = configurations.map(({ development, production }) => ({
        environments: [onFor(development), onFor(production, 'production')],
      }));
      const { project } = await projectWith(...features);
      const environments = ['development', 'production'];
      for (const feature of (await ask(project, { environments, context: asked })).features) {
        for (const { environment, context, ...result } of Object.values(feature.environments).flat()) {
          const body = { environment, projects: [project], context };
          const simple = (await service.call('getPlayground', { body })).body.features as { name: string }[];
          const { isEnabled } = result;
          const deprecated = { feature_enabled: isEnabled, featureEnabled: isEnabled };
          expect({ ...result, ...deprecated }).toEqual(simple.find(({ name }) => name === feature.name));
        }
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(configuration, { minLength: 1, maxLength: 2 }), context, compare), {
      numRuns: 15,
    });
  });

  it('refuses too many contexts before it evaluates any', async () => {
    const { project } = await projectWith({});
    const values = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`).join(',');
    const body = (userId: string, rest: object = {}) => ({
      environments: ['development'],
      projects: [project],
      context: { appName: 'test', userId, ...rest },
    });
    const { features } = await ask(project, body(values(20)));
    expect(features[0]?.environments.development).toHaveLength(20);
    for (const tooMany of [body(values(21)), body(values(7), { properties: { plan: 'a,b,c' } })]) {
      const answer = await refused(service, 'getAdvancedPlayground', INVALID, { body: tooMany });
      expect(answer.body.message).toContain('more than 20 combinations');
    }
    await refused(service, 'getAdvancedPlayground', INVALID, { body: body(','.repeat(500_000)) });
  });

  it('refuses too many results, and contexts that are too long to repeat in each result', async () => {
    const { project } = await projectWith(...Array.from({ length: 51 }, () => ({})));
    const twenty = Array.from({ length: 20 }, (_, index) => index).join(',');
    const body = { environments: ['development', 'production'], projects: [project], context: { appName: twenty } };
    const answer = await refused(service, 'getAdvancedPlayground', INVALID, { body });
    expect(answer.body.message).toContain('2040 results; the maximum is 2000');
    expect((await ask(project, { ...body, environments: ['development'] })).features).toHaveLength(51);
    const long = { appName: twenty, note: 'x'.repeat(100_000) };
    const tooLong = await refused(service, 'getAdvancedPlayground', INVALID, {
      body: { ...body, environments: ['development'], context: long },
    });
    expect(tooLong.body.message).toContain('too long');
  });

  it('refuses a request with few results when the answer would be too long', async () => {
    const values = Array.from({ length: 10_000 }, (_, index) => `somebody-${index}-of-many`);
    const long = onFor([{ contextName: 'userId', operator: 'IN', values }]);
    const { project } = await projectWith(...Array.from({ length: 100 }, () => ({ environments: [long] })));
    const context = { appName: 'test', userId: Array.from({ length: 20 }, (_, index) => index).join() };
    const body = { environments: ['development'], projects: [project], context };
    const { text } = await refused(service, 'getAdvancedPlayground', INVALID, { body });
    expect(text).toContain('256000000 characters');
    expect((await ask(project)).features).toHaveLength(100);
  });

  it('refuses what it cannot evaluate', async () => {
    const context = { appName: 'test' };
    const environments = ['development'];
    const refuses = (body: object) => refused(service, 'getAdvancedPlayground', INVALID, { body });
    expect((await refuses({ environments: ['development', 'nowhere'], context })).body.message).toContain('nowhere');
    await refuses({ context });
    await refuses({ environments });
    await refuses({ environments: [], context });
    await refuses({ environments: 'development', context });
    await refuses({ environments: [''], context });
    await refuses({ environments, context: {} });
    await refuses({ environments, context: { appName: '' } });
    await refuses({ environments, projects: 'default', context });
    await refuses({ environments, projects: [1], context });
    const badTime = await refuses({ environments, context: { ...context, currentTime: '2026-03-01T12:00:00Z,noon' } });
    expect(badTime.body.message).toContain('"noon"');
    await refuses({ environments, context: { ...context, userId: 1 } });
    await refuses({ environments, context: { ...context, properties: { plan: 1 } } });
  });
});
