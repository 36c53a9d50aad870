import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/base/yield-control.ts';
import { type ChangeRequest, requestBytes } from '../../src/model/change-request.ts';
import type { Feature } from '../../src/model/feature.ts';
import type { StateReader } from '../../src/state/collections.ts';
import type { Commit } from '../../src/state/commit.ts';
import { FixedState } from '../../src/state/fixed-state.ts';
import { State } from '../../src/state/state.ts';
import { flag } from '../support/admin.ts';
import { commitOf, history } from '../support/random-state.ts';

function stateAfter(commits: readonly Commit[]): State {
  const state = new State();
  for (const commit of commits) state.apply(commit);
  return state;
}

function requestWith(id: number, text: string, state: 'Draft' | 'Applied'): ChangeRequest {
  const by = { id: 1, name: 'test' };
  return {
    id,
    title: '',
    project: 'default',
    environment: 'production',
    state,
    minApprovals: 1,
    changes: [],
    approvals: [],
    rejections: [],
    comments: [{ id: 1, text, by, at: '' }],
    schedule: null,
    createdBy: by,
    createdAt: '',
    closedAt: null,
  };
}

/** Everything that a reader can tell about flags and projects, in an order that does not depend on the order of changes. */
function contentOf(reader: StateReader) {
  const sorted = (entities: Iterable<object>) => Array.from(entities, (one) => JSON.stringify(one)).sort();
  const projects = Array.from(reader.values('projects'), ({ id }) => id).sort();
  return {
    features: sorted(reader.values('features')),
    projects: sorted(reader.values('projects')),
    segments: sorted(reader.values('segments')),
    sizes: [reader.size('features'), reader.size('projects'), reader.size('segments')],
    byProject: projects.map((project) => [
      sorted(reader.lookup('featuresByProject', project)),
      reader.count('featuresByProject', project),
      reader.count('archivedByProject', project),
    ]),
    each: Array.from(reader.values('features'), ({ name }) => reader.get('features', name)?.name).sort(),
  };
}

describe('a fixed state', () => {
  it('is what the state was when it was fixed, whatever is committed afterwards', () => {
    fc.assert(
      fc.property(history, fc.nat(100), (commits, percent) => {
        const at = Math.floor((commits.length * percent) / 100);
        const expected = contentOf(stateAfter(commits.slice(0, at)));
        const live = stateAfter(commits.slice(0, at));
        const fixed = new FixedState(live);
        for (const commit of commits.slice(at)) fixed.apply(live.apply(commit));
        expect(contentOf(fixed)).toEqual(expected);
        expect(fixed.isLost).toBe(false);
      }),
    );
  });

  it('has each entity once in an iteration during which commits are applied', () => {
    fc.assert(
      fc.property(history, fc.nat(100), (commits, percent) => {
        const at = Math.floor((commits.length * percent) / 100);
        const live = stateAfter(commits.slice(0, at));
        const fixed = new FixedState(live);
        const expected = Array.from(live.values('features'), ({ name }) => name).sort();
        const later = commits.slice(at).values();
        const names: string[] = [];
        for (const { name } of fixed.values('features')) {
          names.push(name);
          const { value: commit } = later.next();
          if (commit) fixed.apply(live.apply(commit));
        }
        expect(names.sort()).toEqual(expected);
      }),
    );
  });

  it('has in an iteration what it had at the first step, whatever was replaced before and is replaced meanwhile', () => {
    const live = new State();
    const put = (...flags: readonly Feature[]) => {
      const changes = flags.map((entity) => ({ collection: 'features' as const, key: entity.name, entity }));
      return live.apply(commitOf(live, changes));
    };
    const before = [flag('a'), flag('b'), flag('c')];
    put(...before);
    const fixed = new FixedState(live);
    fixed.apply(put(flag('a', { description: 'new' })));
    const seen: Feature[] = [];
    for (const entity of fixed.values('features')) {
      seen.push(entity);
      // Both were not replaced at the first step: they are kept now, and not shown a second time.
      if (seen.length === 2) fixed.apply(put(flag('b', { description: 'new' }), flag('d')));
    }
    expect(seen.map(({ name }) => name)).toEqual(['b', 'c', 'a']);
    expect(seen.every((entity) => before.includes(entity))).toBe(true);
    expect(fixed.kept).toBe(3);
  });

  it('has the sums of its moment', () => {
    const live = new State();
    const put = (id: number, text: string, state: 'Draft' | 'Applied') => {
      const entity = requestWith(id, text, state);
      return live.apply(commitOf(live, [{ collection: 'changeRequests', key: String(id), entity }]));
    };
    const sums = (reader: StateReader) =>
      (['openRequests', 'closedRequests'] as const).map((index) => reader.sum(index, ''));
    put(1, 'first', 'Draft');
    put(2, 'second', 'Applied');
    const fixed = new FixedState(live);
    const expected = sums(live);
    expect(expected).toEqual([
      requestBytes(requestWith(1, 'first', 'Draft')),
      requestBytes(requestWith(2, 'second', 'Applied')),
    ]);
    expect(sums(fixed)).toEqual(expected);
    for (const applied of [put(1, 'first', 'Applied'), put(2, 'a longer text', 'Applied'), put(3, 'third', 'Draft')])
      fixed.apply(applied);
    expect(sums(live)).not.toEqual(expected);
    expect(sums(fixed)).toEqual(expected);
  });

  it('finds what is under a key while a large commit is not settled yet', () => {
    const live = new State();
    const put = (...flags: readonly Feature[]) =>
      commitOf(
        live,
        flags.map((entity) => ({ collection: 'features', key: entity.name, entity })),
      );
    live.apply(put(flag('moved'), flag('changed'), flag('same'), flag('removed')));
    const staged = atOnce(
      live.stage(
        commitOf(live, [
          ...put(flag('moved', { project: 'other' }), flag('changed', { stale: true }), flag('new')).changes,
          { collection: 'features', key: 'removed' },
        ]),
      ),
    );
    live.publish(staged);
    const fixed = new FixedState(live);
    const names = (project: string) =>
      Array.from(fixed.lookup('featuresByProject', project), ({ name }) => name).sort();
    const found = () => [names('default'), names('other'), names('none')];
    const expected = [['changed', 'new', 'same'], ['moved'], []];
    expect(found()).toEqual(expected);
    atOnce(live.settle());
    expect(found()).toEqual(expected);
    expect(fixed.get('features', 'changed')?.stale).toBe(true);
  });

  it('shows in a project only flags that are in it, also when it is lost while they are read', () => {
    const live = new State();
    const put = (...flags: Feature[]) =>
      live.apply(
        commitOf(
          live,
          flags.map((entity) => ({ collection: 'features', key: entity.name, entity })),
        ),
      );
    put(flag('a'), flag('b'), flag('c'));
    const fixed = new FixedState(live);
    const names: string[] = [];
    for (const { name } of fixed.lookup('featuresByProject', 'default')) {
      names.push(name);
      if (name !== 'a') continue;
      put(flag('b', { project: 'another' }));
      fixed.release();
    }
    expect(names).toEqual(['a', 'c']);
    expect(fixed.kept).toBe(0);
  });

  it('has the permissions of its moment, and after its release those of now', () => {
    const live = new State();
    const fixed = new FixedState(live);
    const entity = { groupId: 1, userId: 2, joinedAt: '2026-01-01T00:00:00.000Z', createdBy: 'ada', bySignOn: false };
    fixed.apply(live.apply(commitOf(live, [{ collection: 'groupMembers', key: '1/2', entity } as never])));
    expect(fixed.permissionCache).not.toBe(live.permissionCache);
    fixed.release();
    expect(fixed.permissionCache).toBe(live.permissionCache);
  });

  it('is lost when the live state is replaced, and after a large commit', () => {
    const live = new State();
    const fixed = new FixedState(live);
    live.replaceWith(new State());
    expect(fixed.isLost).toBe(true);
    const other = new FixedState(live);
    other.apply({ commit: undefined as never, changes: [], bulk: { projects: new Set(), changesExceptFlags: [] } });
    expect(other.isLost).toBe(true);
  });
});
