/** What is set aside for many documents: they are cut from it one after the other. */
const SLAB_BYTES = 32 * 1024;
/** Beside a text, the most that one value takes. */
const VALUE_BYTES_MAX = 9;
/** Characters of a text that is written one by one: of a longer one that costs more than to have it written. */
const SHORT_CHARS = 64;

const HALF_CHARACTER = /\p{Surrogate}/u;

/** Thrown where a value is none of JSON's: made once, for nobody asks where it was. */
const UNKNOWN = new Error('not of what JSON holds');

/**
 * Writes documents of MessagePack that hold what JSON does, to the byte as msgpackr does (`useRecords: false`). Entities of one kind come in many shapes, as they
 * were read, made or changed: an object is walked here with as few looks at what it is as can be.
 */
export class MsgpackWriter {
  #bytes = Buffer.allocUnsafeSlow(SLAB_BYTES);
  #start = 0;
  #at = 0;

  /** A view of memory that other documents share. Undefined when the document is more than that: another writer has to say what it is. */
  write(value: unknown): Uint8Array | undefined {
    this.#start = this.#at;
    try {
      this.#value(value);
      const document = this.#bytes.subarray(this.#start, this.#at);
      // Memory that was taken for a large one goes with it: small ones that somebody keeps would keep all of it.
      if (this.#bytes.length > SLAB_BYTES) this.#at = this.#bytes.length;
      return document;
    } catch (error) {
      this.#at = this.#start;
      if (error === UNKNOWN) return undefined;
      throw error;
    }
  }

  #value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.#text(value);
        return;
      case 'object':
        if (value === null) this.#byte(0xc0);
        else if (Array.isArray(value)) this.#list(value);
        else if (value.constructor === Object) this.#map(value as Record<string, unknown>);
        else throw UNKNOWN;
        return;
      case 'boolean':
        this.#byte(value ? 0xc3 : 0xc2);
        return;
      case 'number':
        this.#number(value);
        return;
      case 'undefined':
        this.#reserve(VALUE_BYTES_MAX);
        this.#head16(0xd4, 0);
        return;
      default:
        throw UNKNOWN;
    }
  }

  #map(map: Record<string, unknown>): void {
    this.#reserve(VALUE_BYTES_MAX);
    // The memory may be another one by the time the length is known.
    const head = this.#at - this.#start;
    this.#at += 3;
    let length = 0;
    for (const key in map) {
      this.#text(key);
      this.#value(map[key]);
      length++;
    }
    if (length > 0xffff) throw UNKNOWN;
    this.#put16(this.#start + head, 0xde, length);
  }

  #list(list: readonly unknown[]): void {
    const { length } = list;
    this.#reserve(VALUE_BYTES_MAX);
    if (length < 0x10) this.#bytes[this.#at++] = 0x90 | length;
    else if (length < 0x1_0000) this.#head16(0xdc, length);
    else throw UNKNOWN;
    for (let index = 0; index < length; index++) this.#value(list[index]);
  }

  #text(text: string): void {
    const { length } = text;
    if (length >= SHORT_CHARS || !this.#shortText(text, length)) this.#anyText(text);
  }

  /** False when a character is more than a byte. */
  #shortText(text: string, length: number): boolean {
    this.#reserve(length + VALUE_BYTES_MAX);
    const bytes = this.#bytes;
    let at = this.#at;
    if (length < 0x20) bytes[at++] = 0xa0 | length;
    else {
      bytes[at++] = 0xd9;
      bytes[at++] = length;
    }
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) return false;
      bytes[at++] = code;
    }
    this.#at = at;
    return true;
  }

  #anyText(text: string): void {
    // Half a character is written in more than one way.
    if (HALF_CHARACTER.test(text)) throw UNKNOWN;
    const length = Buffer.byteLength(text);
    this.#reserve(length + VALUE_BYTES_MAX);
    if (length < 0x20) this.#bytes[this.#at++] = 0xa0 | length;
    else if (length < 0x100) {
      this.#bytes[this.#at++] = 0xd9;
      this.#bytes[this.#at++] = length;
    } else if (length < 0x1_0000) this.#head16(0xda, length);
    else this.#head32(0xdb, length);
    this.#at += this.#bytes.write(text, this.#at);
  }

  #number(number: number): void {
    this.#reserve(VALUE_BYTES_MAX);
    if (number >>> 0 === number) this.#natural(number);
    else if (number >> 0 !== number) {
      this.#bytes[this.#at++] = 0xcb;
      this.#at = this.#bytes.writeDoubleBE(number, this.#at);
    } else this.#negative(number);
  }

  #negative(number: number): void {
    if (number >= -0x20) this.#bytes[this.#at++] = number;
    else if (number >= -0x80) {
      this.#bytes[this.#at++] = 0xd0;
      this.#bytes[this.#at++] = number;
    } else if (number >= -0x8000) this.#head16(0xd1, number);
    else this.#head32(0xd2, number >>> 0);
  }

  #natural(number: number): void {
    if (number < 0x80) this.#bytes[this.#at++] = number;
    else if (number < 0x100) {
      this.#bytes[this.#at++] = 0xcc;
      this.#bytes[this.#at++] = number;
    } else if (number < 0x1_0000) this.#head16(0xcd, number);
    else this.#head32(0xce, number);
  }

  #head16(token: number, number: number): void {
    this.#put16(this.#at, token, number);
    this.#at += 3;
  }

  #put16(at: number, token: number, number: number): void {
    this.#bytes[at] = token;
    this.#bytes[at + 1] = number >>> 8;
    this.#bytes[at + 2] = number;
  }

  #head32(token: number, number: number): void {
    this.#bytes[this.#at] = token;
    this.#at = this.#bytes.writeUInt32BE(number, this.#at + 1);
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = byte;
  }

  /** Makes sure that there is room. What the document has come to moves to new memory when there is none. */
  #reserve(bytes: number): void {
    if (this.#at + bytes > this.#bytes.length) this.#move(bytes);
  }

  #move(bytes: number): void {
    const written = this.#bytes.subarray(this.#start, this.#at);
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, 2 * (written.length + bytes)));
    this.#bytes.set(written);
    this.#start = 0;
    this.#at = written.length;
  }
}
