/** Maximum number of empty slots at the front: removing them copies the rest. */
const EMPTY_MAX = 1_024;

/** First in, first out. Taking one out costs the same however many there are: `Array.shift` moves all of them. */
export class Fifo<Item extends object> {
  #items: (Item | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  /** The oldest is at 0. */
  at(index: number): Item | undefined {
    return index < 0 ? undefined : this.#items[this.#first + index];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  /** Takes the oldest out. */
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
