import { type CrcSum, crcCombine, NO_BYTES } from './crc32.ts';
import type { Payload, Piece } from './piece.ts';

/** gzip: magic, deflate, no flags, no time, no extra flags, unknown system. Nothing in it varies, so equal content gives equal bytes. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** An empty final block with fixed codes. */
const FINAL_BLOCK = Uint8Array.of(0x03, 0x00);

/** Lists that keep changing are sent in so many runs, and what ends them. Each is a call of the kernel more; of fewer, each change copies more. */
const RUNS = 7;

/** Lists of up to so many pieces are copied whole: the list of five hundred flags is. */
const WHOLE_PIECES = 16;

/** Neighbouring pieces, copied together. */
interface Run {
  /** What it was made of: a piece may have been compressed again since. */
  readonly deflated: readonly Uint8Array[];
  readonly bytes: Uint8Array;
  readonly sum: CrcSum;
  /** Of what is compressed. */
  readonly lengthBytes: number;
}

/** All pieces in a row as one gzip member. Costs a copy of the compressed bytes and the compression of those pieces that are new. */
export function stitchGzip(pieces: readonly Piece[]): Uint8Array {
  return Buffer.concat([
    GZIP_HEADER,
    ...pieces.map((piece) => piece.deflated),
    ending(sumOf(pieces), lengthOf(pieces)),
  ]);
}

/**
 * The gzip members of a list that keeps changing, in runs: of one that has changed in one place, one run is copied anew. What would be allocated
 * and dropped for each change of a large list otherwise makes the garbage collector stop the process every few changes.
 */
export class GzipRuns {
  #runs: readonly Run[] = [];

  /** All pieces in a row as one gzip member. */
  stitch(pieces: readonly Piece[]): Payload {
    if (pieces.length <= WHOLE_PIECES) return payloadIn([stitchGzip(pieces)]);
    // The last piece tells the revision: it is another one each time.
    const last = pieces.length - 1;
    const size = Math.ceil(last / RUNS);
    const parts: Uint8Array[] = [];
    const runs: Run[] = [];
    let sum = NO_BYTES;
    let lengthBytes = 0;
    for (let start = 0; start < last; start += size) {
      const run = this.#run(runs.length, pieces, start, Math.min(start + size, last));
      runs.push(run);
      parts.push(run.bytes);
      sum = crcCombine(sum, run.sum);
      lengthBytes += run.lengthBytes;
    }
    this.#runs = runs;
    const tail = pieces[last] as Piece;
    const end = ending(crcCombine(sum, tail.sum), lengthBytes + tail.bytes.byteLength);
    return payloadIn([...parts, Buffer.concat([tail.deflated, end])]);
  }

  /** The list rests, and is copied whole. */
  forget(): void {
    this.#runs = [];
  }

  /** Of the pieces from `start` to `end`: the one that is known, if it was made of the same. */
  #run(index: number, all: readonly Piece[], start: number, end: number): Run {
    const known = this.#runs[index];
    if (known && isOf(known, all, start, end)) return known;
    const pieces = all.slice(start, end);
    const deflated = pieces.map((piece) => piece.deflated);
    const bytes = Buffer.concat(index === 0 ? [GZIP_HEADER, ...deflated] : deflated);
    return { deflated, bytes, sum: sumOf(pieces), lengthBytes: lengthOf(pieces) };
  }
}

function isOf({ deflated }: Run, pieces: readonly Piece[], start: number, end: number): boolean {
  if (deflated.length !== end - start) return false;
  for (let index = start; index < end; index++) {
    if (pieces[index]?.deflated !== deflated[index - start]) return false;
  }
  return true;
}

function payloadIn(parts: readonly Uint8Array[]): Payload {
  return { parts, lengthBytes: parts.reduce((sum, part) => sum + part.byteLength, 0) };
}

function sumOf(pieces: readonly Piece[]): CrcSum {
  return pieces.reduce((sum, piece) => crcCombine(sum, piece.sum), NO_BYTES);
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.bytes.byteLength, 0);
}

/** What ends a gzip member of so many bytes. */
function ending({ crc }: CrcSum, lengthBytes: number): Uint8Array {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(lengthBytes >>> 0, 4);
  return Buffer.concat([FINAL_BLOCK, trailer]);
}
