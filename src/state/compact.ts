/** Strings longer than this are rarely equal: descriptions, ids. Looking them up would cost more than it saves. */
const INTERNED_LENGTH_MAX = 20;

/** Different strings that are remembered. Ids of users in long lists would otherwise push out what is really common. */
const INTERNED_MAX = 20_000;

/** Longest list of strings that is looked through. */
const INTERNED_LIST_MAX = 8;

const EMPTY: readonly never[] = Object.freeze([]);

/**
 * Makes decoded entities small: an entity that was decoded has strings and empty lists of its own, though nearly all of them are the same
 * few everywhere (names of environments, operators, context fields, parameters). Afterwards they are the same objects. Changes `value`
 * in place, so only for what was just decoded and is not shared yet.
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
      // Long lists are ids: mostly different, and looking up each would double the time of a recovery.
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
