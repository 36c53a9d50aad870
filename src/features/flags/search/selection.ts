import { arrangeInSteps, type Rows } from '../../../base/lists/sorted.ts';
import type { Steps } from '../../../base/yield-control.ts';

/** A position in the order of a search: rows are sorted by key, and rows with equal keys by rank. No two flags have the same rank. */
export interface Position {
  readonly key: number;
  readonly rank: number;
}

/** Rows that a search found: a key and a rank. They are in columns, which are reused for the next search. */
export class Selection implements Rows {
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

  get keys(): Float64Array {
    return this.#keys;
  }

  get ranks(): Int32Array {
    return this.#ranks;
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
    yield* arrangeInSteps(this, count - 1, count);
    this.#length = count;
    return { key: this.#keys[count - 1] as number, rank: this.#ranks[count - 1] as number };
  }

  /** The ranks of the rows from `start` to `end`, in order. */
  *page(start: number, end: number): Steps<Int32Array> {
    yield* arrangeInSteps(this, start, end);
    return this.#ranks.slice(start, Math.min(end, this.#length));
  }
}
