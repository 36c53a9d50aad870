const encoder = new TextEncoder();

/** Where text becomes bytes; what documents that are made while they are sent come in fits. */
const scratch = new Uint8Array(256 * 1024);

/** Of UTF-8, for one of UTF-16's units. */
const UNIT_BYTES_MAX = 3;

/**
 * The text as bytes, in memory that the next call reuses: uWS sends at once, and copies bytes that the socket does not accept. A separate buffer
 * for every piece would cost several times as much as the encoding.
 */
export function utf8(text: string): Uint8Array {
  if (text.length * UNIT_BYTES_MAX > scratch.length) return Buffer.from(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}
