import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntityKeys } from '../../src/state/entity-keys.ts';

const NAMES = Array.from({ length: 12 }, (_, index) => `flag ${index}`);

/** Adds the name when it is absent, removes it when it is present. */
function flip(entityKeys: EntityKeys, expected: Set<string>, name: string): void {
  if (expected.delete(name)) entityKeys.remove(name);
  else {
    expected.add(name);
    entityKeys.add(name);
  }
}

function sorted(names: Iterable<string>): string[] {
  return [...names].sort();
}

describe('the entity keys under one key of an index', () => {
  it('are those that were added and not removed, in any order of changes', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...NAMES), { maxLength: 60 }), (names) => {
        const entityKeys = new EntityKeys();
        const expected = new Set<string>();
        for (const name of names) {
          flip(entityKeys, expected, name);
          expect(sorted(entityKeys)).toEqual(sorted(expected));
          expect(entityKeys.size).toBe(expected.size);
        }
      }),
    );
  });

  it('contain a key once when it is added twice in a row, also when it was present before', () => {
    const entityKeys = new EntityKeys();
    for (const name of NAMES) entityKeys.add(name);
    entityKeys.remove('flag 3');
    entityKeys.add('flag 3');
    entityKeys.add('flag 3');
    entityKeys.add('flag 12');
    entityKeys.add('flag 12');
    expect(entityKeys.size).toBe(13);
    expect(sorted(entityKeys)).toEqual(sorted([...NAMES, 'flag 12']));
  });

  it('are those of one moment, whatever changes later', () => {
    const changes = fc.array(fc.constantFrom(...NAMES), { maxLength: 40 });
    fc.assert(
      fc.property(fc.nat(NAMES.length), changes, changes, (start, before, after) => {
        const entityKeys = new EntityKeys();
        const expected = new Set<string>();
        for (const name of [...NAMES.slice(0, start), ...before]) flip(entityKeys, expected, name);
        const asNow = entityKeys.asNow();
        const then = sorted(expected);
        for (const name of after) flip(entityKeys, expected, name);
        expect(sorted(asNow)).toEqual(then);
      }),
    );
  });

  it('that are added after most others were removed are visited, too, by an iteration that began before', () => {
    const entityKeys = new EntityKeys();
    for (const name of NAMES.slice(0, 4)) entityKeys.add(name);
    const met: string[] = [];
    for (const name of entityKeys) {
      met.push(name);
      if (met.length > 1) continue;
      for (const removed of NAMES.slice(1, 4)) entityKeys.remove(removed);
      entityKeys.add('new');
      entityKeys.add('flag 3');
    }
    expect(met).toEqual(['flag 0', 'flag 3', 'new']);
    expect([...entityKeys]).toEqual(['flag 0', 'new', 'flag 3']);
  });

  it('can change while they are iterated: the iteration skips removed keys and visits all keys that stay', () => {
    const changes = fc.array(fc.tuple(fc.nat(16), fc.constantFrom(...NAMES, 'new 1', 'new 2')), { maxLength: 40 });
    fc.assert(
      fc.property(fc.nat(NAMES.length), changes, (start, between) => {
        const entityKeys = new EntityKeys();
        const expected = new Set<string>();
        for (const name of NAMES.slice(0, start)) flip(entityKeys, expected, name);
        const left = new Set<string>();
        const met = new Set<string>();
        let turn = 0;
        for (const name of entityKeys) {
          expect(expected.has(name)).toBe(true);
          met.add(name);
          for (const [when, changed] of between) {
            if (when !== turn) continue;
            flip(entityKeys, expected, changed);
            if (!expected.has(changed)) left.add(changed);
          }
          turn++;
        }
        for (const name of expected) if (!left.has(name)) expect(met.has(name)).toBe(true);
      }),
    );
  });
});
