/** Maximum number of empty slots at the front: removing them copies the rest. */
const EMPTY_MAX = 1_024;

/** First in, first out. The cost of removing an item does not depend on the number of items; `Array.shift` would move all of them. */
export class Fifo<Item extends object> {
  #items: (Item | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  /** The item at the index; the oldest item has the index 0. */
  at(index: number): Item | undefined {
    return index < 0 ? undefined : this.#items[this.#first + index];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  /** Removes and returns the oldest item. */
  shift(): Item | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    this.#items[this.#first++] = undefined;
    if (this.#first === EMPTY_MAX || this.#first === this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#first = 0;
  }
}
