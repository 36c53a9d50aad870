import { constants, deflateRawSync } from 'node:zlib';

/** Level of compression where a poll waits for it: half the time, and four bytes for three. Level 1 is no faster with so few bytes. */
const HASTY_LEVEL = 3;

/** About as many bytes are compressed by themselves, in haste: half of an ordinary chunk. A quarter takes two thirds of the time, and a tenth more bytes. */
const STRETCH_BYTES = 28 * 1024;

/** Raw deflate blocks of these bytes, byte-aligned, made in haste. */
export function deflateHastily(bytes: Uint8Array): Uint8Array {
  return deflateRawSync(bytes, { level: HASTY_LEVEL, finishFlush: constants.Z_SYNC_FLUSH });
}

/**
 * Items with a comma before each, cut into stretches that are compressed by themselves, in haste: where one item has changed, only what is around it
 * has to be compressed again. Keeps what is compressed and not the bytes. Offsets count the first comma in, which is no part of a list.
 */
export class Stretches {
  /** Where each ends: with an item. */
  readonly #ends: readonly number[];
  readonly #deflated: (Uint8Array | undefined)[];

  private constructor(ends: readonly number[], deflated: (Uint8Array | undefined)[]) {
    this.#ends = ends;
    this.#deflated = deflated;
  }

  /** Of items that end there. At least one. */
  static of(itemEnds: readonly number[]): Stretches {
    const ends: number[] = [];
    const last = itemEnds.at(-1);
    for (const end of itemEnds) if (end === last || end - (ends.at(-1) ?? 0) >= STRETCH_BYTES) ends.push(end);
    return new Stretches(ends, []);
  }

  /** With others in the place of the items from `start` to `end`: none or one, `grownBytes` longer. Some items are left. */
  spliced(start: number, end: number, grownBytes: number): Stretches {
    const ends: number[] = [];
    const deflated: (Uint8Array | undefined)[] = [];
    let from = 0;
    for (const [index, to] of this.#ends.entries()) {
      // What is put between two stretches belongs to the one before it.
      const isBefore = to < start || (to === start && start < end);
      // The first one is compressed without its first comma.
      const isBehind = from >= end && ends.length > 0;
      const newTo = isBefore ? to : to + grownBytes;
      if (newTo > (ends.at(-1) ?? 0)) {
        deflated[ends.length] = isBefore || isBehind ? this.#deflated[index] : undefined;
        ends.push(newTo);
      }
      from = to;
    }
    return new Stretches(ends, deflated);
  }

  /** Bytes that `deflate` has to compress. */
  get uncompressedBytes(): number {
    let bytes = 0;
    for (const [index, end] of this.#ends.entries()) {
      if (this.#deflated[index] === undefined) bytes += end - (this.#ends[index - 1] ?? 0);
    }
    return bytes;
  }

  /** Raw deflate blocks of these items without the first comma. Compresses what is not. */
  deflate(withComma: Uint8Array): Uint8Array {
    let start = 1;
    const blocks = this.#ends.map((end, index) => {
      this.#deflated[index] ??= deflateHastily(withComma.subarray(start, end));
      start = end;
      return this.#deflated[index];
    });
    return Buffer.concat(blocks);
  }

  /** The items are compressed well, and together: what was made in haste is needed no more. */
  forget(): void {
    this.#deflated.length = 0;
  }
}
