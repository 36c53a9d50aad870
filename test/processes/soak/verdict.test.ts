import { describe, expect, it } from 'vitest';
import { type Sample, verdictOn } from './verdict.ts';

describe('the verdict on memory', () => {
  const samples = (keptMb: (minute: number) => number): Sample[] =>
    Array.from({ length: 60 }, (_, index) => ({
      atS: index * 30,
      keptBytes: keptMb(index / 2) * 1e6,
      residentBytes: 0,
      storeBytes: 0,
    }));

  it('passes when memory grows once to a limit, and with single high samples', () => {
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

  it('fails with a growth of a quarter of a megabyte per minute, and with a very large cache', () => {
    expect(verdictOn(samples((minute) => 50 + minute * 0.3)).passed).toBe(false);
    expect(verdictOn(samples((minute) => 50 + Math.min(minute, 5) * 100)).passed).toBe(false);
  });
});
