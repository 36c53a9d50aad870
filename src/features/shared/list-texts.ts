/** A generation has at most this many texts; the current and the previous generation are kept. Longer texts are not kept. */
const TEXTS_MAX = 512;
const TEXT_CHARS_MAX = 8 * 1024;

interface Known {
  readonly of: string;
  readonly text: string;
}

/**
 * JSON of immutable lists, keyed by the list. An entry lives as long as its list, and at most two generations of 512 texts are kept: at most eight
 * megabytes, for lists that are requested again and again.
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
