import { promisify } from 'node:util';
import { constants, deflateRaw, deflateRawSync, type ZlibOptions } from 'node:zlib';
import { type CrcSum, crcCombine, NO_BYTES } from './crc32.ts';
import type { Rope } from './rope.ts';
import { checksum, type Packed, packHastily, type Stretches } from './stretches.ts';
import { COPIED_BYTES_MAX } from './strip.ts';

const NOTHING = new Uint8Array(0);

/** Pieces up to this size are stored, not compressed: setting up a compressor costs more than sending these bytes. */
const STORED_BYTES_MAX = 512;

const deflateRawAside = promisify(deflateRaw) as (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer>;

/** One deflate block that holds the bytes as they are; begins and ends on a byte boundary, as every piece does. */
function storedBlock(bytes: Uint8Array): Uint8Array {
  const block = Buffer.allocUnsafe(5 + bytes.byteLength);
  block[0] = 0;
  block.writeUInt16LE(bytes.byteLength, 1);
  block.writeUInt16LE(~bytes.byteLength & 0xffff, 3);
  block.set(bytes, 5);
  return block;
}

/** Items with a comma before each, and where the row may be cut to be compressed in haste. */
interface Items {
  readonly withComma: Rope;
  readonly stretches: Stretches;
}

/**
 * A run of bytes that is part of larger payloads. It is deflated by itself, ended with a sync flush, and so can be stitched into any gzip
 * member without being compressed again. Immutable; compressed when somebody first asks, then kept: in haste if nobody did it before, and well
 * when there is time (`client/packed-list.ts`).
 */
export class Piece {
  readonly lengthBytes: number;
  readonly #items: Items | undefined;
  #bytes: Uint8Array | undefined;
  #runs: readonly Uint8Array[] | undefined;
  #deflated: readonly Uint8Array[] | undefined;
  #isHasty = false;
  #deflating: Promise<void> | undefined;
  #sum = NO_BYTES;

  private constructor(lengthBytes: number, bytes: Uint8Array | undefined, items?: Items) {
    this.lengthBytes = lengthBytes;
    this.#bytes = bytes;
    this.#items = items;
  }

  static of(bytes: Uint8Array): Piece {
    return new Piece(bytes.byteLength, bytes);
  }

  static ofText(text: string): Piece {
    return Piece.of(Buffer.from(text));
  }

  /** Items with a comma before each; the first one is no part of the piece. */
  static ofItems(withComma: Rope, stretches: Stretches): Piece {
    return new Piece(withComma.lengthBytes - 1, undefined, { withComma, stretches });
  }

  /** In one run: of items that have changed that is a copy, made once. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#items?.withComma.bytes.subarray(1) ?? NOTHING;
    return this.#bytes;
  }

  /** Copies them to the beginning of `target`. */
  copyTo(target: Uint8Array): void {
    if (this.#items) this.#items.withComma.copyTo(target, 1, this.lengthBytes + 1);
    else target.set(this.bytes);
  }

  /** Has them lie in one run from now on. False when they do. */
  join(): boolean {
    if (!this.#items || this.#items.withComma.runCount === 1) return false;
    void this.#items.withComma.bytes;
    return true;
  }

  /** The same in the runs that they lie in. */
  get runs(): readonly Uint8Array[] {
    if (this.#items) return this.#items.withComma.runsBehindFirst;
    this.#runs ??= [this.bytes];
    return this.#runs;
  }

  /** The same with a comma before them, where one lies before them in memory. */
  get runsWithComma(): readonly Uint8Array[] | undefined {
    return this.#items?.withComma.runs;
  }

  /** Compresses it well on another thread, if it is not. Everybody who waits shares the work. */
  deflateAside(): Promise<void> {
    this.#deflating ??= this.#deflateAside().finally(() => {
      this.#deflating = undefined;
    });
    return this.#deflating;
  }

  async #deflateAside(): Promise<void> {
    if (this.#deflated !== undefined && !this.#isHasty) return;
    this.#keepWell(await deflateRawAside(this.#inOneRun(), { finishFlush: constants.Z_SYNC_FLUSH }));
  }

  /** Compresses it well, now. */
  deflateWell(): void {
    if (this.#deflated !== undefined) return;
    if (this.lengthBytes <= STORED_BYTES_MAX) this.#store();
    else this.#keepWell(deflateRawSync(this.#inOneRun(), { finishFlush: constants.Z_SYNC_FLUSH }));
  }

  /** `bytes`, but for once: a copy is not kept, for lists hold the runs that it would take the place of. */
  #inOneRun(): Uint8Array {
    return this.#items?.withComma.slice(1, this.lengthBytes + 1) ?? this.bytes;
  }

  /** Whether it was compressed in haste: somebody waited. */
  get isHasty(): boolean {
    return this.#isHasty;
  }

  /** Bytes that have to be compressed when `deflated` is asked for; 0 when that costs next to nothing. */
  get uncompressedBytes(): number {
    if (this.#deflated !== undefined || this.lengthBytes <= STORED_BYTES_MAX) return 0;
    return this.#items?.stretches.uncompressedBytes ?? this.lengthBytes;
  }

  /** Raw deflate blocks of `bytes`, byte-aligned, none of them final, in one run or several. */
  get deflated(): readonly Uint8Array[] {
    if (this.#deflated === undefined) {
      if (this.lengthBytes <= STORED_BYTES_MAX) this.#store();
      else this.#keepHastily(this.#items?.stretches.pack(this.#items.withComma) ?? [packHastily(this.bytes)]);
    }
    return this.#deflated as readonly Uint8Array[];
  }

  #store(): void {
    this.#sum = checksum(this.bytes);
    this.#deflated = [storedBlock(this.bytes)];
  }

  #keepHastily(packed: readonly Packed[]): void {
    this.#sum = packed.reduce((sum, stretch) => crcCombine(sum, stretch.sum), NO_BYTES);
    this.#deflated = packed.map(({ blocks }) => blocks);
    this.#isHasty = true;
  }

  #keepWell(blocks: Uint8Array): void {
    if (this.#deflated === undefined) this.#sum = checksum(this.#inOneRun());
    this.#deflated = [blocks];
    this.#isHasty = false;
    this.#items?.stretches.forget();
  }

  /** CRC-32 of `bytes`. */
  get sum(): CrcSum {
    void this.deflated;
    return this.#sum;
  }
}

/** What stands between the items of a list. */
export const COMMA = Piece.ofText(',');

/** With commas between them. */
export function separated(pieces: readonly Piece[]): Piece[] {
  const list: Piece[] = [];
  for (const piece of pieces) {
    if (list.length > 0) list.push(COMMA);
    list.push(piece);
  }
  return list;
}

/** Bytes that are joined for one list in one turn of the loop: a millisecond. What is left is told in the runs that it lies in, and joined for a later list. */
const JOINED_BYTES = 2 * 1024 * 1024;

/** As `runsOf`, of a list that is to be sent: what is not copied into one run is sent from its parts, and of these there are to be few. */
export function runsToSend(pieces: readonly Piece[]): readonly Uint8Array[] {
  let leftBytes = JOINED_BYTES;
  if (pieces.reduce((sum, piece) => sum + piece.lengthBytes, 0) > COPIED_BYTES_MAX) {
    for (const piece of pieces) if (leftBytes > 0 && piece.join()) leftBytes -= piece.lengthBytes;
  }
  return runsOf(pieces);
}

/** All pieces in a row, in the runs that they lie in. */
export function runsOf(pieces: readonly Piece[]): readonly Uint8Array[] {
  const runs: Uint8Array[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (piece === COMMA && pieces[index + 1]?.runsWithComma) continue;
    const isBehindComma = pieces[index - 1] === COMMA;
    runs.push(...((isBehindComma && piece.runsWithComma) || piece.runs));
  }
  return runs;
}
