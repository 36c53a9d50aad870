import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, type ZlibOptions } from 'node:zlib';

/** Fits into one packet: nothing is gained by sending less. */
export const GZIP_BYTES_MIN = 1_400;

const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

/** The fastest level: toggles are much alike, and a better one saves a tenth for twice the work. */
const LEVEL = 1;

const deflate = promisify(deflateRaw) as (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer>;

/** One gzip member, made of parts as they come, on another thread. Keeps nothing but a checksum. */
export class GzipWriter {
  #crc = 0;
  #lengthBytes = 0;
  #hasBegun = false;

  /** The part, compressed; with what belongs before the first one, and behind the last. */
  async part(bytes: Uint8Array, isLast: boolean): Promise<Uint8Array> {
    this.#crc = crc32(bytes, this.#crc);
    this.#lengthBytes += bytes.byteLength;
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    const parts: Uint8Array[] = [await deflate(bytes, { level: LEVEL, finishFlush })];
    if (!this.#hasBegun) parts.unshift(GZIP_HEADER);
    this.#hasBegun = true;
    if (isLast) {
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(this.#crc, 0);
      trailer.writeUInt32LE(this.#lengthBytes >>> 0, 4);
      parts.push(trailer);
    }
    return Buffer.concat(parts);
  }
}
