/** Seeds of the public client specification: rollouts and variants must not correlate. */
export const ROLLOUT_SEED = 0;
export const VARIANT_SEED = 86028157;

/** Rollout hashes are percentages: 1 to 100. */
export const ROLLOUT_BUCKETS = 100;

/**
 * How a text becomes the bytes to hash. The two ways differ only for characters beyond ASCII. `low-bytes` is the low byte of each UTF-16 unit:
 * Unleash's server and the SDKs for Node use it. `utf-8`: the shared core uses it, and therefore also Edge and the SDKs for Python, Java, Ruby and
 * .NET. docs/decisions/evaluation-sdk-differences.md lists which component uses which.
 */
export type HashEncoding = 'low-bytes' | 'utf-8';

/**
 * Intermediate state of murmur3_x86_32: the mixed state, the bytes of the incomplete word, and the byte count so far.
 * A flag's group is hashed once into such a state; an evaluation continues from it and hashes only the id.
 */
interface HashState {
  hash: number;
  word: number;
  wordBits: number;
  length: number;
  /** Whether a text beyond ASCII is hashed as UTF-8; otherwise as the low byte of each unit. */
  isUtf8: boolean;
}

export function hashState(seed: number, hashEncoding: HashEncoding): HashState {
  return { hash: seed | 0, word: 0, wordBits: 0, length: 0, isUtf8: hashEncoding === 'utf-8' };
}

/** Hashes the bytes of `text` into `state` (in UTF-8 a lone surrogate becomes U+FFFD). Does not allocate for a short text. */
export function absorb(state: HashState, text: string): void {
  if (text.length >= ENCODED_MIN && text.length <= ENCODED_MAX) {
    absorbBytes(state, encode(text, state.isUtf8));
    return;
  }
  let { hash, word, wordBits } = state;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) {
      state.hash = hash;
      state.word = word;
      state.wordBits = wordBits;
      state.length += index;
      if (state.isUtf8) absorbUtf8(state, text, index);
      else absorbLowBytes(state, text, index);
      return;
    }
    // Nearly always the text is ASCII: each character is one byte, and the state stays in registers.
    word |= unit << wordBits;
    if (wordBits !== 24) wordBits += 8;
    else {
      hash = mixIn(hash, word);
      word = 0;
      wordBits = 0;
    }
  }
  state.hash = hash;
  state.word = word;
  state.wordBits = wordBits;
  state.length += text.length;
}

function absorbLowBytes(state: HashState, text: string, from: number): void {
  for (let index = from; index < text.length; index++) absorbByte(state, text.charCodeAt(index) & 0xff);
}

function absorbUtf8(state: HashState, text: string, from: number): void {
  for (let index = from; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) absorbByte(state, unit);
    else if (unit < 0x800) {
      absorbByte(state, 0xc0 | (unit >> 6));
      absorbByte(state, 0x80 | (unit & 0x3f));
    } else if (unit < 0xd800 || unit > 0xdfff) absorbThreeBytes(state, unit);
    else {
      const point = text.codePointAt(index) as number;
      if (point <= 0xffff) absorbThreeBytes(state, 0xfffd);
      else {
        absorbByte(state, 0xf0 | (point >> 18));
        absorbByte(state, 0x80 | ((point >> 12) & 0x3f));
        absorbByte(state, 0x80 | ((point >> 6) & 0x3f));
        absorbByte(state, 0x80 | (point & 0x3f));
        index++;
      }
    }
  }
}

/**
 * Node's `Buffer.write` encodes texts with a length in this range. For shorter texts the call costs more than it saves; longer texts do not fit into
 * the buffer. Ids are usually shorter.
 */
const ENCODED_MIN = 128;
const ENCODED_MAX = 4_096;

const encodedBytes = Buffer.alloc(3 * ENCODED_MAX);
let encodedText: string | undefined;
let isEncodedUtf8 = false;
let encoded: Uint8Array = encodedBytes.subarray(0, 0);

/** Caches the last encoded text: many groups hash the same id in sequence. */
function encode(text: string, isUtf8: boolean): Uint8Array {
  if (text !== encodedText || isUtf8 !== isEncodedUtf8) {
    // Node's encoding `latin1` writes the low byte of each unit.
    encoded = encodedBytes.subarray(0, encodedBytes.write(text, isUtf8 ? 'utf8' : 'latin1'));
    encodedText = text;
    isEncodedUtf8 = isUtf8;
  }
  return encoded;
}

function absorbBytes(state: HashState, bytes: Uint8Array): void {
  let index = 0;
  // First complete the started word; the rest is read in whole words.
  for (; state.wordBits !== 0 && index < bytes.length; index++) absorbByte(state, bytes[index] as number);
  let { hash } = state;
  const start = index;
  for (; index + 4 <= bytes.length; index += 4) hash = mixIn(hash, wordOf(bytes, index));
  state.hash = hash;
  state.length += index - start;
  for (; index < bytes.length; index++) absorbByte(state, bytes[index] as number);
}

function wordOf(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  return low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
}

function absorbThreeBytes(state: HashState, unit: number): void {
  absorbByte(state, 0xe0 | (unit >> 12));
  absorbByte(state, 0x80 | ((unit >> 6) & 0x3f));
  absorbByte(state, 0x80 | (unit & 0x3f));
}

function absorbByte(state: HashState, byte: number): void {
  const word = state.word | (byte << state.wordBits);
  state.length++;
  if (state.wordBits !== 24) {
    state.word = word;
    state.wordBits += 8;
    return;
  }
  state.hash = mixIn(state.hash, word);
  state.word = 0;
  state.wordBits = 0;
}

function mixIn(hash: number, word: number): number {
  return mixInMixed(hash, mixWord(word));
}

function mixInMixed(hash: number, word: number): number {
  const mixed = hash ^ word;
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function mixWord(word: number): number {
  const scaled = Math.imul(word, 0xcc9e2d51);
  return Math.imul((scaled << 15) | (scaled >>> 17), 0x1b873593);
}

/** The unsigned 32-bit hash of all absorbed bytes. It does not change the state. */
export function digest(state: HashState): number {
  return finalMix(state.hash ^ mixWord(state.word), state.length);
}

/** An empty word mixes to 0, so a state that ends with a whole word needs no special case. */
function finalMix(mixed: number, length: number): number {
  let hash = mixed ^ length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The state after the group's text: the hash of every id in this group continues from it. */
export function groupState(groupId: string, seed: number, hashEncoding: HashEncoding): HashState {
  const state = hashState(seed, hashEncoding);
  absorb(state, groupId);
  absorb(state, ':');
  return state;
}

/** A hash is calculated synchronously and never inside of another one, so all calls use the same scratch state. */
const scratch = hashState(0, 'utf-8');

/** The bucket of `id` within a prepared group: 1 to `buckets`. */
export function bucketOf(group: HashState, id: string, buckets: number): number {
  scratch.hash = group.hash;
  scratch.word = group.word;
  scratch.wordBits = group.wordBits;
  scratch.length = group.length;
  scratch.isUtf8 = group.isUtf8;
  absorb(scratch, id);
  return (digest(scratch) % buckets) + 1;
}

/** Same as `bucketOf` for the decimal digits of a non-negative integer, without creating a string. */
export function bucketOfNumber(group: HashState, id: number, buckets: number): number {
  let { hash, word, wordBits } = group;
  let digits = 1;
  let unit = 1;
  for (; unit * 10 <= id; unit *= 10) digits++;
  for (let rest = id; unit >= 1; unit = (unit / 10) | 0) {
    const digit = (rest / unit) | 0;
    rest -= digit * unit;
    word |= (DIGIT_0 + digit) << wordBits;
    if (wordBits !== 24) wordBits += 8;
    else {
      hash = mixIn(hash, word);
      word = 0;
      wordBits = 0;
    }
  }
  return (finalMix(hash ^ mixWord(word), group.length + digits) % buckets) + 1;
}

const DIGIT_0 = 48;

/** Only ids with a length in this range are prepared: a shorter id may not fill a word, and longer ids are rare. */
const PREPARED_MIN = 4;
const PREPARED_MAX = 64;
const WORDS_MAX = PREPARED_MAX / 4;

/**
 * Hashes one id within many groups in sequence: the work that does not depend on the group is done once for each id. A group's text may end at
 * any byte of a word, so there are four ways to split the id into words; each is prepared when it is first needed.
 */
export class IdHasher {
  #id: string | undefined;
  #isPrepared = false;
  /** One bit for each way that is prepared. */
  #preparedWays = 0;
  /** For each way: the id's bytes that complete the group's last word; its whole words and its last bytes, both mixed. */
  #heads: Int32Array | null = null;
  #words = new Int32Array(0);
  #counts = new Int32Array(0);
  #tails = new Int32Array(0);

  /** Same as the function `bucketOf`. */
  bucketOf(group: HashState, id: string, buckets: number): number {
    if (id !== this.#id) this.#begin(id);
    const heads = this.#heads;
    if (!this.#isPrepared || heads === null) return bucketOf(group, id, buckets);
    const way = group.wordBits >>> 3;
    if ((this.#preparedWays & (1 << way)) === 0) this.#prepare(id, way, heads);
    const words = this.#words;
    let hash = mixIn(group.hash, group.word | (heads[way] as number));
    const end = way * WORDS_MAX + (this.#counts[way] as number);
    for (let index = way * WORDS_MAX; index < end; index++) hash = mixInMixed(hash, words[index] as number);
    return (finalMix(hash ^ (this.#tails[way] as number), group.length + id.length) % buckets) + 1;
  }

  #begin(id: string): void {
    this.#id = id;
    this.#preparedWays = 0;
    this.#isPrepared = id.length >= PREPARED_MIN && id.length <= PREPARED_MAX && isAscii(id);
    if (!this.#isPrepared || this.#heads !== null) return;
    this.#heads = new Int32Array(4);
    this.#words = new Int32Array(4 * WORDS_MAX);
    this.#counts = new Int32Array(4);
    this.#tails = new Int32Array(4);
  }

  #prepare(id: string, way: number, heads: Int32Array): void {
    const first = 4 - way;
    heads[way] = wordAt(id, 0, first) << (8 * way);
    let count = 0;
    let index = first;
    for (; index + 4 <= id.length; index += 4) this.#words[way * WORDS_MAX + count++] = mixWord(wordAt(id, index, 4));
    this.#counts[way] = count;
    this.#tails[way] = mixWord(wordAt(id, index, id.length - index));
    this.#preparedWays |= 1 << way;
  }
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) >= 0x80) return false;
  return true;
}

/** Up to four ASCII characters as a word. */
function wordAt(text: string, from: number, count: number): number {
  let word = 0;
  for (let index = 0; index < count; index++) word |= text.charCodeAt(from + index) << (8 * index);
  return word;
}
