import type { Steps } from '../../../base/yield-control.ts';

/** Number of rows after which a step may end. */
const STEP_ROWS = 8_192;

/** A position in the order of a search: rows are sorted by key, and rows with equal keys by rank. No two flags have the same rank. */
export interface Position {
  readonly key: number;
  readonly rank: number;
}

/** Rows that a search found: a key and a rank. They are in columns, which are reused for the next search. */
export class Selection {
  #keys = new Float64Array(0);
  #ranks = new Int32Array(0);
  #length = 0;

  /** Forgets all rows. `max`: the maximum number of rows to come at once. */
  restart(max: number): void {
    this.#length = 0;
    if (this.#keys.length >= max) return;
    this.#keys = new Float64Array(max);
    this.#ranks = new Int32Array(max);
  }

  get length(): number {
    return this.#length;
  }

  add(key: number, rank: number): void {
    this.#keys[this.#length] = key;
    this.#ranks[this.#length++] = rank;
  }

  /** Drops all rows but the first `count` ones. There are at least as many. Returns the last of them. */
  *keepFirst(count: number): Steps<Position> {
    yield* this.#sort(count - 1, count, 0, this.#length - 1);
    this.#length = count;
    return { key: this.#keys[count - 1] as number, rank: this.#ranks[count - 1] as number };
  }

  /** The ranks of the rows from `start` to `end`, in order. */
  *page(start: number, end: number): Steps<Int32Array> {
    yield* this.#sort(start, end, 0, this.#length - 1);
    return this.#ranks.slice(start, Math.min(end, this.#length));
  }

  /**
   * Sorts the rows from `low` to `high`, but only as far as the rows from `start` to `end` need it: a quicksort that leaves out the parts outside of this
   * range.
   */
  *#sort(start: number, end: number, low: number, high: number): Steps<void> {
    if (low >= high || low >= end || high < start) return;
    const [keys, ranks] = [this.#keys, this.#ranks];
    const pivot = this.#pivot(low, high);
    const [pivotKey, pivotRank] = [keys[pivot] as number, ranks[pivot] as number];
    let left = low;
    let right = high;
    let swaps = 0;
    while (left <= right) {
      for (; ; left++) {
        const key = keys[left] as number;
        if (key > pivotKey || (key === pivotKey && (ranks[left] as number) >= pivotRank)) break;
      }
      for (; ; right--) {
        const key = keys[right] as number;
        if (key < pivotKey || (key === pivotKey && (ranks[right] as number) <= pivotRank)) break;
      }
      if (left > right) break;
      const [key, rank] = [keys[left] as number, ranks[left] as number];
      keys[left] = keys[right] as number;
      ranks[left++] = ranks[right] as number;
      keys[right] = key;
      ranks[right--] = rank;
      if (++swaps % STEP_ROWS === 0) yield;
    }
    yield;
    yield* this.#sort(start, end, low, right);
    yield* this.#sort(start, end, left, high);
  }

  /** The middle one of the first, the last and the middle row. */
  #pivot(first: number, last: number): number {
    const middle = (first + last) >>> 1;
    if (this.#isBefore(first, middle)) {
      if (this.#isBefore(middle, last)) return middle;
      return this.#isBefore(first, last) ? last : first;
    }
    if (this.#isBefore(first, last)) return first;
    return this.#isBefore(middle, last) ? last : middle;
  }

  #isBefore(one: number, other: number): boolean {
    const difference = (this.#keys[one] as number) - (this.#keys[other] as number);
    return difference === 0 ? (this.#ranks[one] as number) < (this.#ranks[other] as number) : difference < 0;
  }
}
