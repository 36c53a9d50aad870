/** A link of a chain; items of a chain extend it. */
export class Link {
  before: Link = this;
  after: Link = this;
}

/**
 * A linked list of items in the order of adding; every item may be removed at any time. Adding and removing cost a few assignments. A `Set` would
 * rebuild its hash table when it becomes empty or full: if one item is added and removed repeatedly, at every change.
 */
export class Chain<Thing extends Link> implements Iterable<Thing> {
  readonly #end = new Link();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an item at the end. It must not be in a chain already. */
  add(thing: Thing): void {
    const last = this.#end.before;
    thing.before = last;
    thing.after = this.#end;
    last.after = thing;
    this.#end.before = thing;
    this.#size++;
  }

  /** Removes an item. It must be in this chain. */
  delete(thing: Thing): void {
    thing.before.after = thing.after;
    thing.after.before = thing.before;
    // Otherwise a removed item that is still referenced would keep all items after it in memory.
    thing.before = thing.after = thing;
    this.#size--;
  }

  /** The next item may be removed during the loop. Then the loop ends. */
  *[Symbol.iterator](): Generator<Thing, void, void> {
    let link = this.#end.after;
    while (link !== this.#end) {
      const { after } = link;
      yield link as Thing;
      if (after.after === after && after !== this.#end) return;
      link = after;
    }
  }
}
