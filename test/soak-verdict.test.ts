import { describe, expect, it } from 'vitest';
import { type Sample, verdictOn } from '../bench/soak/verdict.ts';

describe('the verdict on memory', () => {
  const samples = (keptMb: (minute: number) => number): Sample[] =>
    Array.from({ length: 60 }, (_, index) => ({
      atS: index * 30,
      keptBytes: keptMb(index / 2) * 1e6,
      residentBytes: 0,
      storeBytes: 0,
    }));

  it('forgives what fills once, and single samples that stand out', () => {
    expect(verdictOn(samples((minute) => 50 + Math.min(minute, 5) * 4)).passed).toBe(true);
    expect(verdictOn(samples((minute) => (minute % 5 === 0 ? 90 : 50))).passed).toBe(true);
    expect(
      verdictOn(
        samples((minute) => (minute > 20 ? 54 : 50)),
        4e6,
      ).passed,
    ).toBe(true);
    expect(
      verdictOn(
        samples((minute) => (minute > 20 ? 58 : 50)),
        4e6,
      ).passed,
    ).toBe(false);
  });

  it('does not forgive a quarter of a megabyte a minute, nor a cache without end', () => {
    expect(verdictOn(samples((minute) => 50 + minute * 0.3)).passed).toBe(false);
    expect(verdictOn(samples((minute) => 50 + Math.min(minute, 5) * 100)).passed).toBe(false);
  });
});
