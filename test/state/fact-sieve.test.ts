import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BitsSet } from '../../src/state/fact-sieve.ts';

describe('a set of bits', () => {
  it('has what was added and nothing else, whatever is added', () => {
    // Few bits differ, so that many lie in each other’s way.
    const word = fc.oneof(fc.nat(3), fc.constantFrom(2 ** 31, 2 ** 32 - 1, 2 ** 16), fc.nat(2 ** 32 - 1));
    const value = fc.tuple(word, word);
    fc.assert(
      fc.property(fc.array(value, { maxLength: 200 }), fc.array(value, { maxLength: 50 }), (added, others) => {
        const set = new BitsSet();
        const known = new Set<string>();
        for (const [low, high] of added) {
          set.add(low, high);
          known.add(`${low} ${high}`);
        }
        expect(set.size).toBe(known.size);
        const asked = [...added, ...others];
        for (const [low, high] of asked) expect(set.has(low, high)).toBe(known.has(`${low} ${high}`));
        const [lows, highs] = [0, 1].map((word) => Uint32Array.from(asked, (value) => value[word] as number)) as [
          Uint32Array,
          Uint32Array,
        ];
        const places = Uint16Array.from(asked.keys());
        const count = set.sift(lows, highs, places, asked.length, places);
        const wanted = [...asked.keys()].filter((place) => known.has((asked[place] as [number, number]).join(' ')));
        expect([...places.subarray(0, count)]).toEqual(wanted);
      }),
      { numRuns: 300 },
    );
  });
});
