/** A place in a chain; whatever stands in one is one. */
export class Link {
  before: Link = this;
  after: Link = this;
}

/**
 * Things in the order in which they came, any of which may leave at any time. Coming and going is a few assignments, where a `Set` makes its table anew each time it was
 * emptied or filled: with one thing at a time that is every time.
 */
export class Chain<Thing extends Link> implements Iterable<Thing> {
  readonly #end = new Link();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** At the end. It must not stand in a chain already. */
  add(thing: Thing): void {
    const last = this.#end.before;
    thing.before = last;
    thing.after = this.#end;
    last.after = thing;
    this.#end.before = thing;
    this.#size++;
  }

  /** It must stand in this chain. */
  delete(thing: Thing): void {
    thing.before.after = thing.after;
    thing.after.before = thing.before;
    // Else one that is kept for whatever reason would keep all that came after it.
    thing.before = thing.after = thing;
    this.#size--;
  }

  /** What was reached may leave meanwhile. Where what comes next left with it, it ends there. */
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
