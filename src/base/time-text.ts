const HYPHEN = 0x2d;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;

/** What `Date.parse` makes of the ASCII text that stands between the two places. The form in which JavaScript writes times is read from the bytes. */
export function timeIn(bytes: Uint8Array, start: number, end: number): number {
  const known = isoTimeIn(bytes, start, end);
  if (known !== undefined) return known;
  return Date.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'));
}

/** Length of `2026-11-22T12:00:00.000Z`. */
const ISO_LENGTH = 24;

/** A time as JavaScript writes it, on a day that every month has; undefined for all others, which `Date.parse` knows. */
function isoTimeIn(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (end - start !== ISO_LENGTH) return undefined;
  if (bytes[start + 4] !== HYPHEN || bytes[start + 7] !== HYPHEN || bytes[start + 10] !== LETTER_T) return undefined;
  if (bytes[start + 13] !== COLON || bytes[start + 16] !== COLON) return undefined;
  if (bytes[start + 19] !== POINT || bytes[start + 23] !== LETTER_Z) return undefined;
  const year = digitsIn(bytes, start, 4);
  const month = digitsIn(bytes, start + 5, 2);
  const day = digitsIn(bytes, start + 8, 2);
  const hour = digitsIn(bytes, start + 11, 2);
  const minute = digitsIn(bytes, start + 14, 2);
  const second = digitsIn(bytes, start + 17, 2);
  const ms = digitsIn(bytes, start + 20, 3);
  // Not a number is none of these.
  const isDate = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 28;
  if (!isDate || !(hour <= 23 && minute <= 59 && second <= 59 && ms <= 999)) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

function digitsIn(bytes: Uint8Array, start: number, count: number): number {
  let number = 0;
  for (let at = start; at < start + count; at++) {
    const digit = (bytes[at] as number) - DIGIT_0;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}
