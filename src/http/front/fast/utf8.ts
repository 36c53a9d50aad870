const encoder = new TextEncoder();

/** Memory for encoded text. It is larger than the pieces of documents that are created while they are sent. */
const scratch = new Uint8Array(256 * 1024);

/** Maximum number of UTF-8 bytes for one UTF-16 unit. */
const UNIT_BYTES_MAX = 3;

/**
 * The text as bytes, in memory that the next call reuses: uWS sends immediately, and copies bytes that the socket does not accept. A separate buffer
 * for every piece would cost several times as much as the encoding.
 */
export function utf8(text: string): Uint8Array {
  if (text.length * UNIT_BYTES_MAX > scratch.length) return Buffer.from(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}
