/** Slots that a text may stand in, beginning at the one that its hash names. */
const PROBES = 8;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;

/** Bytes that are compared at once. */
const WORD = 4;

/** Where texts are found: the same bytes in both, and behind those that are looked at as many as the longest text has. */
interface TextSource {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/**
 * Texts that were met in bytes, to be found again by their bytes without being made again. Bounded: each may stand in a few slots, and puts out another one
 * when those are full. What was found since `begin` stays where it is until the next `begin`.
 *
 * Takes what stands between two quotes of JSON and is itself: printable ASCII without an escape. Equal bytes are one slot, and different ones never are,
 * whatever their hashes: all bytes are compared.
 */
export class TextTable {
  readonly slots: number;
  /** Behind the last text that was found, where its closing quote stands. */
  end = 0;
  readonly #source: TextSource;
  readonly #mask: number;
  readonly #lengthMax: number;
  readonly #hashes: Int32Array;
  readonly #lengths: Uint8Array;
  readonly #bytes: Uint8Array;
  /** The same, for whole words. */
  readonly #view: DataView;
  readonly #texts: string[];
  /** At which `begin` each was found last; 0 for empty slots. */
  readonly #found: Float64Array;
  #now = 1;

  /** `slots` is a power of two, 65,536 at most; texts have at most `lengthMax` characters, which is at most 255. They are found in `source`. */
  constructor(slots: number, lengthMax: number, source: TextSource) {
    this.#source = source;
    this.slots = slots;
    this.#mask = slots - 1;
    this.#lengthMax = lengthMax;
    this.#hashes = new Int32Array(slots);
    this.#lengths = new Uint8Array(slots);
    this.#bytes = new Uint8Array(slots * lengthMax);
    this.#view = new DataView(this.#bytes.buffer);
    this.#texts = new Array<string>(slots).fill('');
    this.#found = new Float64Array(slots);
  }

  /** What was found until now may be put out. */
  begin(): void {
    this.#now++;
  }

  /** As `find`, of a text that is probably the one in that slot: names come in the same order in one report after the other. */
  findLikely(start: number, expected: number): number {
    const length = this.#lengths[expected] as number;
    const isWhole = this.#source.bytes[start + length] === QUOTE && this.#found[expected] !== 0;
    if (!isWhole || !this.#isAt(expected, start, length)) return this.find(start);
    this.end = start + length;
    this.#found[expected] = this.#now;
    return expected;
  }

  /**
   * The slot of the text that begins at `start` and ends before the next quote. -1: it is none that is taken, or there is no room. Text that ends without a quote ends
   * with what no text holds.
   */
  find(start: number): number {
    const { bytes } = this.#source;
    let hash = 0;
    let at = start;
    for (; ; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) break;
      if (byte < SPACE || byte >= DELETE || byte === BACKSLASH) return -1;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    const length = at - start;
    if (length > this.#lengthMax) return -1;
    this.end = at;
    hash ^= hash >>> 15;
    for (let probe = 0; probe < PROBES; probe++) {
      const slot = (hash + probe) & this.#mask;
      if (this.#found[slot] === 0) return this.#put(slot, hash, start, length);
      if (this.#hashes[slot] === hash && this.#lengths[slot] === length && this.#isAt(slot, start, length)) {
        this.#found[slot] = this.#now;
        return slot;
      }
    }
    return this.#replace(hash, start, length);
  }

  textOf(slot: number): string {
    return this.#texts[slot] as string;
  }

  #isAt(slot: number, start: number, length: number): boolean {
    const { bytes, view } = this.#source;
    const [known, knownView] = [this.#bytes, this.#view];
    const from = slot * this.#lengthMax;
    let index = 0;
    for (; index + WORD <= length; index += WORD)
      if (knownView.getInt32(from + index) !== view.getInt32(start + index)) return false;
    for (; index < length; index++) if (known[from + index] !== bytes[start + index]) return false;
    return true;
  }

  /** In place of the one of them that was found longest ago. */
  #replace(hash: number, start: number, length: number): number {
    let oldest = hash & this.#mask;
    for (let probe = 1; probe < PROBES; probe++) {
      const slot = (hash + probe) & this.#mask;
      if ((this.#found[slot] as number) < (this.#found[oldest] as number)) oldest = slot;
    }
    return this.#found[oldest] === this.#now ? -1 : this.#put(oldest, hash, start, length);
  }

  #put(slot: number, hash: number, start: number, length: number): number {
    const { bytes } = this.#source;
    const from = slot * this.#lengthMax;
    this.#hashes[slot] = hash;
    this.#lengths[slot] = length;
    for (let index = 0; index < length; index++) this.#bytes[from + index] = bytes[start + index] as number;
    this.#texts[slot] = Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString('latin1');
    this.#found[slot] = this.#now;
    return slot;
  }
}
