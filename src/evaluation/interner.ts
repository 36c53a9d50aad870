/**
 * Maximum number of entries of an interner. Above it, all entries are dropped: frequent ones are soon added again, and rare ones do not use memory.
 */
const ENTRIES_MAX = 4096;

/** Longest key that is looked up, in characters. Longer definitions are rarely equal, and the look-up would cost more than it saves. */
export const KEY_LENGTH_MAX = 200;

/** Creates one shared object for equal definitions: thousands of flags use the same few constraints. */
export class Interner<Value> {
  readonly #values = new Map<string, Value>();

  /** The value for `key`. The result of `make` must depend only on the key. */
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
