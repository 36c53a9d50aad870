import { assert } from '../assert.ts';

/**
 * Limits the number of units in use at the same time: in total, and for each key, so that one key cannot block the others. Keys without a unit are
 * not stored.
 */
export class PerKeyQuota<Key> {
  readonly #total: number;
  readonly #each: number;
  readonly #unitsByKey = new Map<Key, number>();
  #count = 0;

  constructor(total: number, each: number) {
    this.#total = total;
    this.#each = each;
  }

  /** Number of units in use. */
  get count(): number {
    return this.#count;
  }

  /** Number of units that the key can still take. */
  left(key: Key): number {
    return Math.min(this.#total - this.#count, this.#each - (this.#unitsByKey.get(key) ?? 0));
  }

  /** Takes one unit for the key. Returns false when the quota is used up. */
  take(key: Key): boolean {
    if (this.left(key) <= 0) return false;
    this.#unitsByKey.set(key, (this.#unitsByKey.get(key) ?? 0) + 1);
    this.#count++;
    return true;
  }

  /** Releases one unit. */
  give(key: Key): void {
    const units = this.#unitsByKey.get(key);
    assert(units !== undefined, 'a unit is released for a key that has none');
    if (units > 1) this.#unitsByKey.set(key, units - 1);
    else this.#unitsByKey.delete(key);
    this.#count--;
  }
}
