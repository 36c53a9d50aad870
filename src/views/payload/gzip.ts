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
  /** What it was made of. */
  readonly deflated: readonly Uint8Array[];
  readonly bytes: Uint8Array;
  readonly sum: CrcSum;
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
    const [before, last] = [pieces.slice(0, -1), pieces.slice(-1)];
    const size = Math.ceil(before.length / RUNS);
    const runs: Run[] = [];
    for (let start = 0; start < before.length; start += size) {
      runs.push(this.#run(runs.length, before.slice(start, start + size)));
    }
    this.#runs = runs;
    const sum = runs.reduce((sum, run) => crcCombine(sum, run.sum), NO_BYTES);
    const tail = [...last.map((piece) => piece.deflated), ending(crcCombine(sum, sumOf(last)), lengthOf(pieces))];
    return payloadIn([...runs.map((run) => run.bytes), Buffer.concat(tail)]);
  }

  /** The list rests, and is copied whole. */
  forget(): void {
    this.#runs = [];
  }

  #run(index: number, pieces: readonly Piece[]): Run {
    const deflated = pieces.map((piece) => piece.deflated);
    const known = this.#runs[index];
    if (known?.deflated.length === deflated.length && deflated.every((bytes, i) => bytes === known.deflated[i]))
      return known;
    const bytes = Buffer.concat(index === 0 ? [GZIP_HEADER, ...deflated] : deflated);
    return { deflated, bytes, sum: sumOf(pieces) };
  }
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
