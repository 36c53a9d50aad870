import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explain } from '../../src/evaluation/explain.ts';
import { State } from '../../src/state/state.ts';
import { FlagViews } from '../../src/views/flag-views.ts';
import { history } from '../support/random-state.ts';

/** Everything the views tell: which flags each environment and project has, in order, and what they answer. */
function told(views: FlagViews): unknown {
  return ['development', 'production'].flatMap((environment) => {
    const { find, ofProject } = bound(views, environment);
    const context = { environment, userId: 'a', currentTimeMs: 0, random: () => 0.5 };
    return ['default', 'p1', 'p2', 'nobody'].map((project) =>
      Array.from(ofProject(project), (flag) => ({ name: flag.name, ...explain(flag, context, find) })),
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
        const state = new State();
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

  it('may be read across commits: a flag that went away meanwhile is not told, and none is told twice', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const state = new State();
        const views = new FlagViews(state);
        const half = commits.length >>> 1;
        for (const commit of commits.slice(0, half)) views.apply(state.apply(commit));
        const reading = views.environment('development').ofProject('default')[Symbol.iterator]();
        const names = [reading.next().value?.name];
        for (const commit of commits.slice(half)) views.apply(state.apply(commit));
        const rest = Array.from({ [Symbol.iterator]: () => reading }, (flag) => flag.name);
        for (const name of rest)
          expect(state.get('features', name)).toMatchObject({ project: 'default', archived: false });
        expect(new Set([...names, ...rest]).size).toBe(rest.length + 1);
      }),
      { numRuns: 60 },
    );
  });
});
