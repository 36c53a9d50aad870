/** Remembers the newest of many ids, so that what comes twice is done once. */
export class RecentIds {
  readonly #max: number;
  readonly #ids = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether it was not among them; it is now. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > this.#max) for (const oldest of this.#ids) return this.#ids.delete(oldest);
    return true;
  }
}
