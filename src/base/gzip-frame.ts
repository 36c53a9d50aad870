/** The gzip header: magic, deflate, no flags, no time, no extra flags, unknown system. It is constant, so equal content gives equal bytes. */
export const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

/** What follows the compressed bytes: the checksum and the length of the content. */
export function gzipTrailer(crc: number, lengthBytes: number): Uint8Array {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(lengthBytes >>> 0, 4);
  return trailer;
}
