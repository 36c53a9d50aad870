/**
 * A queue with items of several holders and a common limit. When it is full, the newest item of the holder with the most items is dropped, so a
 * holder with many items never blocks a holder with few items. Items are taken round-robin, one of each holder.
 */
export class FairQueue<Item> {
  readonly #max: number;
  /** Holder → its items, the oldest first. The holder whose turn it is comes first. No list is empty. */
  readonly #held = new Map<string, Item[]>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds an item. If the queue is full, returns the dropped item: another item, or this item, which is then not added. `isFirst`: add it before the
   * holder's other items.
   */
  add(holder: string, item: Item, isFirst = false): Item | undefined {
    const out = this.#size < this.#max ? undefined : this.#dropOldClosed(holder);
    if (out === null) return item;
    const items = this.#held.get(holder);
    if (items && isFirst) items.unshift(item);
    else if (items) items.push(item);
    else this.#held.set(holder, [item]);
    this.#size++;
    return out;
  }

  /** Removes an item. Does nothing if the queue does not contain it. */
  delete(holder: string, item: Item): void {
    const items = this.#held.get(holder);
    const at = items?.indexOf(item) ?? -1;
    if (!items || at < 0) return;
    items.splice(at, 1);
    this.#size--;
    if (items.length === 0) this.#held.delete(holder);
  }

  /** Removes and returns the oldest item of the holder whose turn it is. */
  take(): Item | undefined {
    for (const [holder, items] of this.#held) {
      const item = items.shift();
      this.#size--;
      this.#held.delete(holder);
      if (items.length > 0) this.#held.set(holder, items);
      return item;
    }
    return undefined;
  }

  /**
   * Drops and returns the newest item of the holder with the most items. Null if no holder has more items than this holder would have with one more.
   */
  #dropOldClosed(holder: string): Item | null {
    let most: Item[] = [];
    for (const items of this.#held.values()) if (items.length > most.length) most = items;
    const own = this.#held.get(holder)?.length ?? 0;
    if (most.length <= own + 1) return null;
    this.#size--;
    return most.pop() as Item;
  }
}
