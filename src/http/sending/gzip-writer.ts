import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, type ZlibOptions } from 'node:zlib';
import { GZIP_HEADER, gzipTrailer } from '../../base/gzip-frame.ts';
import { GZIP_LEVEL } from './compressed.ts';

const deflate = promisify(deflateRaw) as (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer>;

/**
 * Creates one gzip member from parts, as they arrive. Compression runs on another thread. Between parts only the checksum and the length are stored.
 */
export class GzipWriter {
  #crc = 0;
  #lengthBytes = 0;
  #hasBegun = false;

  /** The compressed part. The first part begins with the gzip header, the last part ends with the trailer. */
  async part(bytes: Uint8Array, isLast: boolean): Promise<Uint8Array> {
    this.#crc = crc32(bytes, this.#crc);
    this.#lengthBytes += bytes.byteLength;
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    const parts: Uint8Array[] = [await deflate(bytes, { level: GZIP_LEVEL, finishFlush })];
    if (!this.#hasBegun) parts.unshift(GZIP_HEADER);
    this.#hasBegun = true;
    if (isLast) parts.push(gzipTrailer(this.#crc, this.#lengthBytes));
    return Buffer.concat(parts);
  }
}
