import { describe, expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { validate } from '../../../src/base/validation.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { decideInSteps } from '../../../src/engine/command.ts';
import { takeOver } from '../../../src/features/import-export/instance/commands.ts';
import {
  IMPORTED_MAX,
  type ImportedFeature,
  InstanceImportInput,
} from '../../../src/features/import-export/instance/input.ts';
import { createSegment } from '../../../src/features/segments/commands.ts';
import { systemCaller } from '../../../src/model/caller.ts';
import type { Feature } from '../../../src/model/feature.ts';
import type { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';
import { seedWorld } from '../../support/command-world.ts';
import { contextOf } from '../../support/stored-commands.ts';

function take(input: InstanceImportInput, draft: Draft = seedWorld(new State())) {
  expect(validate(InstanceImportInput, input, 'body')).toBeUndefined();
  const outcome = atOnce(decideInSteps(takeOver, contextOf(draft, systemCaller(), []), input));
  if (outcome instanceof Rejection) throw new Error(outcome.message);
  return { ...outcome, draft };
}

const STRATEGY: ImportedFeature['environments'][number]['strategies'][number] = {
  id: 'one',
  name: 'default',
  title: null,
  disabled: false,
  parameters: {},
  constraints: [],
  segments: [],
  variants: [],
};

function flag(changes: Partial<ImportedFeature>): ImportedFeature {
  return {
    name: 'taken',
    project: 'default',
    type: 'release',
    description: null,
    stale: false,
    impressionData: false,
    archivedAt: null,
    environments: [],
    tags: [],
    dependencies: [],
    links: [],
    ...changes,
  };
}

const setting = { environment: 'development', enabled: true, strategies: [STRATEGY], variants: [] };
const parent = { feature: 'parent', enabled: true, variants: [] };

describe('an import of data', () => {
  it.each([
    ['an environment twice', { environments: [setting, { ...setting, enabled: false }] }],
    ['two strategies of one id', { environments: [{ ...setting, strategies: [STRATEGY, STRATEGY] }] }],
    ['a parent twice, on and off', { dependencies: [parent, { ...parent, enabled: false }] }],
    ['a project that is archived', { project: 'away' }],
  ])('refuses a flag that has %s, and does not create it', (_what, changes) => {
    const { items, draft } = take({
      features: [flag({ name: 'parent', environments: [] }), flag({ ...changes })],
    });
    expect(items.find(({ name }) => name === 'taken')).toMatchObject({ outcome: 'refused' });
    expect(draft.get('features', 'taken')).toBeUndefined();
  });

  it('accepts at most IMPORTED_MAX items of all kinds together', () => {
    const tags = (count: number) => Array.from({ length: count }, (_, at) => ({ type: 'simple', value: `tag-${at}` }));
    const types = (count: number) => Array.from({ length: count }, () => ({ id: 'release', lifetimeDays: 3 }) as const);
    const half = IMPORTED_MAX / 2;
    expect(take({ tags: tags(half), featureTypes: types(half) }).items).toHaveLength(half + 1);
    expect(() => take({ tags: tags(half), featureTypes: types(half + 1) })).toThrow(
      `this one contains ${IMPORTED_MAX + 1}`,
    );
  });

  it('keeps omitted fields of an existing flag, and uses the defaults of new flags for a new one', () => {
    const tags = [{ type: 'simple', value: 'mine' }];
    const links = [{ id: 'a', url: 'https://example.org/', title: null }];
    const details = { type: 'experiment', description: 'mine', stale: true, impressionData: true } as const;
    const away = { archivedAt: '2026-01-01T00:00:00.000Z' };
    const features = [flag({ name: 'parent' }), flag({ ...details, tags, links, dependencies: [parent] })];
    const { draft } = take({ features: [...features, flag({ ...away, name: 'away' })] });
    const declared = { type: 'string', defaultValue: '"by code"' } as const;
    draft.put('features', { ...(draft.get('features', 'taken') as Feature), manifest: declared });
    const before = draft.get('features', 'taken');
    const bare = (name: string) => ({ name, project: 'default', environments: [] });
    const { items } = take({ features: [bare('taken'), bare('away'), bare('new')] }, draft);
    expect(items.map(({ name, outcome }) => [name, outcome])).toEqual([['new', 'created']]);
    expect(draft.get('features', 'taken')).toEqual(before);
    expect(draft.get('features', 'new')).toMatchObject({
      type: 'release',
      description: null,
      stale: false,
      impressionData: false,
      archived: false,
      archivedAt: null,
      tags: [],
      dependencies: [],
    });
  });

  it('stores a parent once when the input has it twice with the same settings, as Unleash does', () => {
    const { draft } = take({ features: [flag({ name: 'parent' }), flag({ dependencies: [parent, { ...parent }] })] });
    expect(draft.get('features', 'taken')?.dependencies).toEqual([parent]);
  });

  it('leaves out a dependency on an archived flag, and says so', () => {
    const old = flag({ name: 'old', archivedAt: '2026-01-01T00:00:00.000Z' });
    const onOld = { feature: 'old', enabled: true, variants: [] };
    const { draft, items } = take({
      features: [flag({ name: 'parent' }), old, flag({ dependencies: [onOld, parent] })],
    });
    expect(draft.get('features', 'taken')?.dependencies).toEqual([parent]);
    const reason = 'Its dependency on old is left out: that flag is archived.';
    expect(items.filter(({ name }) => name === 'taken')).toEqual([
      { kind: 'features', name: 'taken', outcome: 'refused', reason },
      { kind: 'features', name: 'taken', outcome: 'created' },
    ]);
  });

  it('completes what people and exports say, and nothing that a source serves', () => {
    const strategies = [{ ...STRATEGY, name: 'flexibleRollout' }];
    const stored = (isServed?: boolean) => {
      const sent = { ...setting, strategies, ...(isServed !== undefined && { isServed }) };
      const { draft } = take({ features: [flag({ environments: [sent] })] });
      return draft.get('features', 'taken')?.environments[0]?.strategies[0]?.parameters;
    };
    expect(stored()).toEqual({ rollout: '100', stickiness: 'default', groupId: 'taken' });
    expect(stored(false)).toEqual(stored());
    expect(stored(true)).toEqual({});
  });

  it.each(['', 'many', '101', '-1'])('takes the percentage "%s" only if a source serves it', (rollout) => {
    const strategies = [{ ...STRATEGY, name: 'flexibleRollout', parameters: { rollout } }];
    const taken = (isServed: boolean) =>
      take({ features: [flag({ environments: [{ ...setting, strategies, isServed }] })] });
    expect(taken(false).items).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining('rollout') }]);
    const { draft } = taken(true);
    expect(draft.get('features', 'taken')?.environments[0]?.strategies[0]?.parameters).toEqual({ rollout });
  });

  it('keeps banners with the same message apart, and finds each of them again', () => {
    const freeze = { message: 'Freeze', createdAt: '2026-01-01T00:00:00.000Z' };
    const banners = [
      { ...freeze, enabled: false },
      { ...freeze, createdAt: '2026-02-01T00:00:00.000Z', enabled: true },
    ];
    const { draft } = take({ banners });
    const own = () => [...draft.values('banners')].filter(({ message }) => message === freeze.message);
    const stored = () => own().map(({ createdAt, enabled }) => ({ createdAt, enabled }));
    expect(stored()).toEqual(banners.map(({ createdAt, enabled }) => ({ createdAt, enabled })));
    expect(take({ banners }, draft)).toMatchObject({ items: [], unchanged: 2 });
    // Without a banner of the same time, one of another time matches.
    take({ banners: [{ ...freeze, createdAt: '2026-03-01T00:00:00.000Z' }] }, draft);
    expect(stored()).toHaveLength(2);
  });

  const fresh = {
    id: 'fresh',
    name: 'Fresh',
    description: null,
    mode: 'open' as const,
    defaultStickiness: 'default',
    featureLimit: null,
    environments: ['development', 'production'],
  };

  it('adds each environment to a project once', () => {
    const { draft } = take({ projects: [{ ...fresh, environments: [...fresh.environments, 'development'] }] });
    expect(draft.get('projects', 'fresh')?.environments).toEqual(fresh.environments);
  });

  it('suspends the schedules of a project that it archives', () => {
    const { draft } = take({ projects: [fresh] });
    const request = draft.get('changeRequests', '3');
    if (request?.schedule?.status !== 'pending') throw new Error('nothing is scheduled');
    draft.put('changeRequests', { ...request, project: 'fresh' });
    take({ projects: [{ ...fresh, archivedAt: '2026-01-01T00:00:00.000Z' }] }, draft);
    const { schedule } = draft.get('changeRequests', '3') ?? {};
    expect(schedule).toMatchObject({ status: 'suspended', reason: 'The project fresh was archived.' });
  });

  it('keeps the environments of a project that its flags use, and removes the other omitted ones', () => {
    const world = seedWorld(new State());
    const known = world.get('projects', 'default');
    if (!known) throw new Error('there is no default project');
    world.put('environments', { name: 'unused', type: 'test', enabled: true, protected: false, sortOrder: 9 });
    world.put('projects', { ...known, environments: ['development', 'production', 'unused'] });
    const before = world.get('features', 'live');
    const { name, description, mode, defaultStickiness, featureLimit } = known;
    const fields = { id: 'default', name, description, mode, defaultStickiness, featureLimit };
    const { draft } = take({ projects: [{ ...fields, environments: ['production'] }] }, world);
    expect(draft.get('projects', 'default')?.environments.toSorted()).toEqual(['development', 'production']);
    expect(draft.get('features', 'live')).toEqual(before);
  });

  it('refuses a segment id that has no successor', () => {
    const segment = { name: 'huge', description: null, project: null, constraints: [] };
    const idOf = (id: number) => validate(InstanceImportInput, { segments: [{ ...segment, id }] }, 'body');
    expect(idOf(Number.MAX_SAFE_INTEGER)).toBeInstanceOf(Rejection);
    const { draft } = take({ segments: [{ ...segment, id: 2_147_483_647 }] });
    const context = contextOf(draft, systemCaller(), []);
    const input = { name: 'next', description: null, project: null, constraints: [] };
    const made = atOnce(decideInSteps(createSegment, context, input));
    expect(made).toMatchObject({ id: 2_147_483_648 });
    expect(draft.get('segments', '2147483647')?.name).toBe('huge');
  });
});
