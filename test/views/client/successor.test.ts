import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/model/caller.ts';
import { State } from '../../../src/state/state.ts';
import { ClientViews } from '../../../src/views/client/client-views.ts';
import type { ClientFormat } from '../../../src/views/client/fragment.ts';
import { EVERYTHING } from '../../../src/views/client/query.ts';
import { flag, projectOf } from '../../support/admin.ts';
import { commitOf, history } from '../../support/random-state.ts';

const SCOPES: readonly Scope[] = [
  { environment: 'development', projects: null },
  { environment: 'production', projects: new Set(['default', 'p1']) },
];
const FORMATS: readonly ClientFormat[] = [1, 2];
const PREFIX = { ...EVERYTHING, namePrefix: 'flag-1' };

/** The content of the view without a wait. Fails if a poll would have to wait. */
function contentOf(view: ReturnType<ClientViews['view']>): string {
  expect(view.refresh()).toBeUndefined();
  return `${view.etag} ${Buffer.concat(view.identity.parts)}`;
}

/** All lists; the unfiltered lists must be available at once when `isReady`. */
async function lists(views: ClientViews, isReady = false): Promise<string[]> {
  const answers: string[] = [];
  for (const scope of SCOPES) {
    for (const format of FORMATS) {
      for (const view of [views.view(scope, format), views.filteredView(scope, PREFIX, format)]) {
        if (!isReady) await view.refresh();
      }
      answers.push(contentOf(views.view(scope, format)));
      const filtered = views.filteredView(scope, PREFIX, format);
      await filtered.refresh();
      answers.push(contentOf(filtered));
    }
  }
  return answers;
}

describe('client views that a successor replaces', () => {
  it('have at once the content of views built from scratch, and stay in sync from then on', async () => {
    await fc.assert(
      fc.asyncProperty(history, history, fc.double({ min: 0, max: 1, noNaN: true }), async (before, after, share) => {
        const state = new State();
        const views = new ClientViews(state);
        for (const commit of before) views.apply(state.apply(commit, 'old'));
        await lists(views);
        const next = new State();
        const [early, rest] = [after.slice(0, after.length * share), after.slice(after.length * share)];
        const [meanwhile, later] = [rest.slice(0, 3), rest.slice(3)];
        for (const commit of early) next.apply(commit, 'new');
        const successor = await views.prepare(next);
        for (const commit of meanwhile) successor.apply(next.apply(commit, 'new'));
        successor.takeOver();
        state.replaceWith(next);
        expect(state.generation).toBe(1);
        if (meanwhile.length === 0) await lists(views, true);
        expect(await lists(views)).toEqual(await lists(new ClientViews(next)));
        for (const commit of later) views.apply(state.apply(commit, 'new'));
        expect(await lists(views)).toEqual(await lists(new ClientViews(state)));
        expect(next.seq).toBe(state.seq);
      }),
      { numRuns: 60 },
    );
  });

  it('keep no list of a scope that was released while they were made', async () => {
    const state = new State();
    const views = new ClientViews(state);
    await lists(views);
    const [first, second] = SCOPES as [Scope, Scope];
    const next = new State();
    const successor = await views.successor(next);
    const made = SCOPES.map((scope) => successor.view(scope, 2));
    views.release(first);
    views.takeOver(successor);
    state.replaceWith(next);
    expect(views.view(second, 2)).toBe(made[1]);
    expect(views.view(first, 2)).not.toBe(made[0]);
  });

  it('never give two contents of different histories the same ETag', async () => {
    await fc.assert(
      fc.asyncProperty(history, history, async (left, right) => {
        const seen = new Map<string, string>();
        for (const [mark, commits] of [['left', left] as const, ['right', right] as const]) {
          const state = new State();
          const views = new ClientViews(state);
          for (const commit of commits) {
            views.apply(state.apply(commit, mark));
            for (const scope of SCOPES) {
              const view = views.view(scope, 2);
              await view.refresh();
              const text = Buffer.concat(view.identity.parts).toString();
              const key = `${scope.environment} ${view.etag}`;
              if (state.revisions.environment(scope.environment) > 0) expect(seen.get(key) ?? text).toBe(text);
              seen.set(key, text);
            }
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('answer waiting polls when the other state has a smaller revision', async () => {
    const state = new State();
    const views = new ClientViews(state);
    const apply = (to: State, follow: ClientViews | null, name: string) => {
      const applied = to.apply(commitOf(to, [{ collection: 'features', key: name, entity: flag(name) }]));
      follow?.apply(applied);
    };
    const project = { collection: 'projects' as const, key: 'default', entity: projectOf('default') };
    views.apply(state.apply(commitOf(state, [project])));
    for (let index = 0; index < 50; index++) apply(state, views, `old-${index}`);
    const next = new State();
    next.apply(commitOf(next, [project]));
    apply(next, null, 'new');
    const successor = await views.successor(next);
    const scope: Scope = { environment: 'development', projects: null };
    const lists = [views.view(scope, 2), views.filteredView(scope, { ...EVERYTHING, namePrefix: 'new' }, 1)];
    const polls = lists.map((list) => list.refresh());
    expect(polls).not.toContain(undefined);
    let answered = 0;
    for (const poll of polls) void poll?.then(() => answered++);
    views.takeOver(successor);
    state.replaceWith(next);
    for (let turn = 0; turn < 200 && answered < polls.length; turn++) await new Promise(setImmediate);
    expect(answered).toBe(polls.length);
    for (const list of lists) expect(namesIn(list)).toEqual(['new']);
  });
});

function namesIn(list: ReturnType<ClientViews['view']>): string[] {
  const { features } = JSON.parse(Buffer.concat(list.identity.parts).toString()) as { features: { name: string }[] };
  return features.map(({ name }) => name);
}
