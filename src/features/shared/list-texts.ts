/** Texts that are kept of the lists that were asked for since the texts before them were, and as many of those; and characters of one. */
const TEXTS_MAX = 512;
const TEXT_CHARS_MAX = 8 * 1024;

interface Known {
  readonly of: string;
  readonly text: string;
}

/**
 * JSON of lists that never change, by the list. Kept as long as somebody has the list, and no more than a thousand of them: at most eight
 * megabytes, of lists that are asked for again and again.
 */
export class ListTexts<Item> {
  #newer = new WeakMap<readonly Item[], Known>();
  #older = new WeakMap<readonly Item[], Known>();
  #newerCount = 0;

  /** The text that `make` makes of the list and of what else it depends on. */
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
