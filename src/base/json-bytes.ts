import type { TextTable } from './text-table.ts';
import { timeIn } from './time-text.ts';

/** Longest text of a time. */
const TIME_LENGTH_MAX = 64;

/** A number of so many digits is the same as a double. */
const DIGITS_MAX = 15;

/** Deepest nesting of a value that is read by others: what holds it is nested, too, and a body has a bound. */
const VALUE_DEPTH_MAX = 32;

/** What a member counts for: its name, its value and its brackets. */
const VALUES_OF_MEMBER = 5;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const UNDERSCORE = 0x5f;
const LETTER_N = 0x6e;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const DELETE = 0x7f;

/** Bytes that are compared at once. */
const WORD = 4;

/** Room behind the text for whoever looks where a name, or a text of a table, would end. */
const ROOM = 256;

/** The name of a member as it stands in a text, between its quotes: told from others by whole words. At least two letters. */
export class MemberName {
  /** With its quotes. */
  readonly length: number;
  readonly firstWord: number;
  /** Those behind it. */
  readonly words: Int32Array;
  /** Of its last bytes, which the words may leave out. */
  readonly lastWord: number;

  constructor(name: string) {
    const bytes = Buffer.from(`"${name}"`, 'latin1');
    this.length = bytes.length;
    this.firstWord = bytes.readInt32LE();
    const count = Math.floor(bytes.length / WORD) - 1;
    this.words = Int32Array.from({ length: count }, (_, at) => bytes.readInt32LE((at + 1) * WORD));
    this.lastWord = bytes.readInt32LE(bytes.length - WORD);
  }
}

const PROTO = new MemberName('__proto__');
const NULL_WORD = Buffer.from('null').readInt32LE();

/** Names by which an object is not one whose members come in the order in which they stand, or not a plain one. */
const OUT_OF_ORDER = /^(?:0|[1-9]\d*)$|^__proto__$/;

/** Thrown, and caught, where reading ends because the text is left to others. No stack: it is made once. */
const LEFT = { left: true };

/**
 * The text of a JSON document that is read in one pass by whoever knows its form, without making the objects that `JSON.parse` would make: a third of the time. It takes only what it
 * takes exactly as `JSON.parse` does, printable ASCII without escapes and whole numbers, and leaves the document to others at everything else. So it refuses
 * nothing, and has no errors of its own.
 *
 * What stands behind the text is a zero, which is no part of any: who reads on until something else comes stops there.
 */
export class JsonBytes {
  readonly bytes: Uint8Array;
  /** The same bytes, for whole words. */
  readonly view: DataView;
  readonly #sizeMax: number;
  readonly #valuesMax: number;
  #length = 0;
  #at = 0;
  /** What was read counts for so many values, at least: as those count it who bound a body (`http/json.ts`). */
  #values = 0;

  /** `sizeMax`: bytes of the longest document; `valuesMax`: values in it. */
  constructor(sizeMax: number, valuesMax: number) {
    this.bytes = new Uint8Array(sizeMax + ROOM);
    this.view = new DataView(this.bytes.buffer);
    this.#sizeMax = sizeMax;
    this.#valuesMax = valuesMax;
  }

  /** Whether `read` has read the whole document; otherwise it is left to others. */
  take(document: Uint8Array, read: () => void): boolean {
    if (document.length > this.#sizeMax) return false;
    this.bytes.set(document);
    this.bytes[document.length] = 0;
    this.#length = document.length;
    this.#at = 0;
    this.#values = 0;
    try {
      this.#space();
      read();
      return this.#at === this.#length && this.#values <= this.#valuesMax;
    } catch (error) {
      if (error !== LEFT) throw error;
      return false;
    }
  }

  /** The document is left to others. */
  leave(): never {
    throw LEFT;
  }

  /** Goes into an object that has members. */
  open(): void {
    this.#take(OPEN);
  }

  /** Goes into an object. False when nothing stands in it: it is behind it then. */
  enter(): boolean {
    return this.#enter(OPEN, CLOSE);
  }

  /** The same of a list. */
  enterList(): boolean {
    return this.#enter(OPEN_LIST, CLOSE_LIST);
  }

  /** Whether another member follows. Otherwise the object is over. */
  more(): boolean {
    return this.#more(CLOSE);
  }

  /** Whether another item follows. Otherwise the list is over. */
  moreItems(): boolean {
    return this.#more(CLOSE_LIST);
  }

  /** What stands here begins with it: names that begin otherwise need not be asked for. */
  get word(): number {
    return this.view.getInt32(this.#at, true);
  }

  /** Whether the member that stands here is called so. If it is, what comes then is its value. */
  is(name: MemberName): boolean {
    const { view } = this;
    const { firstWord, words, length, lastWord } = name;
    const at = this.#at;
    if (view.getInt32(at, true) !== firstWord) return false;
    for (let index = 0; index < words.length; index++)
      if (view.getInt32(at + (index + 1) * WORD, true) !== words[index]) return false;
    if (view.getInt32(at + length - WORD, true) !== lastWord) return false;
    this.#named(at + length);
    return true;
  }

  /** The slot of the name of the member that stands here, which is probably `expected`; what comes then is its value. */
  name(table: TextTable, expected: number): number {
    const slot = this.#slot(table, expected);
    const first = this.bytes[this.#at + 1] as number;
    if ((first <= DIGIT_9 && first >= DIGIT_0) || first === UNDERSCORE) {
      if (OUT_OF_ORDER.test(table.textOf(slot))) this.leave();
    }
    this.#named(table.end + 1);
    return slot;
  }

  /** Reads over a name that nobody asks for; what comes then is its value. */
  otherName(): void {
    if (this.is(PROTO)) this.leave();
    this.#named(this.#endOfText() + 1);
  }

  isNull(): boolean {
    if (this.bytes[this.#at] !== LETTER_N || this.view.getInt32(this.#at, true) !== NULL_WORD) return false;
    this.#at += WORD;
    this.#space();
    return true;
  }

  /** The slot of a text, which is probably `expected`. */
  text(table: TextTable, expected: number): number {
    const slot = this.#slot(table, expected);
    this.#at = table.end + 1;
    this.#space();
    return slot;
  }

  /** Reads over a text, or null, that nobody wants. */
  skipText(): void {
    if (this.isNull()) return;
    this.#at = this.#endOfText() + 1;
    this.#space();
  }

  /** A whole number that is not negative. */
  number(): number {
    const { bytes } = this;
    const start = this.#at;
    let number = 0;
    let at = start;
    for (; ; at++) {
      const digit = (bytes[at] as number) - DIGIT_0;
      if (digit < 0 || digit > 9) break;
      number = number * 10 + digit;
    }
    const digits = at - start;
    if (digits === 0 || digits > DIGITS_MAX || (digits > 1 && bytes[start] === DIGIT_0)) this.leave();
    // What follows is a comma or a bracket, or it is no whole number.
    this.#at = at;
    this.#space();
    return number;
  }

  /** A time as text or as milliseconds since 1970. */
  time(): number {
    if (this.bytes[this.#at] !== QUOTE) return this.number();
    const start = this.#at + 1;
    const end = this.#endOfText();
    if (end - start > TIME_LENGTH_MAX) this.leave();
    const timeMs = timeIn(this.bytes, start, end);
    if (!Number.isFinite(timeMs)) this.leave();
    this.#at = end + 1;
    this.#space();
    return Math.max(0, Math.trunc(timeMs));
  }

  /** The bytes of any value, which is judged by whoever parses them, and refused by nobody: where it is none, the document is to be left. Valid until the next document. */
  value(): Uint8Array {
    const start = this.#at;
    const end = this.#endOfValue();
    // A mark that is allowed at the beginning of a document would be taken for one.
    if (end === start || (this.bytes[start] as number) > DELETE) this.leave();
    this.#at = end;
    this.#values += end - start;
    return this.bytes.subarray(start, end);
  }

  #enter(opening: number, closing: number): boolean {
    this.#take(opening);
    if (this.bytes[this.#at] !== closing) return true;
    this.#at++;
    this.#space();
    return false;
  }

  #more(closing: number): boolean {
    const byte = this.bytes[this.#at++];
    this.#space();
    if (byte === COMMA) return true;
    return byte === closing ? false : this.leave();
  }

  /** Behind a name comes a colon. */
  #named(end: number): void {
    this.#values += VALUES_OF_MEMBER;
    this.#at = end;
    this.#space();
    this.#take(COLON);
  }

  #slot(table: TextTable, expected: number): number {
    if (this.bytes[this.#at] !== QUOTE) this.leave();
    const slot = table.findLikely(this.#at + 1, expected);
    return slot < 0 ? this.leave() : slot;
  }

  /** Where the text ends that begins here. */
  #endOfText(): number {
    const { bytes } = this;
    if (bytes[this.#at] !== QUOTE) this.leave();
    for (let at = this.#at + 1; ; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) return at;
      if (byte < SPACE || byte >= DELETE || byte === BACKSLASH) this.leave();
    }
  }

  /** Where the comma or the bracket stands that is behind the value, if it is one. */
  #endOfValue(): number {
    let depth = 0;
    for (let at = this.#at; at < this.#length; at++) {
      const byte = this.bytes[at];
      if (byte === QUOTE) at = this.#endOfAnyText(at);
      else if (byte === OPEN || byte === OPEN_LIST) {
        if (++depth > VALUE_DEPTH_MAX) break;
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        if (depth-- === 0) return at;
      } else if (byte === COMMA && depth === 0) return at;
    }
    return this.leave();
  }

  /** The same of a text that may hold anything. */
  #endOfAnyText(start: number): number {
    for (let at = start + 1; at < this.#length; at++) {
      const byte = this.bytes[at];
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) return at;
    }
    return this.leave();
  }

  #take(byte: number): void {
    if (this.bytes[this.#at++] !== byte) this.leave();
    this.#space();
  }

  #space(): void {
    if ((this.bytes[this.#at] as number) <= SPACE) this.#skipSpace();
  }

  #skipSpace(): void {
    const { bytes } = this;
    for (;;) {
      const byte = bytes[this.#at];
      if (byte !== SPACE && byte !== LINE_FEED && byte !== RETURN && byte !== TAB) return;
      this.#at++;
    }
  }
}
