import { assert } from '../assert.ts';

/**
 * Limits the number of units in use at the same time: in total, and for each key, so that one key cannot block the others. Keys without a unit are
 * not stored.
 */
export class PerKeyQuota<Key> {
  readonly #total: number;
  readonly #each: number;
  readonly #held = new Map<Key, number>();
  #count = 0;

  constructor(total: number, each: number) {
    this.#total = total;
    this.#each = each;
  }

  /** Number of units in use. */
  get count(): number {
    return this.#count;
  }

  /** Takes one unit for the key. Returns false when the quota is used up. */
  take(key: Key): boolean {
    const held = this.#held.get(key) ?? 0;
    if (this.#count >= this.#total || held >= this.#each) return false;
    this.#held.set(key, held + 1);
    this.#count++;
    return true;
  }

  /** Releases one unit. */
  give(key: Key): void {
    const held = this.#held.get(key);
    assert(held !== undefined, 'a unit is released that was not taken');
    if (held > 1) this.#held.set(key, held - 1);
    else this.#held.delete(key);
    this.#count--;
  }
}
