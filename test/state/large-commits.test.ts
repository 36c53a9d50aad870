import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../src/base/asking/asker.ts';
import { atOnce, Slicer } from '../../src/base/yield-control.ts';
import { Replica } from '../../src/engine/replica.ts';
import { collectionNames } from '../../src/state/collections.ts';
import type { Change } from '../../src/state/commit.ts';
import { APPLIED_AT_ONCE_BYTES, APPLIED_AT_ONCE_MAX, State } from '../../src/state/state.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { flag } from '../support/admin.ts';
import { commitOf, history } from '../support/random-state.ts';

/** Everything that can be read from a state, as text. Its lists, sizes, counts and single entities must agree. */
function contentsOf(state: State): string {
  const wrong: string[] = [];
  const byKey = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]) => (left < right ? -1 : 1);
  const collections = collectionNames().map((name) => {
    const entries = [...state.entries(name)].sort(byKey);
    if (entries.some(([key, entity]) => state.get(name, key) !== entity)) wrong.push(`an entity of ${name}`);
    if ([...state.values(name)].length !== entries.length) wrong.push(`the number of ${name}`);
    return [name, state.size(name), entries];
  });
  const lookups = (['featuresByProject', 'featuresBySegment', 'archivedByProject', 'featuresByTagType'] as const).map(
    (index) =>
      ['default', 'p1', 'p2', '1', '2', '3', 'simple'].map((key) => {
        const names = [...state.lookup(index, key)].map(({ name }) => name).sort();
        if (state.count(index, key) !== names.length) wrong.push(`the number of ${key} in ${index}`);
        return names;
      }),
  );
  expect(wrong).toEqual([]);
  return JSON.stringify({ seq: state.seq, collections, lookups, revisions: state.revisions.entries().sort(byKey) });
}

describe('a commit that is staged, published and settled', () => {
  it('is invisible before it is published, visible as a whole after, and equal to a commit applied at once', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const [applied, staged] = [new State(), new State()];
        for (const commit of commits) {
          const before = contentsOf(applied);
          const steps = staged.stage(commit);
          let step = steps.next();
          for (; !step.done; step = steps.next()) expect(contentsOf(staged)).toBe(before);
          const one = applied.apply(commit, 'mark');
          const other = staged.publish(step.value, 'mark');
          expect(other.changes).toEqual(one.changes);
          const after = contentsOf(applied);
          expect(contentsOf(staged)).toBe(after);
          for (const _step of staged.settle()) expect(contentsOf(staged)).toBe(after);
          expect(contentsOf(staged)).toBe(after);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('does not disturb an iteration that runs meanwhile', () => {
    const state = new State();
    const put = (from: number, to: number): Change[] =>
      Array.from({ length: to - from }, (_, index) => {
        const name = `flag-${from + index}`;
        return { collection: 'features', key: name, entity: flag(name, { description: String(to) }) };
      });
    state.apply(commitOf(state, put(0, 20)));
    state.publish(atOnce(state.stage(commitOf(state, put(10, 40)))));
    const reading = state.entries('features');
    const seen = [reading.next().value, reading.next().value];
    atOnce(state.settle());
    for (const entry of reading) seen.push(entry);
    expect(seen.map((entry) => entry?.[0]).sort()).toEqual([...state.entries('features')].map(([key]) => key).sort());
    for (const entry of seen) if (entry) expect(state.get('features', entry[0])).toBe(entry[1]);
  });
});

describe('a replica', () => {
  const size = 4 * APPLIED_AT_ONCE_MAX;
  const changes: readonly Change[] = Array.from({ length: size }, (_, index) => {
    const name = `flag-${index}`;
    return { collection: 'features', key: name, entity: flag(name) };
  });

  it('applies a commit of few changes in slices too, when its record is large', async () => {
    const state = new State();
    const replica = new Replica(state, new MemoryStore());
    const few = commitOf(state, changes.slice(0, 4));
    const bytes = Buffer.alloc(APPLIED_AT_ONCE_BYTES + 1);
    expect(replica.offer(few, { seq: 1, bytes })).toBe(false);
    expect(await replica.take(few, { seq: 1, bytes })).toBe(true);
    expect(state.size('features')).toBe(4);
    // One change cannot be divided: staging it has no benefit.
    const one = commitOf(state, changes.slice(4, 5));
    while (!replica.offer(one, { seq: 2, bytes })) await new Promise(setImmediate);
    expect(state.size('features')).toBe(5);
  });

  it('applies a large commit in slices, shows all of it or nothing, and applies the next commits after it', async () => {
    const state = new State();
    const replica = new Replica(state, new MemoryStore());
    const heard: number[] = [];
    replica.onApplied(({ commit }) => heard.push(commit.seq));
    const large = commitOf(state, changes);
    const next = { ...commitOf(state, [{ collection: 'features', key: 'flag-0' }]), seq: 2 };
    expect(replica.offer(large)).toBe(false);
    const counts = new Set<number>();
    const taken = Promise.all([replica.take(large), replica.take(large), replica.take(next)]);
    let isTaken = false;
    void taken.then(() => {
      isTaken = true;
    });
    while (!isTaken) {
      counts.add(state.count('featuresByProject', 'default'));
      await new Promise(setImmediate);
    }
    // The caller offers a commit again when it came too early.
    const [one, other, early] = await taken;
    expect([one, other]).toEqual([true, true]);
    if (!early) expect(await replica.take(next)).toBe(true);
    for (const count of counts) expect([0, size, size - 1]).toContain(count);
    expect(state.count('featuresByProject', 'default')).toBe(size - 1);
    expect(heard).toEqual([1, 2]);
  });

  it('applies a large commit once, also when it was prepared twice in the same turn', async () => {
    const state = new State();
    const replica = new Replica(state, new MemoryStore());
    const heard: number[] = [];
    replica.onApplied(({ commit }) => heard.push(commit.seq));
    const large = commitOf(state, changes);
    const unpaused = () => Slicer.of(SERVICE, Number.POSITIVE_INFINITY);
    expect(await Promise.all([unpaused(), unpaused()].map((slicer) => replica.take(large, undefined, slicer)))).toEqual(
      [true, true],
    );
    expect(state.size('features')).toBe(size);
    expect(heard).toEqual([1]);
  });

  it('tries a large commit again on the state that replaced its own while the commit was prepared', async () => {
    const state = new State();
    const replica = new Replica(state, new MemoryStore());
    const large = commitOf(state, changes);
    const pausing = () => Slicer.of(SERVICE, 0);
    const onEmpty = replica.take(large, undefined, pausing());
    state.replaceWith(new State());
    expect(await onEmpty).toBe(true);
    expect(state.size('features')).toBe(size);
    const second = { ...commitOf(state, changes), seq: 2 };
    const onNewer = replica.take(second, undefined, pausing());
    const newer = new State();
    newer.seq = 2;
    state.replaceWith(newer);
    expect(await onNewer).toBe(true);
    expect(state.size('features')).toBe(0);
  });
});
