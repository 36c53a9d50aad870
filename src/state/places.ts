/**
 * Where the entities under one key of an index are stored. A list as long as little is removed: a start puts hundreds of thousands of places into
 * indexes, and nearly all of them stay there; a set costs ten times as much to fill, and four times the memory. What is removed is noted
 * beside the list, and once that is half of it, the rest becomes a set, which it stays. So no removal costs more than the half.
 */
export class Places {
  #list: string[] | undefined = [];
  /** Of the list, but removed. */
  #gone: Set<string> | undefined;
  /** In place of the list. */
  #set: Set<string> | undefined;
  /** An entity may state a key twice: it then comes twice in a row. */
  #newest: string | undefined;

  get size(): number {
    if (this.#set) return this.#set.size;
    return (this.#list?.length ?? 0) - (this.#gone?.size ?? 0);
  }

  /** Adds what is not there, or was added last. */
  add(place: string): void {
    if (this.#set) this.#set.add(place);
    else if (place !== this.#newest && !this.#gone?.delete(place)) this.#list?.push(place);
    this.#newest = place;
  }

  /** Removes what is there. */
  remove(place: string): void {
    if (place === this.#newest) this.#newest = undefined;
    if (this.#set) {
      this.#set.delete(place);
      return;
    }
    this.#gone ??= new Set();
    this.#gone.add(place);
    const list = this.#list ?? [];
    if (this.#gone.size * 2 <= list.length) return;
    this.#set = new Set();
    for (const each of list) if (!this.#gone.has(each)) this.#set.add(each);
    this.#list = undefined;
    this.#gone = undefined;
  }

  /** Live: what is added meanwhile is met, what is removed is not; what is removed and comes back may be met or not. */
  *[Symbol.iterator](): IterableIterator<string> {
    const list = this.#list;
    if (!list) {
      yield* this.#set ?? [];
      return;
    }
    // The list grows under the loop, and may be given up for a set.
    for (const place of list) if (this.#set ? this.#set.has(place) : !this.#gone?.has(place)) yield place;
    if (!this.#set) return;
    const met = new Set(list);
    for (const place of this.#set) if (!met.has(place)) yield place;
  }
}
