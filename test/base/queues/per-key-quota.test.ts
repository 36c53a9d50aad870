import { describe, expect, it } from 'vitest';
import { PerKeyQuota } from '../../../src/base/queues/per-key-quota.ts';

describe('a quota', () => {
  it('says how much a key can still take, of its own share and of the total', () => {
    const quota = new PerKeyQuota<string>(3, 2);
    expect(quota.left('a')).toBe(2);
    quota.take('a');
    quota.take('b');
    expect([quota.left('a'), quota.left('b'), quota.left('c')]).toEqual([1, 1, 1]);
    quota.take('a');
    expect([quota.left('a'), quota.take('b'), quota.left('c')]).toEqual([0, false, 0]);
    quota.give('a');
    expect([quota.left('a'), quota.left('b')]).toEqual([1, 1]);
  });
});
