import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../src/base/asking/asker.ts';
import type { KeysOf } from '../../src/model/collection.ts';
import { collectionNames, collectionOf, type IndexName } from '../../src/state/collections.ts';
import { type Commit, decodeCommit, encodeCommit } from '../../src/state/commit.ts';
import { decodeSnapshot, encodeSnapshot } from '../../src/state/snapshot.ts';
import { State } from '../../src/state/state.ts';
import { DamagedRecordError, UnknownFormatError } from '../../src/state/stored-schema.ts';
import { history } from '../support/random-state.ts';

/** Everything in a state, as plain data in a fixed order. */
function dump(state: State): unknown {
  const collections = collectionNames().map((name) => [
    name,
    [...state.entries(name)].sort(([left], [right]) => (left < right ? -1 : 1)),
  ]);
  const indexes = ['1', '2', '3'].map((id) =>
    [...state.lookup('featuresBySegment', id)].map((feature) => feature.name).sort(),
  );
  const revisions = state.revisions.entries().sort(([left], [right]) => (left < right ? -1 : 1));
  return { seq: state.seq, collections, indexes, revisions };
}

function replay(commits: readonly Commit[], state = new State()): State {
  for (const commit of commits) if (commit.seq > state.seq) state.apply(commit);
  return state;
}

async function* replayed(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

describe('state', () => {
  it('is the same after its log was encoded and decoded', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const decoded = commits.map((commit) => decodeCommit(encodeCommit(commit)));
        expect(dump(replay(decoded))).toEqual(dump(replay(commits)));
      }),
      { numRuns: 100 },
    );
  });

  it('is the same from a snapshot and the rest of the log as from the whole log, also with commits during the snapshot', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.infiniteStream(fc.nat(3)),
        async (commits, at, pace) => {
          const live = replay(commits.slice(0, Math.floor(at * commits.length)));
          let next = live.seq;
          const pieces: Uint8Array[] = [];
          for await (const piece of encodeSnapshot(live, SERVICE)) {
            pieces.push(piece);
            // Between any two slices some of the remaining commits are applied.
            for (let count = pace.next().value ?? 0; count > 0 && next < commits.length; count--)
              live.apply(commits[next++] as Commit);
          }
          replay(commits, live);
          const recovered = replay(commits, await decodeSnapshot(replayed(pieces)));
          expect(dump(recovered)).toEqual(dump(live));
          expect(dump(recovered)).toEqual(dump(replay(commits)));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('refuses records and snapshots of an unknown format', async () => {
    const { Packr } = await import('msgpackr');
    const packr = new Packr({ useRecords: false });
    expect(() => decodeCommit(packr.pack([99, 1]))).toThrow(UnknownFormatError);
    const newer = packr.pack({ kind: 'header', format: 99, seq: 1, lastEventId: 0 });
    await expect(decodeSnapshot(replayed([newer]))).rejects.toThrow(UnknownFormatError);
  });

  it('refuses a snapshot with an unknown collection or schema', async () => {
    const { Packr } = await import('msgpackr');
    const snapshotWith = (slice: object) =>
      replayed(
        [
          { kind: 'header', format: 2, seq: 1, lastEventId: 0 },
          { kind: 'slice', entries: [['a', { name: 'a' }]], ...slice },
          { kind: 'end', revisions: [], chapters: [], entryCount: 1 },
        ].map((piece) => Uint8Array.from(new Packr({ useRecords: true }).pack(piece))),
      );
    expect((await decodeSnapshot(snapshotWith({ collection: 'tagTypes', schema: 1 }))).size('tagTypes')).toBe(1);
    await expect(decodeSnapshot(snapshotWith({ collection: 'novelties', schema: 1 }))).rejects.toThrow(
      'snapshot has the collection "novelties", which this Burgee does not know',
    );
    await expect(decodeSnapshot(snapshotWith({ collection: 'tagTypes', schema: 2 }))).rejects.toThrow(
      'snapshot has "tagTypes" of schema 2; this Burgee reads up to schema 1',
    );
    await expect(decodeSnapshot(replayed([Uint8Array.of(0xdc, 0xff)]))).rejects.toThrow(DamagedRecordError);
  });

  it('stores each entity under its own key, and finds it in every index by its current fields', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const state = replay(commits);
        for (const name of collectionNames()) {
          const { keyOf } = collectionOf(name) as { keyOf: ((entity: unknown) => string) | null };
          for (const [key, entity] of state.entries(name)) if (keyOf) expect(keyOf(entity)).toBe(key);
          const indexes = Object.entries(collectionOf(name).indexes as Record<IndexName, KeysOf<unknown>>);
          for (const [index, keysOf] of indexes) {
            const entities = [...state.entries(name)];
            const keys = new Set(entities.flatMap(([, entity]) => keysOf(entity)));
            for (const key of [...keys, 'nobody has this one']) {
              const expected = entities
                .filter(([, entity]) => keysOf(entity).includes(key))
                .map(([, entity]) => entity);
              expect(new Set(state.lookup(index as IndexName, key))).toEqual(new Set(expected));
              expect(state.count(index as IndexName, key)).toBe(expected.length);
            }
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('refuses a truncated snapshot', async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of encodeSnapshot(new State(), SERVICE)) pieces.push(piece);
    await expect(decodeSnapshot(replayed(pieces.slice(0, -1)))).rejects.toThrow('incomplete');
  });
});
