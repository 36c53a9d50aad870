import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Places } from '../../src/state/places.ts';

const NAMES = Array.from({ length: 12 }, (_, index) => `flag ${index}`);

/** Adds what is not there, removes what is. */
function flip(places: Places, expected: Set<string>, name: string): void {
  if (expected.delete(name)) places.remove(name);
  else {
    expected.add(name);
    places.add(name);
  }
}

function sorted(names: Iterable<string>): string[] {
  return [...names].sort();
}

describe('the places under one key of an index', () => {
  it('hold what was added and not removed, whatever came in between', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...NAMES), { maxLength: 60 }), (names) => {
        const places = new Places();
        const expected = new Set<string>();
        for (const name of names) {
          flip(places, expected, name);
          expect(sorted(places)).toEqual(sorted(expected));
          expect(places.size).toBe(expected.size);
        }
      }),
    );
  });

  it('hold a place once that is added twice in a row, also where it was there before', () => {
    const places = new Places();
    for (const name of NAMES) places.add(name);
    places.remove('flag 3');
    places.add('flag 3');
    places.add('flag 3');
    places.add('flag 12');
    places.add('flag 12');
    expect(places.size).toBe(13);
    expect(sorted(places)).toEqual(sorted([...NAMES, 'flag 12']));
  });

  it('are walked as they are then: what is removed meanwhile is not met, and everything that stays is, and what is added', () => {
    const changes = fc.array(fc.tuple(fc.nat(16), fc.constantFrom(...NAMES, 'new 1', 'new 2')), { maxLength: 40 });
    fc.assert(
      fc.property(fc.nat(NAMES.length), changes, (start, between) => {
        const places = new Places();
        const expected = new Set<string>();
        for (const name of NAMES.slice(0, start)) flip(places, expected, name);
        const left = new Set<string>();
        const met = new Set<string>();
        let turn = 0;
        for (const name of places) {
          expect(expected.has(name)).toBe(true);
          met.add(name);
          for (const [when, changed] of between) {
            if (when !== turn) continue;
            flip(places, expected, changed);
            if (!expected.has(changed)) left.add(changed);
          }
          turn++;
        }
        for (const name of expected) if (!left.has(name)) expect(met.has(name)).toBe(true);
      }),
    );
  });
});
