/** Maximum length of an interned string. Longer strings (descriptions, ids) are rarely equal: looking them up would cost more than it saves. */
const INTERNED_LENGTH_MAX = 20;

/** Maximum number of interned strings, so that user ids in long lists do not fill the memory. */
const INTERNED_MAX = 20_000;

/** Maximum length of a list whose strings are interned. */
const INTERNED_LIST_MAX = 8;

const EMPTY: readonly never[] = Object.freeze([]);

/**
 * Reduces the memory of decoded entities. A decoded entity has its own copies of strings and empty lists, although most of them are equal to the same
 * few values (names of environments, operators, context fields, parameters). `compact` replaces them by shared objects. It changes `value` in place,
 * so call it only directly after decoding, before other code has a reference to the value.
 */
export class Compactor {
  readonly #strings = new Map<string, string>();

  compact<T>(value: T): T {
    return this.#compact(value) as T;
  }

  #compact(value: unknown): unknown {
    if (typeof value === 'string') return value.length <= INTERNED_LENGTH_MAX ? this.#intern(value) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      if (value.length === 0) return EMPTY;
      // Long lists contain ids, mostly distinct: looking up each would double the time of a recovery.
      if (value.length > INTERNED_LIST_MAX && typeof value[0] === 'string') return value;
      for (let index = 0; index < value.length; index++) value[index] = this.#compact(value[index]);
      return value;
    }
    const record = value as Record<string, unknown>;
    for (const key in record) {
      const before = record[key];
      const after = this.#compact(before);
      if (after !== before || typeof before === 'string') record[key] = after;
    }
    return value;
  }

  #intern(text: string): string {
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    if (this.#strings.size < INTERNED_MAX) this.#strings.set(text, text);
    return text;
  }
}
