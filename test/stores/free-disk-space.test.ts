import { describe, expect, it } from 'vitest';
import { FreeDiskSpace } from '../../src/stores/lmdb/free-disk-space.ts';

const GIGABYTE = 2 ** 30;

describe('DiskRoom', () => {
  it('notices at the next transaction that somebody else has filled the disk, and that there is room again', () => {
    let freeBytes = GIGABYTE;
    const room = new FreeDiskSpace(() => freeBytes);
    for (let round = 0; round < 5; round += 1) {
      expect(room.fits(1_000)).toBe(true);
      freeBytes = 0;
      expect(room.fits(1_000)).toBe(false);
      expect(room.fits(0, true)).toBe(false);
      freeBytes = GIGABYTE;
      expect(room.fits(1_000)).toBe(true);
    }
  });
});
