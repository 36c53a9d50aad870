/** A set of removed keys needs more memory than a copy of the list, if it has more than this part (one in eight) of its keys. */
const COPIED_PART = 8;

/**
 * The keys of the entities under one key of an index. While few keys are removed, they are in a list: a start adds hundreds of thousands of keys to
 * indexes, and nearly all of them stay. A set takes ten times as long to fill, and needs four times the memory. Removed keys are recorded separately.
 * When half of the list is removed, the rest becomes a set permanently, so the amortized cost of a removal is small.
 */
export class EntityKeys {
  #list: string[] | undefined = [];
  /** Keys that were removed but are still in the list. */
  #removed: Set<string> | undefined;
  /** Replaces the list after many removals. Either the list or the set is defined. */
  #set: Set<string> | undefined;
  /** The last added key: an entity may return the same index key twice, and is then added twice in a row. */
  #newest: string | undefined;

  get size(): number {
    if (this.#set) return this.#set.size;
    return (this.#list?.length ?? 0) - (this.#removed?.size ?? 0);
  }

  /** Adds a key that is not in the list, or that was added last. */
  add(entityKey: string): void {
    if (this.#set) this.#set.add(entityKey);
    else if (entityKey !== this.#newest && !this.#removed?.delete(entityKey)) this.#list?.push(entityKey);
    this.#newest = entityKey;
  }

  /** Removes a key that is in the list. */
  remove(entityKey: string): void {
    if (entityKey === this.#newest) this.#newest = undefined;
    if (this.#set) {
      this.#set.delete(entityKey);
      return;
    }
    this.#removed ??= new Set();
    this.#removed.add(entityKey);
    const list = this.#list ?? [];
    if (this.#removed.size * 2 <= list.length) return;
    this.#set = new Set();
    for (const each of list) if (!this.#removed.has(each)) this.#set.add(each);
    this.#list = undefined;
    this.#removed = undefined;
  }

  /**
   * The keys as they are now, whatever is added or removed later. While few are removed it reads the list, to which keys are only appended: thousands of
   * slow readers of long lists need no copies of them.
   */
  asNow(): Iterable<string> {
    const [list, removed] = [this.#list, this.#removed];
    if (!list) return Array.from(this.#set ?? []);
    if (!removed || removed.size * COPIED_PART <= list.length) return firstOf(list, list.length, new Set(removed));
    return list.filter((entityKey) => !removed.has(entityKey));
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
      if (this.#set ? this.#set.has(entityKey) : !this.#removed?.has(entityKey)) yield entityKey;
    if (!this.#set) return;
    const visited = new Set(list);
    for (const entityKey of this.#set) if (!visited.has(entityKey)) yield entityKey;
  }
}

function* firstOf(list: readonly string[], count: number, without: ReadonlySet<string>): Generator<string, void, void> {
  for (let index = 0; index < count; index++) {
    const entityKey = list[index] as string;
    if (!without.has(entityKey)) yield entityKey;
  }
}
