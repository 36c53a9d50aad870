/** A link of a chain; items of a chain extend it. */
export class Link {
  before: Link = this;
  after: Link = this;
}

/**
 * A linked list of items in the order of adding; every item may be removed at any time. Adding and removing cost a few assignments. A `Set` rebuilds
 * its hash table when it becomes empty or full. If one item is added and removed repeatedly, a `Set` does this at every change.
 */
export class Chain<Item extends Link> implements Iterable<Item> {
  /** The link before the first item and after the last one. */
  readonly #end = new Link();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an item at the end. It must not be in a chain already. */
  add(item: Item): void {
    const last = this.#end.before;
    item.before = last;
    item.after = this.#end;
    last.after = item;
    this.#end.before = item;
    this.#size++;
  }

  /** Removes an item. It must be in this chain. */
  delete(item: Item): void {
    item.before.after = item.after;
    item.after.before = item.before;
    // Otherwise a removed item that is still referenced would keep all items after it in memory.
    item.before = item.after = item;
    this.#size--;
  }

  /** If the item after the current one is removed during the loop, the loop ends early. */
  *[Symbol.iterator](): Generator<Item, void, void> {
    let link = this.#end.after;
    while (link !== this.#end) {
      const { after } = link;
      yield link as Item;
      if (after.after === after && after !== this.#end) return;
      link = after;
    }
  }
}
