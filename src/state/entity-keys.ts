/**
 * The keys of the entities under one key of an index. A list is used while few keys are removed: a start adds hundreds of thousands of keys to
 * indexes, and nearly all of them stay; a set takes ten times as long to fill, and four times the memory. Removed keys are recorded
 * separately. When half of the list is removed, the rest becomes a set permanently, so the amortized cost of a removal is small.
 */
export class EntityKeys {
  #list: string[] | undefined = [];
  /** Keys that are in the list but removed. */
  #gone: Set<string> | undefined;
  /** Replaces the list. */
  #set: Set<string> | undefined;
  /** The last added key: an entity may return the same index key twice, and is then added twice in a row. */
  #newest: string | undefined;

  get size(): number {
    if (this.#set) return this.#set.size;
    return (this.#list?.length ?? 0) - (this.#gone?.size ?? 0);
  }

  /** Adds a key that is not in the list, or that was added last. */
  add(entityKey: string): void {
    if (this.#set) this.#set.add(entityKey);
    else if (entityKey !== this.#newest && !this.#gone?.delete(entityKey)) this.#list?.push(entityKey);
    this.#newest = entityKey;
  }

  /** Removes a key that is in the list. */
  remove(entityKey: string): void {
    if (entityKey === this.#newest) this.#newest = undefined;
    if (this.#set) {
      this.#set.delete(entityKey);
      return;
    }
    this.#gone ??= new Set();
    this.#gone.add(entityKey);
    const list = this.#list ?? [];
    if (this.#gone.size * 2 <= list.length) return;
    this.#set = new Set();
    for (const each of list) if (!this.#gone.has(each)) this.#set.add(each);
    this.#list = undefined;
    this.#gone = undefined;
  }

  /** Live iteration: visits keys that are added meanwhile and skips removed ones; a key that is removed and added again may be visited or not. */
  *[Symbol.iterator](): IterableIterator<string> {
    const list = this.#list;
    if (!list) {
      yield* this.#set ?? [];
      return;
    }
    // During the loop the list may grow, or a set may replace it.
    for (const entityKey of list)
      if (this.#set ? this.#set.has(entityKey) : !this.#gone?.has(entityKey)) yield entityKey;
    if (!this.#set) return;
    const met = new Set(list);
    for (const entityKey of this.#set) if (!met.has(entityKey)) yield entityKey;
  }
}
