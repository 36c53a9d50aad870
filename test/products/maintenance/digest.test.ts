import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { canonical, digestState } from '../../../src/products/maintenance/digest.ts';
import { collectionNames } from '../../../src/state/collections.ts';
import { decodeSnapshot, encodeSnapshot } from '../../../src/state/snapshot.ts';
import { State } from '../../../src/state/state.ts';
import { history } from '../../support/random-state.ts';

const LAST_EVENT_ID = 7;

function replayed(commits: Parameters<State['apply']>[0][]): State {
  const state = new State();
  for (const commit of commits) state.apply(commit);
  state.lastEventId = LAST_EVENT_ID;
  return state;
}

/** The same state, built in the reverse order. */
function reversed(state: State): State {
  const other = new State();
  for (const collection of collectionNames()) {
    for (const [key, entity] of [...state.entries(collection)].reverse()) {
      other.load(collection, key, Object.fromEntries(Object.entries(entity).reverse()) as typeof entity);
    }
  }
  other.revisions.load(state.revisions.entries().reverse(), state.revisions.chapters);
  other.seq = state.seq;
  other.lastEventId = state.lastEventId;
  return other;
}

describe('the digest of a state', () => {
  it('is the same for a state that was replayed, loaded from a snapshot, or built in another order', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (commits) => {
        const state = replayed([...commits]);
        const digest = await digestState(state);
        expect(await digestState(await decodeSnapshot(encodeSnapshot(state, SERVICE)))).toBe(digest);
        expect(await digestState(reversed(state))).toBe(digest);
      }),
      { numRuns: 40 },
    );
  });

  it('changes with an entity, a revision, the sequence number and the last event', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (commits) => {
        const digest = await digestState(replayed([...commits]));
        const changes: ((state: State) => void)[] = [
          (state) => state.load('counters', 'another', { value: 1 }),
          (state) => state.revisions.touch('development/another', 1),
          (state) => void state.seq++,
          (state) => void state.lastEventId++,
        ];
        for (const change of changes) {
          const state = replayed([...commits]);
          change(state);
          expect(await digestState(state)).not.toBe(digest);
        }
      }),
      { numRuns: 10 },
    );
  });
});

describe('the canonical form', () => {
  it('distinguishes similar values, and ignores the order of fields and undefined fields', () => {
    const distinct = [null, '', 'null', 0, '0', false, [], [[]], {}, { a: null }, { a: {} }, { a: [] }, ['a'], [null]];
    expect(new Set(distinct.map(canonical)).size).toBe(distinct.length);
    expect(canonical({ b: 1, a: { d: 2, c: undefined } })).toBe(canonical({ a: { d: 2 }, b: 1 }));
    expect(canonical(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
  });
});
