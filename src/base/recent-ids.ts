/** Stores the most recent ids of requests, so that a repeated request is processed only once. */
export class RecentIds {
  readonly #max: number;
  readonly #ids = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds the id. Returns false if it was already stored. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > this.#max) for (const oldest of this.#ids) return this.#ids.delete(oldest);
    return true;
  }
}
