import { constants, crc32, deflateRawSync } from 'node:zlib';
import { type CrcSum, crcShift } from './crc32.ts';
import type { Rope } from './rope.ts';

/** Level of compression where a poll waits for it: half the time, and four bytes for three. Level 1 is no faster with so few bytes. */
const HASTY_LEVEL = 3;

/** About as many bytes are compressed by themselves, in haste: half of an ordinary chunk. A quarter takes two thirds of the time, and a tenth more bytes. */
const STRETCH_BYTES = 28 * 1024;

/** What zlib is given to put its output into. Flags come to a sixth of their bytes; what comes to more than a quarter takes several of these. */
const OUTPUT_SHARE = 4;
const OUTPUT_BYTES_MIN = 1024;

/** Bytes that are to be compressed are put in a row here, where they fit. In use only within one call. */
const IN_A_ROW = Buffer.allocUnsafeSlow(4 * STRETCH_BYTES);

/** Raw deflate blocks, byte-aligned, none of them final, and the checksum of what they hold. */
export interface Packed {
  readonly blocks: Uint8Array;
  readonly sum: CrcSum;
}

/** Made in haste. */
export function packHastily(bytes: Uint8Array): Packed {
  const chunkSize = Math.max(OUTPUT_BYTES_MIN, Math.ceil(bytes.byteLength / OUTPUT_SHARE));
  const blocks = deflateRawSync(bytes, { level: HASTY_LEVEL, finishFlush: constants.Z_SYNC_FLUSH, chunkSize });
  return { blocks, sum: checksum(bytes) };
}

export function checksum(bytes: Uint8Array): CrcSum {
  return { crc: crc32(bytes), shift: crcShift(bytes.byteLength) };
}

/**
 * Items with a comma before each, cut into stretches that are compressed by themselves, in haste: where one item has changed, only what is around it
 * has to be compressed again. Keeps what is compressed and not the bytes. Offsets count the first comma in, which is no part of a list.
 */
export class Stretches {
  /** Where each ends: with an item. */
  readonly #ends: readonly number[];
  readonly #packed: (Packed | undefined)[];

  private constructor(ends: readonly number[], packed: (Packed | undefined)[]) {
    this.#ends = ends;
    this.#packed = packed;
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
    const packed: (Packed | undefined)[] = [];
    let from = 0;
    for (const [index, to] of this.#ends.entries()) {
      // What is put between two stretches belongs to the one before it.
      const isBefore = to < start || (to === start && start < end);
      // The first one is compressed without its first comma.
      const isBehind = from >= end && ends.length > 0;
      const newTo = isBefore ? to : to + grownBytes;
      if (newTo > (ends.at(-1) ?? 0)) {
        packed[ends.length] = isBefore || isBehind ? this.#packed[index] : undefined;
        ends.push(newTo);
      }
      from = to;
    }
    return new Stretches(ends, packed);
  }

  /** Bytes that `pack` has to compress. */
  get uncompressedBytes(): number {
    let bytes = 0;
    for (const [index, end] of this.#ends.entries()) {
      if (this.#packed[index] === undefined) bytes += end - (this.#ends[index - 1] ?? 0);
    }
    return bytes;
  }

  /** These items without the first comma, one after the other. Compresses what is not. */
  pack(withComma: Rope): readonly Packed[] {
    let start = 1;
    return this.#ends.map((end, index) => {
      this.#packed[index] ??= packHastily(inARow(withComma, start, end));
      start = end;
      return this.#packed[index];
    });
  }

  /** The items are compressed well, and together: what was made in haste is needed no more. */
  forget(): void {
    this.#packed.length = 0;
  }
}

/** For one call: the next one may overwrite it. */
function inARow(rope: Rope, start: number, end: number): Uint8Array {
  const lengthBytes = end - start;
  if (lengthBytes > IN_A_ROW.byteLength) return rope.slice(start, end);
  rope.copyTo(IN_A_ROW, start, end);
  return IN_A_ROW.subarray(0, lengthBytes);
}
