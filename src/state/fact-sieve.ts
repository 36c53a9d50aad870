import { webcrypto } from 'node:crypto';
import {
  ALL_PROJECTS,
  type AnyOf,
  bitsOf,
  type EventQuery,
  FACT,
  type FactPage,
  isEventFact,
  listOf,
  typeNumber,
} from './event-facts.ts';

/**
 * Puts those of the first `count` places of `from` whose facts match at the beginning of `into`, in their order, and tells how many. The two may be one
 * array. A query is a few of them, one after the other: each goes along one column, with a few instructions a fact.
 */
export type Sieve = (page: FactPage, from: Uint16Array, count: number, into: Uint16Array) => number;

/** The sieves of a query, but for its ids. None: every event matches. What tells most events apart comes first. */
export function factSieves(query: EventQuery): readonly Sieve[] {
  const { types, createdBy, createdByUserId, readable, fromMs, toMs } = query;
  const sieves: Sieve[] = [];
  const named = (word: number, names: AnyOf<string> | undefined) => {
    if (names === undefined) return;
    const list = listOf(names);
    // Most events have none of them, which their first bits tell at once.
    if (list.length > 1) sieves.push(firstBitsSieve(word, list));
    sieves.push(nameSieve(word, list));
  };
  named(FACT.feature, query.feature);
  named(FACT.project, query.project);
  named(FACT.environment, query.environment);
  if (createdByUserId !== undefined) sieves.push(userSieve(listOf(createdByUserId)));
  if (createdBy !== undefined) sieves.push(wordSieve(FACT.author, bitsOf(createdBy)[0]));
  if (types !== undefined) sieves.push(typeSieve(types));
  if (fromMs !== undefined || toMs !== undefined) sieves.push(timeSieve(fromMs ?? 0, toMs ?? Number.POSITIVE_INFINITY));
  if (readable) sieves.push(nameSieve(FACT.project, [null, ALL_PROJECTS, ...readable]));
  return sieves;
}

/** Lets every event through that this version can read: for pages that hold other places as well. */
export const eventSieve: Sieve = (page, from, count, into) => {
  let kept = 0;
  for (let index = 0; index < count; index++) {
    const place = from[index] as number;
    into[kept] = place;
    if (isEventFact(page, place)) kept++;
  }
  return kept;
};

// Words are taken with a sign (`| 0`): so a processor compares them as they are, where V8 would make floating-point numbers of large ones.

function wordSieve(word: number, bits: number): Sieve {
  const wanted = bits | 0;
  return ({ words, size }, from, count, into) => {
    const column = word * size;
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const place = from[index] as number;
      into[kept] = place;
      if (((words[column + place] as number) | 0) === wanted) kept++;
    }
    return kept;
  };
}

function nameSieve(word: number, names: readonly (string | null)[]): Sieve {
  const bits = names.map(bitsOf);
  const [only] = bits;
  if (only && bits.length === 1) {
    const [low, high] = [wordSieve(word, only[0]), wordSieve(word + 1, only[1])];
    return (page, from, count, into) => high(page, into, low(page, from, count, into), into);
  }
  const wanted = new BitsSet();
  for (const [low, high] of bits) wanted.add(low, high);
  return ({ words, size }, from, count, into) => {
    const [lows, highs] = [word * size, (word + 1) * size];
    return wanted.sift(words.subarray(lows, lows + size), words.subarray(highs, highs + size), from, count, into);
  };
}

function firstBitsSieve(word: number, names: readonly string[]): Sieve {
  const wanted = new Uint8Array(2 ** 16);
  for (const [low] of names.map(bitsOf)) wanted[low & 0xffff] = 1;
  return ({ words, size }, from, count, into) => {
    const column = word * size;
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const place = from[index] as number;
      into[kept] = place;
      kept += wanted[(words[column + place] as number) & 0xffff] as number;
    }
    return kept;
  };
}

/** The second column of ids, which have one: as long as places can be. */
const ZEROS = new Uint32Array(2 ** 16);

function userSieve(ids: readonly number[]): Sieve {
  const wanted = new BitsSet();
  for (const id of ids) wanted.add(id, 0);
  return ({ words, size }, from, count, into) => {
    const column = FACT.userId * size;
    return wanted.sift(words.subarray(column, column + size), ZEROS, from, count, into);
  };
}

function typeSieve(types: readonly string[]): Sieve {
  const wanted = new Uint8Array(2 ** 16);
  for (const type of types) wanted[typeNumber(type)] = 1;
  // What is no event at all, or of a type that nobody knows.
  wanted[0] = 0;
  return ({ words, size }, from, count, into) => {
    const column = FACT.typeAndTimeHigh * size;
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const place = from[index] as number;
      into[kept] = place;
      kept += wanted[(words[column + place] as number) >>> 16] as number;
    }
    return kept;
  };
}

function timeSieve(fromMs: number, toMs: number): Sieve {
  return ({ words, size }, from, count, into) => {
    const [lows, highs] = [FACT.timeLow * size, FACT.typeAndTimeHigh * size];
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const place = from[index] as number;
      const timeMs = ((words[highs + place] as number) & 0xffff) * 2 ** 32 + (words[lows + place] as number);
      into[kept] = place;
      if (timeMs >= fromMs && timeMs < toMs) kept++;
    }
    return kept;
  };
}

const INITIAL_SLOTS = 64;

/**
 * A set of 64-bit values, open-addressed and at most a quarter full: a look-up is a few nanoseconds, and makes nothing. Where a value lies depends on
 * numbers that are drawn anew by every process: names are callers' own, and could be chosen so that all lie in one place.
 */
export class BitsSet {
  static readonly #factors = webcrypto.getRandomValues(new Int32Array(2)).map((bits) => bits | 1);
  readonly #lowFactor = BitsSet.#factors[0] as number;
  readonly #highFactor = BitsSet.#factors[1] as number;
  #slots = new Int32Array(2 * INITIAL_SLOTS);
  #shift = 32 - Math.log2(INITIAL_SLOTS);
  #size = 0;
  /** Two zeros are an empty slot. */
  #hasZero = false;

  get size(): number {
    return this.#size + (this.#hasZero ? 1 : 0);
  }

  has(low: number, high: number): boolean {
    const at = this.#slotOf(low | 0, high | 0);
    return this.#slots[at] !== 0 || this.#slots[at + 1] !== 0 || ((low | high) === 0 && this.#hasZero);
  }

  add(low: number, high: number): void {
    if ((low | high) === 0) {
      this.#hasZero = true;
      return;
    }
    const at = this.#slotOf(low | 0, high | 0);
    if (this.#slots[at] !== 0 || this.#slots[at + 1] !== 0) return;
    this.#slots[at] = low;
    this.#slots[at + 1] = high;
    this.#size++;
    if (8 * this.#size > this.#slots.length) this.#grow();
  }

  /** See `Sieve`: the places whose words in both columns are in the set. The same as `has`, written out: a call a fact is felt. */
  sift(lows: Uint32Array, highs: Uint32Array, from: Uint16Array, count: number, into: Uint16Array): number {
    const [slots, shift, lowFactor, highFactor] = [this.#slots, this.#shift, this.#lowFactor, this.#highFactor];
    const [last, zero] = [slots.length - 1, this.#hasZero ? 1 : 0];
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const place = from[index] as number;
      const low = (lows[place] as number) | 0;
      const high = (highs[place] as number) | 0;
      let at = ((Math.imul(low, lowFactor) + Math.imul(high, highFactor)) >>> shift) << 1;
      while (
        (slots[at] !== low || slots[at + 1] !== high) &&
        ((slots[at] as number) | (slots[at + 1] as number)) !== 0
      ) {
        at = (at + 2) & last;
      }
      into[kept] = place;
      if (((slots[at] as number) | (slots[at + 1] as number)) !== 0) kept++;
      else if ((low | high) === 0) kept += zero;
    }
    return kept;
  }

  /** Of the value, or the empty one where it belongs. */
  #slotOf(low: number, high: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let at = ((Math.imul(low, this.#lowFactor) + Math.imul(high, this.#highFactor)) >>> this.#shift) << 1;
    while ((slots[at] !== low || slots[at + 1] !== high) && ((slots[at] as number) | (slots[at + 1] as number)) !== 0) {
      at = (at + 2) & last;
    }
    return at;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(2 * before.length);
    this.#shift--;
    this.#size = 0;
    for (let at = 0; at < before.length; at += 2) {
      const [low, high] = [before[at] as number, before[at + 1] as number];
      if ((low | high) !== 0) this.add(low, high);
    }
  }
}
