import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignSlots } from '../../console/src/kit/lists/use-slots.ts';

const first = (keys: readonly string[]) => assignSlots(new Map(), keys);

describe('elements of the rows in view', () => {
  it('are used again by rows that come between the same rows', () => {
    const shown = first(['a', 'b', 'c', 'd']);
    expect([...assignSlots(shown, ['w', 'x', 'y', 'z']).values()]).toEqual([0, 1, 2, 3]);
    expect([...assignSlots(shown, ['a', 'x', 'd', 'y'])]).toEqual([
      ['a', 0],
      ['x', 1],
      ['d', 3],
      ['y', 4],
    ]);
  });

  it('are new for rows that come after all others, so that no element moves', () => {
    expect([...assignSlots(first(['a', 'b', 'c']), ['b', 'c', 'd'])]).toEqual([
      ['b', 1],
      ['c', 2],
      ['d', 3],
    ]);
  });

  it('never belong to two rows, stay with rows that stay, and keep their order', () => {
    const list = fc.uniqueArray(fc.nat(30), { maxLength: 12 }).map((all) => all.sort((a, b) => a - b).map(String));
    fc.assert(
      fc.property(fc.array(list, { maxLength: 8 }), (lists) => {
        let before = first([]);
        for (const keys of lists) {
          const after = assignSlots(before, keys);
          expect([...after.keys()]).toEqual(keys);
          expect(new Set(after.values()).size).toBe(keys.length);
          for (const key of keys) if (before.has(key)) expect(after.get(key)).toBe(before.get(key));
          const order = [...before.values()];
          const used = [...after.values()].map((slot) => order.indexOf(slot)).filter((place) => place >= 0);
          expect(used).toEqual([...used].sort((a, b) => a - b));
          before = after;
        }
      }),
    );
  });
});
