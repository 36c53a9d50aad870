import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync, type ZlibOptions } from 'node:zlib';
import { crcCombine, crcShift } from './crc32.ts';

/** Pieces up to this size are stored, not compressed: setting up a compressor costs more than sending these bytes. */
const STORED_BYTES_MAX = 512;

/** Level of compression where a poll waits for it: a third of the time, and four bytes for three. Well enough until there is time. */
const HASTY_LEVEL = 1;

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
 * when there is time (`repacking.ts`).
 */
export class Piece {
  readonly bytes: Uint8Array;
  /** The same bytes with a comma before them, where they lie so in memory. */
  readonly withComma: Uint8Array | undefined;
  #deflated: Uint8Array | undefined;
  #isHasty = false;
  #deflating: Promise<void> | undefined;
  #crc = 0;
  #shift = 0;

  constructor(bytes: Uint8Array, withComma?: Uint8Array) {
    this.bytes = bytes;
    this.withComma = withComma;
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
    this.#keep(await deflateRawAside(this.bytes, { finishFlush: constants.Z_SYNC_FLUSH }), false);
  }

  /** Compresses it well, now. */
  deflateWell(): void {
    if (this.#deflated === undefined) this.#keep(this.#deflate(constants.Z_DEFAULT_COMPRESSION), false);
  }

  /** Whether it was compressed in haste: somebody waited. */
  get isHasty(): boolean {
    return this.#isHasty;
  }

  /** Bytes that have to be compressed when `deflated` is asked for; 0 when that costs next to nothing. */
  get uncompressedBytes(): number {
    return this.#deflated !== undefined || this.bytes.byteLength <= STORED_BYTES_MAX ? 0 : this.bytes.byteLength;
  }

  /** Raw deflate blocks of `bytes`, byte-aligned, none of them final. */
  get deflated(): Uint8Array {
    return this.#deflated ?? this.#keep(this.#deflate(HASTY_LEVEL), this.bytes.byteLength > STORED_BYTES_MAX);
  }

  #deflate(level: number): Uint8Array {
    if (this.bytes.byteLength <= STORED_BYTES_MAX) return storedBlock(this.bytes);
    return deflateRawSync(this.bytes, { level, finishFlush: constants.Z_SYNC_FLUSH });
  }

  #keep(deflated: Uint8Array, isHasty: boolean): Uint8Array {
    if (this.#deflated === undefined) {
      this.#crc = crc32(this.bytes);
      this.#shift = crcShift(this.bytes.byteLength);
    }
    this.#deflated = deflated;
    this.#isHasty = isHasty;
    return deflated;
  }

  /** CRC-32 of whatever has `crcBefore`, followed by this piece. */
  appendCrc(crcBefore: number): number {
    void this.deflated;
    return crcCombine(crcBefore, this.#crc, this.#shift);
  }
}

/** What stands between the items of a list. */
export const COMMA = Piece.ofText(',');

/** With commas between them. */
export function separated(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [COMMA, piece]));
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

/** gzip: magic, deflate, no flags, no time, no extra flags, unknown system. Nothing in it varies, so equal content gives equal bytes. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** An empty final block with fixed codes. */
const FINAL_BLOCK = Uint8Array.of(0x03, 0x00);

/** All pieces in a row as one gzip member. Costs a copy of the compressed bytes and the compression of those pieces that are new. */
export function stitchGzip(pieces: readonly Piece[]): Uint8Array {
  let crc = 0;
  let lengthBytes = 0;
  const parts: Uint8Array[] = [GZIP_HEADER];
  for (const piece of pieces) {
    if (piece.bytes.byteLength === 0) continue;
    parts.push(piece.deflated);
    crc = piece.appendCrc(crc);
    lengthBytes += piece.bytes.byteLength;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(lengthBytes >>> 0, 4);
  parts.push(FINAL_BLOCK, trailer);
  return Buffer.concat(parts);
}
