import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fifo } from '../../../src/base/queues/fifo.ts';

describe('first in, first out', () => {
  it('returns its items in the order in which they were added, and reports its length and content', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ push: fc.integer({ min: 1, max: 1_500 }) }),
        fc.record({ shift: fc.integer({ min: 1, max: 1_500 }) }),
      ),
      {
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(steps, (taken) => {
        const fifo = new Fifo<{ readonly id: number }>();
        const expected: number[] = [];
        let next = 0;
        for (const step of taken) {
          if ('push' in step) {
            for (let count = 0; count < step.push; count++) {
              fifo.push({ id: next });
              expected.push(next++);
            }
          } else {
            const shifted = Array.from({ length: step.shift }, () => fifo.shift()?.id);
            const left = expected.splice(0, step.shift);
            expect(shifted.slice(0, left.length)).toEqual(left);
            expect(new Set(shifted.slice(left.length))).toEqual(new Set(step.shift > left.length ? [undefined] : []));
          }
          expect(fifo.length).toBe(expected.length);
          for (const at of [-1, 0, expected.length - 1, expected.length]) expect(fifo.at(at)?.id).toBe(expected[at]);
        }
        fifo.clear();
        expect(fifo.length).toBe(0);
        expect(fifo.shift()).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });
});
