import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DiskRoom } from '../../src/stores/lmdb/disk-room.ts';

const GIGABYTE = 2 ** 30;

describe('DiskRoom', () => {
  it('notices a disk that somebody else fills, and that there is room again, within milliseconds', async () => {
    let freeBytes = GIGABYTE;
    const room = new DiskRoom(async () => freeBytes);
    for (let round = 0; round < 5; round += 1) {
      expect(await room.take(1_000)).toBe(true);
      freeBytes = 0;
      await sleep(5);
      expect(await room.take(1_000)).toBe(false);
      expect(await room.take(0, true)).toBe(false);
      freeBytes = GIGABYTE;
      expect(await room.take(1_000)).toBe(true);
    }
  });
});
