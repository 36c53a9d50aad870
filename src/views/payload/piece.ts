import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync, type ZlibOptions } from 'node:zlib';
import { type CrcSum, crcShift } from './crc32.ts';

/** Pieces up to this size are stored uncompressed: to create a compressor costs more than to send these bytes. */
const STORED_BYTES_MAX = 512;

/** A sync flush ends the blocks on a byte boundary and does not end the gzip member, so other blocks can follow. */
const OPEN_ENDED: ZlibOptions = { finishFlush: constants.Z_SYNC_FLUSH };

const deflateRawAside = promisify(deflateRaw) as (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer>;

/** One deflate block with the uncompressed bytes. */
function storedBlock(bytes: Uint8Array): Uint8Array {
  const block = Buffer.allocUnsafe(5 + bytes.byteLength);
  block[0] = 0;
  block.writeUInt16LE(bytes.byteLength, 1);
  block.writeUInt16LE(~bytes.byteLength & 0xffff, 3);
  block.set(bytes, 5);
  return block;
}

/**
 * Bytes that are part of larger payloads. Each piece is compressed separately, so it can be a part of any gzip member without another compression.
 * Immutable. A piece is compressed when `deflated` is read for the first time, and the result is cached.
 */
export class Piece {
  readonly bytes: Uint8Array;
  #deflated: Uint8Array | undefined;
  #sum: CrcSum | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  static ofText(text: string): Piece {
    return new Piece(Buffer.from(text));
  }

  get lengthBytes(): number {
    return this.bytes.byteLength;
  }

  /** Number of bytes that the next read of `deflated` must compress; 0 when it costs almost nothing. */
  get uncompressedBytes(): number {
    return this.#deflated !== undefined || this.lengthBytes <= STORED_BYTES_MAX ? 0 : this.lengthBytes;
  }

  /** Raw deflate blocks of `bytes`, byte-aligned, none of them final. */
  get deflated(): Uint8Array {
    this.#deflated ??= this.uncompressedBytes > 0 ? deflateRawSync(this.bytes, OPEN_ENDED) : storedBlock(this.bytes);
    return this.#deflated;
  }

  /** Compresses the piece on another thread. */
  async deflateAside(): Promise<void> {
    if (this.uncompressedBytes > 0) this.#deflated = await deflateRawAside(this.bytes, OPEN_ENDED);
  }

  /** CRC-32 of `bytes`. */
  get sum(): CrcSum {
    this.#sum ??= { crc: crc32(this.bytes), shift: crcShift(this.lengthBytes) };
    return this.#sum;
  }
}

const COMMA = Piece.ofText(',');

/** The pieces with commas between them. */
export function commaSeparated(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [COMMA, piece]));
}
