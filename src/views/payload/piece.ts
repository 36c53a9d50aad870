import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync, type ZlibOptions } from 'node:zlib';
import { type CrcSum, crcShift, NO_BYTES } from './crc32.ts';
import { deflateHastily, type Stretches } from './stretches.ts';

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

/**
 * A run of bytes that is part of larger payloads. It is deflated by itself, ended with a sync flush, and so can be stitched into any gzip
 * member without being compressed again. Immutable; compressed when somebody first asks, then kept: in haste if nobody did it before, and well
 * when there is time (`client/packed-list.ts`).
 */
export class Piece {
  readonly bytes: Uint8Array;
  /** The same bytes with a comma before them, where they lie so in memory. */
  readonly withComma: Uint8Array | undefined;
  /** Where it may be cut to be compressed in haste. */
  readonly #stretches: Stretches | undefined;
  #deflated: Uint8Array | undefined;
  #isHasty = false;
  #deflating: Promise<void> | undefined;
  #sum = NO_BYTES;

  constructor(bytes: Uint8Array, withComma?: Uint8Array, stretches?: Stretches) {
    this.bytes = bytes;
    this.withComma = withComma;
    this.#stretches = stretches;
  }

  static ofText(text: string): Piece {
    return new Piece(Buffer.from(text));
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
    this.#keepWell(await deflateRawAside(this.bytes, { finishFlush: constants.Z_SYNC_FLUSH }));
  }

  /** Compresses it well, now. */
  deflateWell(): void {
    if (this.#deflated !== undefined) return;
    if (this.bytes.byteLength <= STORED_BYTES_MAX) this.#keep(storedBlock(this.bytes), false);
    else this.#keepWell(deflateRawSync(this.bytes, { finishFlush: constants.Z_SYNC_FLUSH }));
  }

  /** Whether it was compressed in haste: somebody waited. */
  get isHasty(): boolean {
    return this.#isHasty;
  }

  /** Bytes that have to be compressed when `deflated` is asked for; 0 when that costs next to nothing. */
  get uncompressedBytes(): number {
    if (this.#deflated !== undefined || this.bytes.byteLength <= STORED_BYTES_MAX) return 0;
    return this.#stretches?.uncompressedBytes ?? this.bytes.byteLength;
  }

  /** Raw deflate blocks of `bytes`, byte-aligned, none of them final. */
  get deflated(): Uint8Array {
    if (this.#deflated !== undefined) return this.#deflated;
    if (this.bytes.byteLength <= STORED_BYTES_MAX) return this.#keep(storedBlock(this.bytes), false);
    const inStretches = this.withComma && this.#stretches?.deflate(this.withComma);
    return this.#keep(inStretches ?? deflateHastily(this.bytes), true);
  }

  #keepWell(deflated: Uint8Array): void {
    this.#keep(deflated, false);
    this.#stretches?.forget();
  }

  #keep(deflated: Uint8Array, isHasty: boolean): Uint8Array {
    if (this.#deflated === undefined) this.#sum = { crc: crc32(this.bytes), shift: crcShift(this.bytes.byteLength) };
    this.#deflated = deflated;
    this.#isHasty = isHasty;
    return deflated;
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

/** Bytes of an answer, as one run or several that are sent one after the other. */
export interface Payload {
  readonly parts: readonly Uint8Array[];
  readonly lengthBytes: number;
}

export function payloadOf(bytes: Uint8Array): Payload {
  return { parts: [bytes], lengthBytes: bytes.byteLength };
}

/**
 * Up to this size a list is copied into one run, which a socket takes in few writes: sent piece by piece, 10,000 flags cost a quarter more.
 * Larger ones are sent from the pieces, which exist once: memory counts for more there.
 */
const COPIED_BYTES_MAX = 8 * 1024 * 1024;

/** All pieces in a row. */
export function stitchIdentity(pieces: readonly Piece[]): Payload {
  const lengthBytes = pieces.reduce((sum, piece) => sum + piece.bytes.byteLength, 0);
  if (lengthBytes <= COPIED_BYTES_MAX) return payloadOf(Buffer.concat(pieces.map((piece) => piece.bytes)));
  const parts: Uint8Array[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (piece === COMMA && pieces[index + 1]?.withComma) continue;
    parts.push(pieces[index - 1] === COMMA ? (piece.withComma ?? piece.bytes) : piece.bytes);
  }
  return { parts, lengthBytes };
}
