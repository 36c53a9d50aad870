import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explain } from '../../src/evaluation/explain.ts';
import type { Feature } from '../../src/model/feature.ts';
import type { Change } from '../../src/state/commit.ts';
import { State } from '../../src/state/state.ts';
import { FlagViews } from '../../src/views/flag-views.ts';
import { flag } from '../support/admin.ts';
import { commitOf, history } from '../support/random-state.ts';

const AT = '2026-01-01T00:00:00.000Z';

const PROJECT = {
  ...{ id: 'default', name: 'default', description: null, mode: 'open' as const, defaultStickiness: 'default' },
  ...{ featureLimit: null, environments: ['development'], createdAt: AT, updatedAt: AT, archivedAt: null },
};

/** Views keep nothing of environments that do not exist. */
function emptyState(): State {
  const state = new State();
  for (const name of ['development', 'production']) {
    state.load('environments', name, { name, type: name, enabled: true, protected: false, sortOrder: 1 });
  }
  return state;
}

/** Everything the views tell: which flags each environment and project has, in order, and what they answer. */
function told(views: FlagViews): unknown {
  return ['development', 'production'].flatMap((environment) => {
    const { find, ofProject } = bound(views, environment);
    const context = { environment, userId: 'a', currentTimeMs: 0, random: () => 0.5 };
    return ['default', 'p1', 'p2', 'nobody'].map((project) =>
      [...ofProject(project)].flat().map((flag) => ({ name: flag.name, ...explain(flag, context, find) })),
    );
  });
}

function bound(views: FlagViews, environment: string) {
  const flags = views.environment(environment);
  return { find: flags.find, ofProject: (project: string) => flags.ofProject(project) };
}

describe('flag views', () => {
  it('kept in step commit by commit tell what those built from scratch tell', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 5 }), (commits, askEvery) => {
        const state = emptyState();
        const views = new FlagViews(state);
        for (const commit of commits) {
          views.apply(state.apply(commit));
          if (commit.seq % askEvery === 0) told(views);
        }
        expect(told(views)).toEqual(told(new FlagViews(state)));
      }),
      { numRuns: 60 },
    );
  });

  it('may be read across commits: what is handed out is as it is then, and no flag is told twice', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const state = emptyState();
        const views = new FlagViews(state);
        const half = commits.length >>> 1;
        for (const commit of commits.slice(0, half)) views.apply(state.apply(commit));
        const reading = views.environment('development').ofProject('default')[Symbol.iterator]();
        const first = reading.next().value ?? [];
        for (const commit of commits.slice(half)) views.apply(state.apply(commit));
        const rest = [...{ [Symbol.iterator]: () => reading }].flat();
        for (const { name } of rest)
          expect(state.get('features', name)).toMatchObject({ project: 'default', archived: false });
        const names = [...first, ...rest].map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
      }),
      { numRuns: 60 },
    );
  });

  it('keep the flags in lists that are handed out again until one of them changes', () => {
    const state = emptyState();
    const views = new FlagViews(state);
    const names = Array.from({ length: 200 }, (_, index) => `flag-${String(index).padStart(3, '0')}`);
    const apply = (...changes: Change[]) => views.apply(state.apply(commitOf(state, changes)));
    const put = (...features: Feature[]) =>
      apply(...features.map((entity) => ({ collection: 'features' as const, key: entity.name, entity })));
    apply({ collection: 'projects', key: 'default', entity: PROJECT });
    put(...names.map((name) => flag(name)));
    const lists = () => [...views.environment('development').ofProject('default')].filter(({ length }) => length > 0);
    const before = lists();
    expect(before.flat().map(({ name }) => name)).toEqual(names);
    expect(lists()).toHaveLength(before.length);
    for (const [index, list] of lists().entries()) expect(list).toBe(before[index]);
    put(flag('flag-100', { impressionData: true }));
    const after = lists();
    const changed = after.filter((list, index) => list !== before[index]);
    expect(changed).toHaveLength(1);
    expect(changed.flat().find(({ name }) => name === 'flag-100')?.impressionData).toBe(true);
    put(flag('flag-0500'));
    expect(
      lists()
        .flat()
        .map(({ name }) => name),
    ).toEqual([...names, 'flag-0500'].sort());
  });
});
