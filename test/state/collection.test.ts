import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collection, keyedCollection } from '../../src/model/collection.ts';
import type { Counter } from '../../src/model/counter.ts';
import type { Feature } from '../../src/model/feature.ts';
import { Draft } from '../../src/state/draft.ts';
import { State } from '../../src/state/state.ts';
import { upgradeFrom } from '../../src/state/stored-schema.ts';
import { history } from '../support/random-state.ts';

describe('the definition of a collection', () => {
  it('does not compile without a key, without a schema, or with a schema above 1 and no upgrade', () => {
    collection({ schema: 1, key: (feature: Feature) => feature.name });
    // @ts-expect-error: no key
    collection<Feature>({ schema: 1 });
    // @ts-expect-error: no schema
    collection({ key: (feature: Feature) => feature.name });
    // @ts-expect-error: no upgrade
    collection({ schema: 2, key: (feature: Feature) => feature.name });
    // @ts-expect-error: no upgrade
    keyedCollection<Counter>({ schema: 3 });
    collection({ schema: 2, key: (feature: Feature) => feature.name, upgrade: (feature) => feature as Feature });
  });

  it('decides what can be put: an entity with its own key, or with a passed key; never in an undefined collection', () => {
    const draft = new Draft(new State());
    draft.put('counters', { value: 1 }, 'segments');
    draft.put('tagTypes', { name: 'team', description: null, icon: null, color: null });
    expect(draft.changes().map(({ collection: name, key }) => [name, key])).toEqual([
      ['counters', 'segments'],
      ['tagTypes', 'team'],
    ]);
    // @ts-expect-error: counters do not contain their key
    expect(() => draft.put('counters', { value: 1 })).toThrow('without a key');
    // @ts-expect-error: no such collection
    expect(() => draft.put('novelties', { name: 'a' })).toThrow();
    // @ts-expect-error: a tag type is not a counter
    const put = () => draft.put('counters', { name: 'team' }, 'segments');
    expect(put).toBeTypeOf('function');
  });

  it('upgrades older entities to its schema, and refuses newer ones with an error that has both numbers', () => {
    const upgrade = (entity: unknown, from: number) => ({ ...(entity as object), was: from });
    const stated = { schema: 3, upgrade };
    expect(upgradeFrom('a', 3, stated)).toBeUndefined();
    expect(upgradeFrom('a', 1, stated)?.({ name: 'x' })).toEqual({ name: 'x', was: 1 });
    expect(upgradeFrom('a', 2, stated)?.({ name: 'x' })).toEqual({ name: 'x', was: 2 });
    expect(() => upgradeFrom('snapshot has "x"', 4, stated)).toThrow(
      'snapshot has "x" of schema 4; this Burgee reads up to schema 3. Start a version that reads it (docs/operate/upgrades.md)',
    );
  });
});

describe('a draft', () => {
  it('finds the same entities through an index, at any time, as its state finds after the changes are applied', () => {
    fc.assert(
      fc.property(history, fc.nat(), (commits, at) => {
        const split = at % commits.length;
        const state = new State();
        const after = new State();
        for (const commit of commits.slice(0, split)) for (const one of [state, after]) one.apply(commit);
        const draft = new Draft(state);
        for (const commit of commits.slice(split)) {
          draft.absorb(commit.changes);
          after.apply(commit);
          // Looked up between the commits as well: later puts must then update the existing index over the overlay.
          for (const project of ['default', 'p1', 'p2']) {
            const names = (features: Iterable<Feature>) => Array.from(features, ({ name }) => name).sort();
            expect(names(draft.lookup('featuresByProject', project))).toEqual(
              names(after.lookup('featuresByProject', project)),
            );
            expect(names(draft.lookup('featuresBySegment', '2'))).toEqual(
              names(after.lookup('featuresBySegment', '2')),
            );
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
