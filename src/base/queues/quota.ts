/** Limits the number of units in use at the same time. */
export class Quota {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Number of units in use. */
  get held(): number {
    return this.#held;
  }

  /** Takes `count` units. Returns false, and takes none, if they exceed the quota. A negative count releases units. */
  take(count = 1): boolean {
    if (count > 0 && this.#held + count > this.#max) return false;
    this.#held += count;
    return true;
  }

  /** Releases all units. */
  clear(): void {
    this.#held = 0;
  }
}
