/** Maximum number of texts in a generation. The cache keeps the current and the previous generation. */
const TEXTS_MAX = 512;
const TEXT_CHARS_MAX = 8 * 1024;

interface Known {
  readonly of: string;
  readonly text: string;
}

/**
 * A cache for the JSON of immutable lists, keyed by the list, for lists that are requested repeatedly. An entry is dropped together with its list.
 * The cache keeps at most two generations of 512 texts: at most eight megabytes.
 */
export class ListTexts<Item> {
  #newer = new WeakMap<readonly Item[], Known>();
  #older = new WeakMap<readonly Item[], Known>();
  #newerCount = 0;

  /** The text that `make` builds from the list and from `of`, the other value that the text depends on. */
  of(list: readonly Item[], of: string, make: (list: readonly Item[], of: string) => string): string {
    if (list.length === 0) return '[]';
    const newer = this.#newer.get(list);
    if (newer?.of === of) return newer.text;
    const older = this.#older.get(list);
    const known = older?.of === of ? older : { of, text: make(list, of) };
    if (known.text.length <= TEXT_CHARS_MAX) this.#keep(list, known);
    return known.text;
  }

  #keep(list: readonly Item[], known: Known): void {
    if (this.#newerCount === TEXTS_MAX) {
      this.#older = this.#newer;
      this.#newer = new WeakMap();
      this.#newerCount = 0;
    }
    this.#newer.set(list, known);
    this.#newerCount++;
  }
}
