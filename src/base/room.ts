/** How many of something may be held by those who share it. What does not fit is not held, and its holder says so. */
export class Room {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** How many are held. */
  get held(): number {
    return this.#held;
  }

  /** Takes that many more, or none of them where they do not fit. Fewer than none gives some back. */
  take(count = 1): boolean {
    if (count > 0 && this.#held + count > this.#max) return false;
    this.#held += count;
    return true;
  }

  /** Nothing is held any more. */
  clear(): void {
    this.#held = 0;
  }
}
