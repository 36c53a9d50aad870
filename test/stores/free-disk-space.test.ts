import { describe, expect, it } from 'vitest';
import { FreeDiskSpace } from '../../src/stores/lmdb/free-disk-space.ts';

const GIGABYTE = 2 ** 30;

describe('FreeDiskSpace', () => {
  it('notices at the next transaction that another program has filled the disk, and that there is space again', () => {
    let freeBytes = GIGABYTE;
    const space = new FreeDiskSpace(() => freeBytes);
    for (let round = 0; round < 5; round += 1) {
      expect(space.fits(1_000)).toBe(true);
      freeBytes = 0;
      expect(space.fits(1_000)).toBe(false);
      expect(space.fits(0, true)).toBe(false);
      freeBytes = GIGABYTE;
      expect(space.fits(1_000)).toBe(true);
    }
  });
});
