import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignSlots } from '../../../console/src/kit/lists/assign-slots.ts';

const first = (keys: readonly string[]) => assignSlots(new Map(), keys, undefined);

describe('elements of the rows in view', () => {
  it('are used again by rows that come between the same rows', () => {
    const shown = first(['a', 'b', 'c', 'd']);
    expect([...assignSlots(shown, ['w', 'x', 'y', 'z'], undefined).values()]).toEqual([0, 1, 2, 3]);
    expect([...assignSlots(shown, ['a', 'x', 'd', 'y'], undefined)]).toEqual([
      ['a', 0],
      ['x', 1],
      ['d', 3],
      ['y', 4],
    ]);
  });

  it('are used again beside the one of the row that may have the focus', () => {
    expect([...assignSlots(first(['a', 'b', 'c']), ['x', 'y', 'z'], 'a').values()]).toEqual([1, 2, 3]);
    expect([...assignSlots(first(['a', 'b', 'c']), ['a', 'y', 'z'], 'a').values()]).toEqual([0, 1, 2]);
  });

  it('are new for rows that come after all others, so that no element moves', () => {
    expect([...assignSlots(first(['a', 'b', 'c']), ['b', 'c', 'd'], undefined)]).toEqual([
      ['b', 1],
      ['c', 2],
      ['d', 3],
    ]);
  });

  it('never belong to two rows, stay with rows that stay, and keep their order', () => {
    const list = fc.uniqueArray(fc.nat(30), { maxLength: 12 }).map((all) => all.sort((a, b) => a - b).map(String));
    fc.assert(
      fc.property(
        fc.array(list, { maxLength: 8 }),
        fc.option(fc.nat(30).map(String), { nil: undefined }),
        (lists, held) => {
          let before = first([]);
          for (const keys of lists) {
            const after = assignSlots(before, keys, held);
            expect([...after.keys()]).toEqual(keys);
            expect(new Set(after.values()).size).toBe(keys.length);
            for (const key of keys) if (before.has(key)) expect(after.get(key)).toBe(before.get(key));
            const order = [...before.values()];
            const used = [...after.values()].map((slot) => order.indexOf(slot)).filter((place) => place >= 0);
            expect(used).toEqual([...used].sort((a, b) => a - b));
            const own = held === undefined ? undefined : before.get(held);
            if (own !== undefined && !after.has(held ?? '')) expect([...after.values()]).not.toContain(own);
            before = after;
          }
        },
      ),
    );
  });
});
