/** Bounds how many units are taken at a time. */
export class Quota {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** How many are taken. */
  get held(): number {
    return this.#held;
  }

  /** Takes that many units, or none where they exceed the quota. A negative count releases units. */
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
