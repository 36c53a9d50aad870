import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rows } from '../../src/http/rows.ts';

/** Small ones, some that are large, and more of both than fit into one row. */
const part = fc
  .tuple(fc.constantFrom(0, 1, 5, 700, 4_000, 31_000, 32_768, 90_000), fc.nat(255))
  .map(([length, byte]) => Buffer.alloc(length, byte));

function rowsFrom(parts: readonly Uint8Array[], sentBytes: number): Buffer[] {
  const rows = new Rows(parts, sentBytes);
  const told: Buffer[] = [];
  for (let row = rows.next(); row; row = rows.next()) told.push(Buffer.from(row));
  return told;
}

describe('rows', () => {
  it('are the bytes of the parts from any offset on', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.nat(), (parts, from) => {
        const whole = Buffer.concat(parts);
        const offset = from % (whole.byteLength + 1);
        expect(Buffer.concat(rowsFrom(parts, offset)).equals(whole.subarray(offset))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('are few: small parts are put together, large ones are told from where they lie', () => {
    const small = Array.from({ length: 200 }, (_, index) => Buffer.alloc(4_000, index));
    expect(rowsFrom(small, 0)).toHaveLength(4);
    const large = Buffer.alloc(100_000, 'x');
    const rows = new Rows([large, Buffer.from('end')], 10);
    expect(rows.next()?.buffer).toBe(large.buffer);
    expect(Buffer.from(rows.next() ?? []).toString()).toBe('end');
    expect(rows.next()).toBeUndefined();
  });
});
