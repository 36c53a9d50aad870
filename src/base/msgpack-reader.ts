/** Bytes of a text that is looked up. Longer ones are rarely met again. */
const KNOWN_BYTES_MAX = 64;
/** Texts that are remembered, a power of two: whoever comes to the same place takes it. Bounds the memory at a third of a megabyte. */
const KNOWN_MAX = 4_096;

const NOTHING = Buffer.alloc(0);

const float = new Float64Array(1);
const floatBytes = new Uint8Array(float.buffer);

/** Kinds of objects that are remembered, and keys of one: code is made for each. */
const SHAPES_MAX = mayMakeCode() ? 256 : 0;
const SHAPE_KEYS_MAX = 32;

/** The keys of an object, in their order. */
interface Shape {
  readonly keys: readonly string[];
  readonly make: (values: readonly unknown[], base: number) => object;
}

/** Thrown where the reader does not know what comes: made once, for nobody asks where it was. */
const UNKNOWN = new Error('not of the part of MessagePack that is read here');

/**
 * Reads documents of MessagePack that hold what JSON does. Texts of up to 64 bytes are remembered across documents: records of a log tell of the same
 * few entities again and again, and a text that is met again is neither made nor left to the collector. It is compared byte by byte, so what the
 * remembered ones are makes no difference to what is read.
 */
export class MsgpackReader {
  readonly #known: string[] = new Array<string>(KNOWN_MAX).fill('');
  #bytes: Buffer = NOTHING;
  #at = 0;
  /** By the first key, then by how many there are: of those that begin alike, the one that came first. */
  readonly #shapes = new Map<string, Shape[]>();
  #shapeCount = 0;
  /** Of the objects that are being read, one upon the other. */
  readonly #values: unknown[] = [];
  #top = 0;

  /** Undefined when the document is more than that, or is damaged: another reader has to say which. */
  read(bytes: Uint8Array): unknown {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = 0;
    this.#top = 0;
    try {
      const value = this.#value();
      return this.#at === bytes.length ? value : undefined;
    } catch (error) {
      if (error === UNKNOWN) return undefined;
      throw error;
    } finally {
      this.#bytes = NOTHING;
    }
  }

  /**
   * The value under `key` in the map that is the second item of a list, read no further than that: what comes before it is small, what comes
   * behind it may have megabytes. Undefined when it is not there, or the bytes are no such list.
   */
  peek(bytes: Uint8Array, key: string): unknown {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = 0;
    this.#top = 0;
    try {
      if (this.#byte() !== 0x92) return undefined;
      this.#value();
      const token = this.#byte();
      const size = token === 0xde ? this.#uint16() : token - 0x80;
      for (let place = 0; place < size && place < 0x10_000; place++) {
        const found = this.#key() === key;
        const value = this.#value();
        if (found) return value;
      }
      return undefined;
    } catch (error) {
      if (error === UNKNOWN) return undefined;
      throw error;
    } finally {
      this.#bytes = NOTHING;
    }
  }

  #value(): unknown {
    const token = this.#byte();
    if (token < 0x80) return token;
    if (token >= 0xe0) return token - 0x100;
    if (token >= 0xa0 && token < 0xc0) return this.#text(token - 0xa0);
    if (token < 0x90) return this.#map(token - 0x80);
    if (token < 0xa0) return this.#list(token - 0x90);
    return this.#rarer(token);
  }

  #rarer(token: number): unknown {
    switch (token) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xcb:
        return this.#double();
      case 0xcc:
        return this.#byte();
      case 0xcd:
        return this.#uint16();
      case 0xce:
        return this.#uint32();
      case 0xd0:
        return (this.#byte() << 24) >> 24;
      case 0xd1:
        return (this.#uint16() << 16) >> 16;
      case 0xd2:
        return this.#uint32() | 0;
      case 0xd9:
        return this.#text(this.#byte());
      case 0xda:
        return this.#text(this.#uint16());
      case 0xdc:
        return this.#list(this.#uint16());
      case 0xde:
        return this.#map(this.#uint16());
      default:
        throw UNKNOWN;
    }
  }

  #map(size: number): unknown {
    if (size === 0) return {};
    const first = this.#key();
    const shape = this.#shapes.get(first)?.[size];
    if (!shape) return this.#mapOfNewShape(size, first);
    const values = this.#values;
    const base = this.#top;
    this.#top += size;
    values[base] = this.#value();
    for (let place = 1; place < size; place++) {
      if (!this.#skipKey(shape.keys[place] as string)) return this.#mapOfOtherShape(size, shape, base, place);
      values[base + place] = this.#value();
    }
    this.#top = base;
    return shape.make(values, base);
  }

  /** One that began as another does. */
  #mapOfOtherShape(size: number, shape: Shape, base: number, known: number): unknown {
    const value: Record<string, unknown> = {};
    for (let place = 0; place < known; place++) value[shape.keys[place] as string] = this.#values[base + place];
    this.#top = base;
    for (let place = known; place < size; place++) value[this.#key()] = this.#value();
    return value;
  }

  #mapOfNewShape(size: number, first: string): unknown {
    const keys = [first];
    const value: Record<string, unknown> = { [first]: this.#value() };
    for (let place = 1; place < size; place++) {
      const key = this.#key();
      keys.push(key);
      value[key] = this.#value();
    }
    if (size > SHAPE_KEYS_MAX || this.#shapeCount === SHAPES_MAX) return value;
    this.#shapeCount++;
    const shapes = this.#shapes.get(first) ?? [];
    shapes[size] = { keys, make: makerOf(keys) };
    this.#shapes.set(first, shapes);
    return value;
  }

  /** Goes past the key, if it is this one. */
  #skipKey(key: string): boolean {
    const { length } = key;
    const at = this.#at + 1;
    if (this.#bytes[at - 1] !== 0xa0 + length || !isSame(key, this.#bytes, at)) return false;
    this.#at = at + length;
    return true;
  }

  #key(): string {
    const token = this.#byte();
    if (token < 0xa0 || token >= 0xc0) throw UNKNOWN;
    const key = this.#text(token - 0xa0);
    // As a key of a literal it would be something else.
    if (key === '__proto__') throw UNKNOWN;
    return key;
  }

  #list(length: number): unknown[] {
    // An item has a byte at least: nobody makes room for what is not there.
    if (length > this.#bytes.length - this.#at) throw UNKNOWN;
    const list = new Array<unknown>(length);
    for (let index = 0; index < length; index++) list[index] = this.#value();
    return list;
  }

  #text(length: number): string {
    const bytes = this.#bytes;
    const start = this.#at;
    const end = start + length;
    if (end > bytes.length) throw UNKNOWN;
    this.#at = end;
    if (length === 0) return '';
    if (length > KNOWN_BYTES_MAX) return textOf(bytes, start, end);
    const place = placeOf(bytes, start, end);
    const known = this.#known[place] as string;
    if (known.length === length && isSame(known, bytes, start)) return known;
    const text = textOf(bytes, start, end);
    // Only where a character is a byte.
    if (text.length === length) this.#known[place] = text;
    return text;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw UNKNOWN;
    return byte;
  }

  #uint16(): number {
    return this.#byte() * 0x100 + this.#byte();
  }

  #uint32(): number {
    return this.#uint16() * 0x1_0000 + this.#uint16();
  }

  #double(): number {
    for (let index = 7; index >= 0; index--) floatBytes[index] = this.#byte();
    return float[0] as number;
  }
}

/** Made of the length and of some bytes: names that are numbered differ in the last ones, ids in all. */
function placeOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  hash = Math.imul(hash ^ (bytes[start] as number), 0x01000193);
  hash = Math.imul(hash ^ (bytes[(start + end) >>> 1] as number), 0x01000193);
  for (let at = Math.max(start, end - 4); at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return (hash ^ (hash >>> 15)) & (KNOWN_MAX - 1);
}

/** A process may be told to make none (`--disallow-code-generation-from-strings`). */
function mayMakeCode(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}

/**
 * A literal with these keys: filling an empty object key by key makes room for more of them again and again, which costs several times as much,
 * and leaves an object that is larger.
 */
function makerOf(keys: readonly string[]): Shape['make'] {
  const fields = keys.map((key, place) => `${JSON.stringify(key)}:values[base+${place}]`);
  return new Function('values', 'base', `return {${fields.join()}}`) as Shape['make'];
}

function isSame(text: string, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}

/** One that stands alone: it keeps nothing of the document. */
function textOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end);
}
