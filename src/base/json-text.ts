import { isAscii, isUtf8 } from 'node:buffer';
import { type Asker, AskerEnded } from './asking/asker.ts';
import { invalid, Rejection } from './rejection.ts';
import { Slicer } from './yield-control.ts';

/** Maximum nesting of arrays and objects in a body, because validators and serialisers are recursive. No body of the contract comes near it. */
export const JSON_DEPTH_MAX = 64;

/**
 * Maximum number of values in a body of the standard size. A key counts as three values, because it costs as much. A megabyte of `[]` contains
 * 330,000 values, and `JSON.parse` needs 25 ms for it; for a megabyte of keys it needs 17 ms. With this limit it needs less than 10 ms, the maximum
 * for which code may block the event loop, and one constraint with 40,000 ids is still accepted.
 */
export const JSON_VALUES_MAX = 50_000;

/**
 * Maximum number of values in a body that is parsed in fragments. An export of 150,000 flags has this many values; with more, garbage collection
 * takes too long.
 */
const LARGE_VALUES_MAX = 10_000_000;

const KEY_COST = 3;

/** Maximum number of bytes of a large document for one call of `JSON.parse`. */
const FRAGMENT_BYTES = 32 * 1024;

/** Maximum bytes of one string or number in a large document, because it cannot be parsed in fragments. */
const SCALAR_BYTES_MAX = 1_000_000;

const NOT_UTF8 = invalid('The body is not valid JSON: it is not UTF-8.');
const TOO_DEEP = invalid(`The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
const TOO_MANY = invalid('The body has more values than this path accepts.');
// A key with this name sets the prototype if code copies the object carelessly.
const PROTO_KEY = invalid('The body has a key named "__proto__", which is not allowed.');
// The next two rejections are for values that UTF-8 or the stores cannot represent: reading such a value again would give another value.
const HALF_CHARACTER = invalid(
  'The body has text with half of a character: a surrogate without the other surrogate of its pair.',
);
const TOO_LARGE_NUMBER = invalid('The body has a number that is larger than any number that can be stored.');

/** The parsed body, or a rejection with the reason. */
export function parseJson(body: Uint8Array): { readonly value: unknown } | Rejection {
  const bytes = withoutByteOrderMark(body);
  if (!isUtf8(bytes)) return NOT_UTF8;
  const shape = new Shape();
  shape.read(bytes, 0, bytes.length);
  if (shape.depthMax > JSON_DEPTH_MAX) return TOO_DEEP;
  if (shape.values > JSON_VALUES_MAX) return TOO_MANY;
  try {
    return { value: parseText(textOf(bytes), shape.hasLargeNumbers) };
  } catch (error) {
    return rejectionOf(error);
  }
}

/**
 * Same as `parseJson`, in several turns of the event loop: the scan of the bytes takes about as long as `JSON.parse`, so both have separate turns.
 */
export async function parseJsonInTurns(
  body: Uint8Array,
  asker: Asker,
): Promise<{ readonly value: unknown } | Rejection> {
  const bytes = withoutByteOrderMark(body);
  if (!isUtf8(bytes)) return NOT_UTF8;
  const slicer = Slicer.of(asker);
  const shape = await shapeOf(bytes, JSON_VALUES_MAX, slicer);
  if (shape instanceof Rejection) return shape;
  await slicer.pause();
  try {
    return { value: parseText(textOf(bytes), shape.hasLargeNumbers) };
  } catch (error) {
    return rejectionOf(error);
  } finally {
    await slicer.pause();
  }
}

/** Same as `parseJson`, for bodies of any size: yields to the event loop between fragments, and accepts up to `LARGE_VALUES_MAX` values. */
export async function parseLargeJson(body: Uint8Array, asker: Asker): Promise<{ readonly value: unknown } | Rejection> {
  if (body.length <= FRAGMENT_BYTES) return parseJson(body);
  const bytes = withoutByteOrderMark(body);
  if (!isUtf8(bytes)) return NOT_UTF8;
  const slicer = Slicer.of(asker);
  const shape = await shapeOf(bytes, LARGE_VALUES_MAX, slicer);
  if (shape instanceof Rejection) return shape;
  try {
    return { value: await new FragmentParser(bytes, shape.hasLargeNumbers, slicer).parse() };
  } catch (error) {
    return rejectionOf(error);
  }
}

/** Scans the bytes in slices. Returns their shape, or a rejection if they are nested too deeply or contain too many values. */
async function shapeOf(bytes: Buffer, valuesMax: number, slicer: Slicer): Promise<Shape | Rejection> {
  const shape = new Shape();
  for (let start = 0; start < bytes.length; start += FRAGMENT_BYTES) {
    shape.read(bytes, start, Math.min(start + FRAGMENT_BYTES, bytes.length));
    if (shape.depthMax > JSON_DEPTH_MAX) return TOO_DEEP;
    if (shape.values > valuesMax) return TOO_MANY;
    if (slicer.spent) await slicer.pause();
  }
  return shape;
}

function rejectionOf(error: unknown): Rejection {
  if (error instanceof AskerEnded) throw error;
  if (error instanceof Rejection) return error;
  return invalid(`The body is not valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'unreadable'}.`);
}

/** A buffer over the same memory, without the byte order mark that some editors write at the beginning. */
function withoutByteOrderMark(body: Uint8Array): Buffer {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Each of the two decoders is several times faster than the other for its kind of text. */
function textOf(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : decoder.decode(bytes);
}

/** Escapes that can write a character of `__proto__`, or a lone surrogate. The bytes are UTF-8, so only an escape can write a lone surrogate. */
const SUSPICIOUS_ESCAPE = /\\u(?:005f|006f|007[024]|d[89a-f])/i;

/**
 * Whether the text may contain the key `__proto__` or a lone surrogate. The two searches come before the regular expression, because they cost a
 * sixth of it and most texts contain neither `__proto__` nor an escape.
 */
function isSuspicious(text: string): boolean {
  return text.includes('__proto__') || (text.includes('\\u') && SUSPICIOUS_ESCAPE.test(text));
}

/** Matches only lone surrogates: with the flag `u` a pair is one character. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** @throws SyntaxError, Rejection */
function parseText(text: string, hasLargeNumbers: boolean): unknown {
  const value: unknown = JSON.parse(text);
  // A check of every value costs as much as parsing, so only texts that may contain a dangerous value are checked.
  const problem = hasLargeNumbers || isSuspicious(text) ? problemOf(value) : undefined;
  if (problem) throw problem;
  return value;
}

/** The reason why a parsed value cannot be stored safely; undefined if it can. */
function problemOf(value: unknown): Rejection | undefined {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? HALF_CHARACTER : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : TOO_LARGE_NUMBER;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (const item of value) {
      const problem = problemOf(item);
      if (problem) return problem;
    }
    return undefined;
  }
  if (Object.hasOwn(value, '__proto__')) return PROTO_KEY;
  for (const key in value) {
    const problem = problemOf(key) ?? problemOf((value as Record<string, unknown>)[key]);
    if (problem) return problem;
  }
  return undefined;
}

/** A number with at most this many digits is finite. */
const FINITE_DIGITS = 308;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const LETTER_E = 0x45;
const LETTER_E_SMALL = 0x65;

/** Depth and size of a document, found by a scan of its bytes before recursive or allocating code reads it. */
class Shape {
  depthMax = 0;
  /** Counts commas and opening brackets, about one for each value, and colons, for keys. */
  values = 0;
  /** Whether a number has an exponent or more than `FINITE_DIGITS` digits: it may not be finite. */
  hasLargeNumbers = false;
  #digits = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  read(bytes: Uint8Array, start: number, end: number): void {
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let digits = this.#digits;
    for (let index = start; index < end; index++) {
      const byte = bytes[index];
      if (escaped) escaped = false;
      else if (inString) {
        if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === COMMA) this.values++;
      else if (byte === COLON) this.values += KEY_COST;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        this.values++;
        if (++depth > this.depthMax) this.depthMax = depth;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
      else if (byte !== undefined && byte >= DIGIT_0 && byte <= DIGIT_9) {
        if (++digits > FINITE_DIGITS) this.hasLargeNumbers = true;
        continue;
      } else if ((byte === LETTER_E || byte === LETTER_E_SMALL) && digits > 0) this.hasLargeNumbers = true;
      digits = 0;
    }
    this.#digits = digits;
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
  }
}

/**
 * Parses a document of any size in fragments. Members of a container are collected up to a fragment's size and passed to `JSON.parse` as a separate
 * container. A member that is larger than a fragment is parsed recursively. So `JSON.parse` checks all syntax, except the commas and brackets between
 * fragments.
 */
class FragmentParser {
  readonly #bytes: Buffer;
  readonly #hasLargeNumbers: boolean;
  readonly #slicer: Slicer;
  #at = 0;

  constructor(bytes: Buffer, hasLargeNumbers: boolean, slicer: Slicer) {
    this.#bytes = bytes;
    this.#hasLargeNumbers = hasLargeNumbers;
    this.#slicer = slicer;
  }

  /** @throws SyntaxError, Rejection */
  async parse(): Promise<unknown> {
    this.#skipSpace();
    const value = await this.#value();
    this.#skipSpace();
    if (this.#at < this.#bytes.length) throw new SyntaxError('there is text behind the end of the document');
    return value;
  }

  async #value(): Promise<unknown> {
    const opening = this.#bytes[this.#at];
    if (opening === OPEN_ARRAY) return this.#array();
    if (opening === OPEN_OBJECT) return this.#object();
    const end = this.#endOfMember(this.#at, this.#bytes.length);
    if (end - this.#at > SCALAR_BYTES_MAX) throw new SyntaxError(`a value is longer than ${SCALAR_BYTES_MAX} bytes`);
    const value = this.#parse(textOf(this.#bytes.subarray(this.#at, end)));
    this.#at = end;
    return value;
  }

  #parse(text: string): unknown {
    return parseText(text, this.#hasLargeNumbers);
  }

  async #array(): Promise<unknown[]> {
    const result: unknown[] = [];
    await this.#members(
      CLOSE_ARRAY,
      (text) => {
        for (const item of this.#parse(`[${text}]`) as unknown[]) result.push(item);
      },
      async () => void result.push(await this.#value()),
    );
    return result;
  }

  async #object(): Promise<Record<string, unknown>> {
    const result: Record<string, unknown> = {};
    await this.#members(
      CLOSE_OBJECT,
      (text) => void Object.assign(result, this.#parse(`{${text}}`)),
      async () => {
        if (this.#bytes[this.#at] !== QUOTE) throw new SyntaxError('a member has no key');
        const keyEnd = this.#endOfString(this.#at);
        const key =
          Object.keys(this.#parse(`{${textOf(this.#bytes.subarray(this.#at, keyEnd))}:0}`) as object)[0] ?? '';
        this.#at = keyEnd;
        this.#skipSpace();
        if (this.#bytes[this.#at++] !== COLON) throw new SyntaxError('a key is not followed by a colon');
        this.#skipSpace();
        result[key] = await this.#value();
      },
    );
    return result;
  }

  /**
   * Reads the members of the container that begins at the current position: `take` gets the text of several small members, `enter` reads one large
   * member.
   */
  async #members(close: number, take: (text: string) => void, enter: () => Promise<void>): Promise<void> {
    const bytes = this.#bytes;
    this.#at++;
    this.#skipSpace();
    if (bytes[this.#at] === close) {
      this.#at++;
      return;
    }
    for (;;) {
      const end = this.#endOfFragment();
      if (end > this.#at) {
        take(textOf(bytes.subarray(this.#at, end)));
        this.#at = end;
      } else await enter();
      this.#skipSpace();
      const separator = bytes[this.#at++];
      if (separator === close) return;
      if (separator !== COMMA) throw new SyntaxError('a member is followed neither by a comma nor by the end');
      this.#skipSpace();
      if (bytes[this.#at] === close || this.#at >= bytes.length) throw new SyntaxError('a member is missing');
      if (this.#slicer.spent) await this.#slicer.pause();
    }
  }

  /** End of the last member that fits into the current fragment; the current position if the first member does not fit. */
  #endOfFragment(): number {
    const limit = Math.min(this.#at + FRAGMENT_BYTES, this.#bytes.length);
    let end = this.#at;
    for (let from = this.#at; ; from = end + 1) {
      const memberEnd = this.#endOfMember(from, limit);
      if (memberEnd >= limit) return end;
      end = memberEnd;
      if (this.#bytes[end] !== COMMA) return end;
    }
  }

  /** Index of the comma or bracket after the member that begins at `from`; `limit` if the member does not end before it. */
  #endOfMember(from: number, limit: number): number {
    let depth = 0;
    for (let index = from; index < limit; index++) {
      const byte = this.#bytes[index];
      if (byte === QUOTE) index = this.#endOfString(index, limit) - 1;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
      else if (byte === COMMA) {
        if (depth === 0) return index;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (depth === 0) return index;
        depth--;
      }
    }
    return limit;
  }

  /** Index after the string that begins at `from`; `limit` if the string does not end before it. */
  #endOfString(from: number, limit = this.#bytes.length): number {
    for (let index = from + 1; index < limit; index++) {
      const byte = this.#bytes[index];
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) return index + 1;
    }
    return limit;
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at++;
    }
  }
}
