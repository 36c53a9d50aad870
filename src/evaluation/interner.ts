/** Entries an interner holds. Beyond it everything is forgotten: what is common is soon there again, and what was once is not kept. */
const ENTRIES_MAX = 4096;

/** Longest key that is looked up. Longer definitions are rarely equal, and finding out would cost more than it saves. Characters. */
export const KEY_LENGTH_MAX = 200;

/** Makes equal things once: thousands of flags are told apart by the same few constraints, so what these compile to is shared. */
export class Interner<Value> {
  readonly #values = new Map<string, Value>();

  /** What `key` stands for; `make` must depend on nothing else. */
  get(key: string, make: () => Value): Value {
    if (key.length > KEY_LENGTH_MAX) return make();
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.#values.size >= ENTRIES_MAX) this.#values.clear();
    this.#values.set(key, made);
    return made;
  }
}
