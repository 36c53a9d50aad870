/** Maximum number of texts in a generation. The cache keeps the current and the previous generation. */
const TEXTS_MAX = 512;
const TEXT_CHARS_MAX = 8 * 1024;

interface CachedText {
  /** The other value that the text depends on. */
  readonly basis: string;
  readonly text: string;
}

/**
 * A cache for the JSON of immutable lists, keyed by the list, for lists that are requested repeatedly. An entry is dropped together with its list.
 * The cache keeps at most two generations of 512 texts: at most 8 MB. A text that is longer than `TEXT_CHARS_MAX` is not cached.
 */
export class ListTexts<Item> {
  #newer = new WeakMap<readonly Item[], CachedText>();
  #older = new WeakMap<readonly Item[], CachedText>();
  #newerCount = 0;

  /** The text that `make` builds from the list and from `basis`, the other value that the text depends on. */
  textOf(list: readonly Item[], basis: string, make: (list: readonly Item[], basis: string) => string): string {
    if (list.length === 0) return '[]';
    const newer = this.#newer.get(list);
    if (newer?.basis === basis) return newer.text;
    const older = this.#older.get(list);
    const cached = older?.basis === basis ? older : { basis, text: make(list, basis) };
    if (cached.text.length <= TEXT_CHARS_MAX) this.#keep(list, cached);
    return cached.text;
  }

  #keep(list: readonly Item[], cached: CachedText): void {
    if (this.#newerCount === TEXTS_MAX) {
      this.#older = this.#newer;
      this.#newer = new WeakMap();
      this.#newerCount = 0;
    }
    this.#newer.set(list, cached);
    this.#newerCount++;
  }
}
