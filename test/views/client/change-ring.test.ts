import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/model/caller.ts';
import type { Project } from '../../../src/model/project.ts';
import type { Change } from '../../../src/state/commit.ts';
import type { PartitionKey } from '../../../src/state/revisions.ts';
import { type AppliedCommit, State } from '../../../src/state/state.ts';
import { ChangeRing } from '../../../src/views/client/change-ring.ts';
import { ClientViews } from '../../../src/views/client/client-views.ts';
import type { ListChanges, ListPosition } from '../../../src/views/client/list-changes.ts';
import { type ClientQuery, EVERYTHING } from '../../../src/views/client/query.ts';
import type { ScopeView } from '../../../src/views/client/scope-view.ts';
import { flag, switchedOn } from '../../support/admin.ts';
import { commitOf, history } from '../../support/random-state.ts';

/** The scope of a token, and the query of a request. */
interface Asked {
  readonly scope: Scope;
  readonly query: ClientQuery;
}

const all = (scope: Scope): Asked => ({ scope, query: EVERYTHING });
const EVERY_PROJECT: Scope = { environment: 'development', projects: null };

const ASKED: readonly Asked[] = [
  all(EVERY_PROJECT),
  all({ environment: 'production', projects: new Set(['default']) }),
  all({ environment: 'development', projects: new Set(['p1', 'p2']) }),
  { scope: EVERY_PROJECT, query: { ...EVERYTHING, projects: ['p1'] } },
  { scope: EVERY_PROJECT, query: { ...EVERYTHING, namePrefix: 'flag-1' } },
  {
    scope: { environment: 'production', projects: new Set(['default', 'p1']) },
    query: { ...EVERYTHING, projects: ['p1', 'p2'] },
  },
];

function viewOf(views: ClientViews, { scope, query }: Asked): ScopeView {
  return query === EVERYTHING ? views.view(scope, 2) : views.filteredView(scope, query, 2);
}

function projectOf(id: string): Project {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    id,
    name: id,
    description: null,
    mode: 'open',
    defaultStickiness: 'default',
    featureLimit: null,
    environments: ['development', 'production'],
    createdAt: at,
    updatedAt: at,
    archivedAt: null,
  };
}

interface List {
  readonly position: ListPosition;
  readonly features: ReadonlyMap<string, unknown>;
  readonly segments: ReadonlyMap<number, unknown>;
}

async function whole(views: ClientViews, asked: Asked): Promise<List> {
  const view = viewOf(views, asked);
  await view.refresh();
  const { features, segments } = JSON.parse(Buffer.concat(view.identity.parts).toString());
  return {
    position: view.position,
    features: new Map(features.map((each: { name: string }) => [each.name, each])),
    segments: new Map(segments.map((each: { id: number }) => [each.id, each])),
  };
}

/** Applies the changes as an SDK does. */
function replayed(list: List, { position, flags, segments }: ListChanges): List {
  const features = new Map(list.features);
  const known = new Map(list.segments);
  const read = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());
  for (const { id, bytes } of segments) bytes ? known.set(id, read(bytes)) : known.delete(id);
  for (const { name, bytes } of flags) bytes ? features.set(name, read(bytes)) : features.delete(name);
  return { position, features, segments: known };
}

function sorted({ position, features, segments }: List): unknown {
  const byKey = ([left]: readonly [unknown, unknown], [right]: readonly [unknown, unknown]) =>
    String(left) < String(right) ? -1 : 1;
  return { position, features: [...features].sort(byKey), segments: [...segments].sort(byKey) };
}

/** Reads the changes since `list`, and checks that they lead to the current list. Returns whether the changes were available. */
async function check(views: ClientViews, asked: Asked, list: List): Promise<boolean> {
  const view = viewOf(views, asked);
  await view.refresh();
  const changes = view.changesSince(list.position);
  if (changes) expect(sorted(replayed(list, changes))).toEqual(sorted(await whole(views, asked)));
  return changes !== null;
}

describe('the changes since a revision', () => {
  it('lead from an old list to the current list, whatever happened in between', async () => {
    let availableCount = 0;
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 9 }), async (commits, keepEvery) => {
        const state = new State();
        const views = new ClientViews(state);
        const lists: [Asked, List][] = [];
        for (const [index, { changes }] of commits.entries()) {
          // A change of a project requires the whole list: most histories contain none.
          const kept =
            index > 0 && keepEvery > 2 ? changes.filter(({ collection }) => collection !== 'projects') : changes;
          if (kept.length > 0) views.apply(state.apply(commitOf(state, kept)));
          if (index % keepEvery !== 0) continue;
          for (const [asked, list] of lists) if (await check(views, asked, list)) availableCount++;
          for (const asked of ASKED) lists.push([asked, await whole(views, asked)]);
        }
      }),
      { numRuns: 40 },
    );
    expect(availableCount).toBeGreaterThan(50);
  });

  it('lead to the current list when flags move from project to project', async () => {
    const destination = fc.constantFrom('default', 'p1', 'p2', undefined);
    const moves = fc.array(fc.tuple(fc.constantFrom('flag-1', 'flag-10', 'other'), destination), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { minLength: 2, maxLength: 12 }), async (commits) => {
        const state = new State();
        const views = new ClientViews(state);
        const apply = (changes: readonly Change[]) => views.apply(state.apply(commitOf(state, changes)));
        apply(['default', 'p1', 'p2'].map((id) => ({ collection: 'projects', key: id, entity: projectOf(id) })));
        const lists: [Asked, List][] = [];
        for (const moved of commits) {
          for (const asked of ASKED) lists.push([asked, await whole(views, asked)]);
          apply(
            moved.map(([name, project]): Change => {
              const environments = [switchedOn('development'), switchedOn('production')];
              const entity = project === undefined ? undefined : flag(name, { project, environments });
              return { collection: 'features', key: name, ...(entity && { entity }) };
            }),
          );
          for (const [asked, list] of lists) expect(await check(views, asked, list)).toBe(true);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('are not available across histories: a client with a list of another history gets the whole list', async () => {
    await fc.assert(
      fc.asyncProperty(history, history, fc.nat(20), async (before, after, shared) => {
        const state = new State();
        const views = new ClientViews(state);
        const next = new State();
        // Both start with the same commits: a position in them is valid in both.
        for (const commit of before.slice(0, shared)) next.apply(commit, 'old');
        const lists: [Asked, List][] = [];
        for (const commit of before) {
          views.apply(state.apply(commit, 'old'));
          for (const asked of ASKED) lists.push([asked, await whole(views, asked)]);
        }
        const first = next.seq;
        for (const { changes } of after.slice(0, 10)) next.apply(commitOf(next, changes), 'new');
        const successor = await views.successor(next);
        for (const { changes } of after.slice(10)) successor.apply(next.apply(commitOf(next, changes), 'new'));
        views.takeOver(successor);
        state.replaceWith(next);
        for (const [asked, list] of lists) {
          const isAvailable = await check(views, asked, list);
          if (list.position.revision > first) expect(isAvailable).toBe(false);
        }
        // Changes are available from there on.
        for (const asked of ASKED) expect(await check(views, asked, await whole(views, asked))).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('are forgotten after a limit, and then not available', async () => {
    const state = new State();
    const views = new ClientViews(state);
    const apply = (...changes: Change[]) => views.apply(state.apply(commitOf(state, changes)));
    apply({ collection: 'projects', key: 'default', entity: projectOf('default') });
    const asked = all(EVERY_PROJECT);
    apply({ collection: 'features', key: 'flag', entity: flag('flag') });
    const old = await whole(views, asked);
    let known = 0;
    for (let count = 0; count < 2_000; count++) {
      apply({ collection: 'features', key: 'flag', entity: flag('flag', { description: String(count) }) });
      if (count % 50 === 0 && (await check(views, asked, old))) known++;
    }
    expect(known).toBeGreaterThan(10);
    expect(await check(views, asked, old)).toBe(false);
    // One commit with more changes than are sent has the same effect.
    const recent = await whole(views, asked);
    const names = Array.from({ length: 1_100 }, (_, index) => `flag-${index}`);
    apply(...names.map((name): Change => ({ collection: 'features', key: name, entity: flag(name) })));
    await viewOf(views, asked).refresh();
    expect(viewOf(views, asked).changesSince(recent.position)).toBeNull();
  });

  it('are remembered for at most 65,536 names: the oldest commits are forgotten first', () => {
    const ring = new ChangeRing(0);
    const state = new State();
    const one = flag('flag');
    const touched = ['production/default', 'development/default'] as unknown as PartitionKey[];
    // The ring reads nothing else of a commit.
    const note = (seq: number, count: number) => {
      const changes = Array.from({ length: count }, () => ({
        collection: 'features' as const,
        key: 'flag',
        after: one,
      }));
      ring.note({ commit: { ...commitOf(state, []), seq, touched }, changes } as unknown as AppliedCommit);
    };
    note(1, 1);
    for (let seq = 2; seq <= 65; seq++) note(seq, 1_000);
    expect(ring.since(0, EVERY_PROJECT)?.flags.size).toBe(1);
    for (let seq = 66; seq <= 67; seq++) note(seq, 1_000);
    expect(ring.since(0, EVERY_PROJECT)).toBeNull();
    expect(ring.since(1, EVERY_PROJECT)).toBeNull();
    expect(ring.since(2, EVERY_PROJECT)?.flags.size).toBe(1);
  });
});
