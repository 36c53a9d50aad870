/** Maximum number of empty slots at the front. They are removed together, because this copies all other items. */
const EMPTY_MAX = 1_024;

/** First in, first out. The cost of removing an item does not depend on the number of items; `Array.shift` would move all of them. */
export class Fifo<Item extends object> {
  #items: (Item | undefined)[] = [];
  #firstIndex = 0;

  get length(): number {
    return this.#items.length - this.#firstIndex;
  }

  /** The item at the index; the oldest item has the index 0. */
  at(index: number): Item | undefined {
    return index < 0 ? undefined : this.#items[this.#firstIndex + index];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  /** Removes and returns the oldest item. */
  shift(): Item | undefined {
    const item = this.#items[this.#firstIndex];
    if (item === undefined) return undefined;
    this.#items[this.#firstIndex++] = undefined;
    if (this.#firstIndex === EMPTY_MAX || this.#firstIndex === this.#items.length) {
      this.#items = this.#items.slice(this.#firstIndex);
      this.#firstIndex = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#firstIndex = 0;
  }
}
