/**
 * A queue with items of several holders and a common limit. When it is full, the newest item of the holder with the most items is dropped, so a
 * holder with many items never blocks a holder with few items. Items are taken round-robin, one of each holder.
 */
export class FairQueue<Item> {
  readonly #max: number;
  /** Holder → its items, the oldest first. The holder whose turn it is comes first. No list is empty. */
  readonly #itemsByHolder = new Map<string, Item[]>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds an item. If the queue is full, drops an item and returns it; the dropped item may be the new one. `isFirst`: the new item is taken before
   * the other items of its holder.
   */
  add(holder: string, item: Item, isFirst = false): Item | undefined {
    const dropped = this.#size < this.#max ? undefined : this.#dropNewest(holder);
    if (dropped === null) return item;
    const items = this.#itemsByHolder.get(holder);
    if (items && isFirst) items.unshift(item);
    else if (items) items.push(item);
    else this.#itemsByHolder.set(holder, [item]);
    this.#size++;
    return dropped;
  }

  /** Removes an item. Does nothing if the queue does not contain it. */
  delete(holder: string, item: Item): void {
    const items = this.#itemsByHolder.get(holder);
    const at = items?.indexOf(item) ?? -1;
    if (!items || at < 0) return;
    items.splice(at, 1);
    this.#size--;
    if (items.length === 0) this.#itemsByHolder.delete(holder);
  }

  /** Removes and returns the oldest item of the holder whose turn it is. */
  take(): Item | undefined {
    for (const [holder, items] of this.#itemsByHolder) {
      const item = items.shift();
      this.#size--;
      this.#itemsByHolder.delete(holder);
      if (items.length > 0) this.#itemsByHolder.set(holder, items);
      return item;
    }
    return undefined;
  }

  /**
   * Drops and returns the newest item of the holder with the most items. Null if no holder has more items than this holder would have with one more.
   */
  #dropNewest(holder: string): Item | null {
    let longest: Item[] = [];
    for (const items of this.#itemsByHolder.values()) if (items.length > longest.length) longest = items;
    const own = this.#itemsByHolder.get(holder)?.length ?? 0;
    if (longest.length <= own + 1) return null;
    this.#size--;
    return longest.pop() as Item;
  }
}
