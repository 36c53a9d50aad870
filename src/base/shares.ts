import { assert } from './assert.ts';

/**
 * Bounds how many of something are held at a time: altogether, and by one holder, so that one of them cannot keep out all others. Holders
 * that hold nothing are not remembered.
 */
export class Shares<Holder> {
  readonly #total: number;
  readonly #each: number;
  readonly #held = new Map<Holder, number>();
  #count = 0;

  constructor(total: number, each: number) {
    this.#total = total;
    this.#each = each;
  }

  /** How many are held. */
  get count(): number {
    return this.#count;
  }

  /** Takes one more for the holder, unless there are none left for it. */
  take(holder: Holder): boolean {
    const held = this.#held.get(holder) ?? 0;
    if (this.#count >= this.#total || held >= this.#each) return false;
    this.#held.set(holder, held + 1);
    this.#count++;
    return true;
  }

  /** Gives back one that was taken. */
  give(holder: Holder): void {
    const held = this.#held.get(holder);
    assert(held !== undefined, 'a share is given back that was not taken');
    if (held > 1) this.#held.set(holder, held - 1);
    else this.#held.delete(holder);
    this.#count--;
  }
}
