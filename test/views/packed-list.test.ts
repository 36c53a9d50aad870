import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PackedList } from '../../src/views/client/packed-list.ts';
import { Piece } from '../../src/views/payload/piece.ts';

/** Longer than a piece has to be left alone to be packed well. */
const QUIET_MS = 1_000;

function listOf(pieces: readonly Piece[]) {
  const told = { smaller: 0 };
  const list = new PackedList(() => {
    told.smaller++;
  });
  list.pieces = pieces;
  return { list, told };
}

/** Text that is packed better when there is time. */
function pieceOf(seed: number): Piece {
  return Piece.ofText(Array.from({ length: 2_000 }, (_, index) => `flag-${(index * seed) % 977}`).join(' '));
}

describe('a list that was packed in haste', () => {
  it('is told in fewer bytes once it rests, also when another list had its pieces packed well', async () => {
    const [first, second] = [pieceOf(7), pieceOf(11)];
    const one = listOf([first]);
    const other = listOf([first]);
    const hastyBytes = one.list.gzip.lengthBytes;
    await sleep(QUIET_MS / 2);
    // The other one looks later, and by then holds a piece that is packed well meanwhile: what it waited for is gone.
    expect(other.list.gzip.lengthBytes).toBe(hastyBytes);
    one.list.pieces = [second];
    other.list.pieces = [second];
    expect(other.list.gzip.lengthBytes).toBe(one.list.gzip.lengthBytes);
    const whole = gunzipSync(Buffer.concat(other.list.gzip.parts));
    await second.deflateAside();
    await expect.poll(() => other.told.smaller + one.told.smaller, { timeout: 20_000 }).toBe(2);
    expect(other.list.gzip.lengthBytes).toBe(one.list.gzip.lengthBytes);
    expect(gunzipSync(Buffer.concat(other.list.gzip.parts)).equals(whole)).toBe(true);
    const { list } = listOf([second]);
    expect(other.list.gzip.lengthBytes).toBe(list.gzip.lengthBytes);
  });
});
