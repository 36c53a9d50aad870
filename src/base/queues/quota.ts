/** Limits the number of units in use at the same time. */
export class Quota {
  readonly #max: number;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Number of units in use. */
  get count(): number {
    return this.#count;
  }

  /** Takes `count` units. Returns false, and takes none, if they exceed the quota. A negative count releases units. */
  take(count = 1): boolean {
    if (count > 0 && this.#count + count > this.#max) return false;
    this.#count += count;
    return true;
  }

  /** Releases all units. */
  clear(): void {
    this.#count = 0;
  }
}
