import { assert } from '../base/assert.ts';

// MessagePack values, found by their first bytes and skipped without decoding: https://github.com/msgpack/msgpack/blob/master/spec.md.

/** Whether the value is an object. */
export const isMap = (first = 0) => (first & 0xf0) === 0x80 || first === 0xde || first === 0xdf;
/** Whether the value is an object or a list. */
export const isContainer = (first = 0) => isMap(first) || (first & 0xf0) === 0x90 || first === 0xdc || first === 0xdd;

/** The number of fields of the object at this position, and where they begin. */
export function mapAt(bytes: Uint8Array, start: number): { count: number; at: number } {
  const first = bytes[start] ?? 0;
  assert(isMap(first), 'the event or its data is no object');
  if (first === 0xde) return { count: numberAt(bytes, start + 1, 2), at: start + 3 };
  if (first === 0xdf) return { count: numberAt(bytes, start + 1, 4), at: start + 5 };
  return { count: first & 0x0f, at: start + 1 };
}

/** The number of items of the list at this position, and where they begin. */
export function listAt(bytes: Uint8Array, start: number): { count: number; at: number } {
  const first = bytes[start] ?? 0;
  assert(!isMap(first) && isContainer(first), 'the value is no list');
  if (first === 0xdc) return { count: numberAt(bytes, start + 1, 2), at: start + 3 };
  if (first === 0xdd) return { count: numberAt(bytes, start + 1, 4), at: start + 5 };
  return { count: first & 0x0f, at: start + 1 };
}

function numberAt(bytes: Uint8Array, at: number, size: number): number {
  assert(at + size <= bytes.length, 'the event ends before its values do');
  let value = 0;
  for (let index = at; index < at + size; index++) value = value * 256 + (bytes[index] as number);
  return value;
}

/**
 * MessagePack, for the first bytes 0xc0 to 0xdf: the number of bytes that follow, or the number of bytes of the length that follows. 0xc1 is never
 * used.
 */
const FOLLOWING = [
  0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17, 1, 2, 4, 2, 4, 2, 4,
] as const;

/** The position after the value that begins at `start`. It does not recurse and decodes nothing. */
export function endOfValue(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let values = 1; values > 0; values--) {
    const first = bytes[at];
    assert(first !== undefined, 'the event ends before its values do');
    at++;
    if (first < 0x80 || first >= 0xe0) continue;
    if (first < 0x90) values += 2 * (first & 0x0f);
    else if (first < 0xa0) values += first & 0x0f;
    else if (first < 0xc0) at += first & 0x1f;
    else {
      const size = FOLLOWING[first - 0xc0] as number;
      const isText = first >= 0xd9 && first <= 0xdb;
      if (first >= 0xdc) values += (first >= 0xde ? 2 : 1) * numberAt(bytes, at, size);
      else if (isText || (first >= 0xc4 && first <= 0xc6)) at += numberAt(bytes, at, size);
      else if (first >= 0xc7 && first <= 0xc9) at += 1 + numberAt(bytes, at, size);
      at += size;
    }
  }
  assert(at <= bytes.length, 'the event ends before its values do');
  return at;
}

/** The text at this position; undefined if the value there is none, or one of 256 bytes or more. */
export function textAt(bytes: Uint8Array, start: number): string | undefined {
  const first = bytes[start] ?? 0;
  const isShort = (first & 0xe0) === 0xa0;
  if (!isShort && first !== 0xd9) return undefined;
  const at = isShort ? start + 1 : start + 2;
  const length = isShort ? first & 0x1f : (bytes[start + 1] ?? 0);
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString('utf8');
}
