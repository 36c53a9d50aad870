import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/model/caller.ts';
import type { Change } from '../../../src/state/commit.ts';
import { State } from '../../../src/state/state.ts';
import { ClientViews } from '../../../src/views/client/client-views.ts';
import { commitOf } from '../../support/random-state.ts';

const AT = '2026-01-01T00:00:00.000Z';
const SCOPE: Scope = { environment: 'development', projects: null };

function project(id: string): Change {
  const entity = {
    id,
    name: id,
    description: null,
    mode: 'open',
    defaultStickiness: 'default',
    featureLimit: null,
    environments: ['development'],
    createdAt: AT,
    updatedAt: AT,
    archivedAt: null,
  } as const;
  return { collection: 'projects', key: id, entity };
}

function flag(of: string, index: number, description: string): Change {
  const name = `${of}-${index}`;
  const entity = {
    name,
    project: of,
    type: 'release',
    description,
    stale: false,
    archived: false,
    archivedAt: null,
    impressionData: false,
    createdAt: AT,
    createdBy: { id: 1, name: 'somebody' },
    tags: [],
    dependencies: [],
    environments: [],
  } as const;
  return { collection: 'features', key: name, entity };
}

/** Views whose list was read once, with `flags` flags of `bytes` bytes in every project. */
async function views(projects: readonly string[], flags: number, bytes: number) {
  const state = new State();
  const made = new ClientViews(state);
  const apply = (changes: readonly Change[]) => made.apply(state.apply(commitOf(state, changes)));
  apply(projects.map(project));
  for (const id of projects) for (let index = 0; index < flags; index++) apply([flag(id, index, 'x'.repeat(bytes))]);
  const view = made.view(SCOPE, 2);
  await view.refresh();
  return { made, view, apply };
}

describe('the work for a change in one turn of the event loop', () => {
  it('includes the compression of one chunk of flags, but not of two large chunks: a poll waits for those', async () => {
    const { view, apply } = await views(['p1', 'p2', 'p3'], 5, 30_000);
    apply([flag('p1', 1, 'another')]);
    expect(view.refresh()).toBeUndefined();
    apply([flag('p2', 1, 'another'), flag('p3', 1, 'another')]);
    const waiting = view.refresh();
    expect(waiting).toBeInstanceOf(Promise);
    await waiting;
    expect(view.fresh).toBe(true);
  });

  it('includes copies of a few chunks of large flags, but not of as many as one commit with many deletions affects', async () => {
    const { made, view, apply } = await views(['p1'], 60, 30_000);
    const partition = made.partition('development', 'p1', 2);
    const removal = (index: number): Change => ({ collection: 'features', key: `p1-${index}` });
    apply([removal(1), removal(20)]);
    expect(partition.ready).toBe(true);
    apply(Array.from({ length: 35 }, (_, index) => removal(21 + index)));
    expect(partition.ready).toBe(false);
    await view.refresh();
    const { features } = JSON.parse(Buffer.concat(view.identity.parts).toString());
    expect(features).toHaveLength(23);
  });
});
