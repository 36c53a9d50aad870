import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offerOf, offerOfParts } from '../../../src/http/front/fast/offers.ts';

const OFFER_BYTES = 1024 * 1024;

/** Small parts, large parts, and parts that are larger than one offer. */
const part = fc
  .tuple(fc.constantFrom(0, 1, 5, 700, 4_000, 31_000, 32_768, 90_000, OFFER_BYTES, 2_600_000), fc.nat(255))
  .map(([length, byte]) => Buffer.alloc(length, byte));

describe('what is offered to a socket', () => {
  it('is the same for parts and for one buffer, with the same length at every offset', () => {
    const taken = fc.array(fc.constantFrom(0, 1, 1_400, 65_536, OFFER_BYTES));
    const property = fc.property(fc.array(part, { maxLength: 12 }), taken, (parts, steps) => {
      const whole = Buffer.concat(parts);
      let offset = 0;
      for (const step of steps) {
        const bytes = offerOfParts(parts, offset);
        expect(bytes).toHaveLength(Math.min(OFFER_BYTES, whole.byteLength - offset));
        expect(whole.subarray(offset, offset + OFFER_BYTES).equals(bytes)).toBe(true);
        expect(offerOf(whole, offset)).toHaveLength(bytes.byteLength);
        offset += Math.min(step, bytes.byteLength);
      }
    });
    fc.assert(property, { numRuns: 60 });
  });

  it('is not copied when it is in one buffer', () => {
    const large = Buffer.alloc(OFFER_BYTES + 10, 'x');
    expect(offerOfParts([Buffer.from('a'), large], 5).buffer).toBe(large.buffer);
    const small = Buffer.from('small');
    expect(offerOf(small, 0)).toBe(small);
  });
});
