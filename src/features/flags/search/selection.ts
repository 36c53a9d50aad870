import type { Steps } from '../../../base/yield-control.ts';

/** Number of rows after which a step may end. */
const STEP_ROWS = 8_192;

/** A position in the order of a search: rows are sorted by key, and rows with equal keys by rank. No two flags have the same rank. */
export interface Position {
  readonly key: number;
  readonly rank: number;
}

/** The flags that were found, with their keys, in columns. It is reused for the next search. */
export class Selection {
  #keys = new Float64Array(0);
  #slots = new Int32Array(0);
  #ranks: Int32Array = new Int32Array(0);
  #length = 0;

  /** Forgets all rows. `max`: the maximum number of rows to come at once; `ranks`: the ranks of the slots. */
  restart(max: number, ranks: Int32Array): void {
    this.#length = 0;
    this.#ranks = ranks;
    if (this.#keys.length >= max) return;
    this.#keys = new Float64Array(max);
    this.#slots = new Int32Array(max);
  }

  get length(): number {
    return this.#length;
  }

  add(slot: number, key: number): void {
    this.#keys[this.#length] = key;
    this.#slots[this.#length++] = slot;
  }

  /** Drops all rows but the first `count` ones. Returns the last of these, or null if there are fewer rows. */
  *keepFirst(count: number): Steps<Position | null> {
    if (this.#length < count) return null;
    yield* this.#moveFirst(count);
    this.#length = count;
    let last = 0;
    for (let row = 1; row < count; row++)
      if (this.#isBefore(last, this.#keys[row] as number, this.#rankOf(row))) last = row;
    return { key: this.#keys[last] as number, rank: this.#rankOf(last) };
  }

  /** The slots of the rows from `start` to `end`, in order. */
  *page(start: number, end: number): Steps<number[]> {
    const to = Math.min(end, this.#length);
    if (start >= to) return [];
    yield* this.#moveFirst(to);
    yield* this.#moveFirst(start, to);
    const rows = Array.from({ length: to - start }, (_, index) => start + index);
    const [keys, ranks] = [this.#keys, this.#ranks];
    const slots = this.#slots;
    rows.sort(
      (one, other) =>
        (keys[one] as number) - (keys[other] as number) ||
        (ranks[slots[one] as number] as number) - (ranks[slots[other] as number] as number),
    );
    return rows.map((row) => slots[row] as number);
  }

  #rankOf(row: number): number {
    return this.#ranks[this.#slots[row] as number] as number;
  }

  #isBefore(row: number, key: number, rank: number): boolean {
    const own = this.#keys[row] as number;
    return own < key || (own === key && this.#rankOf(row) < rank);
  }

  /** Moves the first `count` rows of the rows before `end` before all others (quickselect). */
  *#moveFirst(count: number, end = this.#length): Steps<void> {
    const [keys, slots, ranks] = [this.#keys, this.#slots, this.#ranks];
    if (count <= 0 || count >= end) return;
    let low = 0;
    let high = end - 1;
    let visitedCount = 0;
    while (low < high) {
      const pivot = this.#pivot(low, high);
      const [pivotKey, pivotRank] = [keys[pivot] as number, this.#rankOf(pivot)];
      let left = low;
      let right = high;
      while (left <= right) {
        for (; ; left++) {
          const key = keys[left] as number;
          if (key > pivotKey || (key === pivotKey && (ranks[slots[left] as number] as number) >= pivotRank)) break;
        }
        for (; ; right--) {
          const key = keys[right] as number;
          if (key < pivotKey || (key === pivotKey && (ranks[slots[right] as number] as number) <= pivotRank)) break;
        }
        if (left <= right) {
          const [key, slot] = [keys[left] as number, slots[left] as number];
          keys[left] = keys[right] as number;
          slots[left++] = slots[right] as number;
          keys[right] = key;
          slots[right--] = slot;
        }
        if (++visitedCount % STEP_ROWS === 0) yield;
      }
      if (count - 1 <= right) high = right;
      else if (count - 1 >= left) low = left;
      else return;
    }
  }

  /** The middle one of the first, the last and the middle row. */
  #pivot(low: number, high: number): number {
    const middle = (low + high) >>> 1;
    const [first, last] = [low, high];
    const before = (one: number, other: number) =>
      this.#isBefore(one, this.#keys[other] as number, this.#rankOf(other));
    if (before(first, middle)) {
      if (before(middle, last)) return middle;
      return before(first, last) ? last : first;
    }
    if (before(first, last)) return first;
    return before(middle, last) ? last : middle;
  }
}
