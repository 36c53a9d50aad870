import { assert } from '../base/assert.ts';
import type { Steps } from '../base/yield-control.ts';
import { type CollectionName, type Entity, type IndexName, indexesOf } from './collections.ts';
import type { Layer } from './layer.ts';
import { Index, Sums } from './secondary-index.ts';

/**
 * The entities of one collection, and its indexes. The changes of a large commit first cover the table together (`cover`), and are then merged in
 * steps (`settle`). Reads check the covering changes first, so they do not depend on the progress of the merge.
 */
export class Table {
  readonly #entities = new Map<string, Entity>();
  readonly #indexes = new Map<IndexName, Index>();
  /** The same indexes as a list, for iteration: most collections have none. */
  readonly #indexList: readonly Index[];
  /** Empty for most collections. */
  readonly #sums = new Map<IndexName, Sums>();
  #cover: Layer | undefined;

  constructor(collection: CollectionName) {
    for (const { name, keysOf, weigh } of indexesOf(collection)) {
      this.#indexes.set(name, new Index(keysOf));
      if (weigh) this.#sums.set(name, new Sums(keysOf, weigh));
    }
    this.#indexList = [...this.#indexes.values()];
  }

  get size(): number {
    return this.#cover?.size ?? this.#entities.size;
  }

  get(key: string): Entity | undefined {
    const cover = this.#cover;
    return cover?.has(key) ? cover.get(key) : this.#entities.get(key);
  }

  /** Live iteration: entries that are added meanwhile are visited, removed ones are not. */
  entries(): IterableIterator<[string, Entity]> {
    return this.#cover ? this.#coveredEntries(this.#cover) : this.#entities.entries();
  }

  values(): IterableIterator<Entity> {
    return this.#cover ? this.#coveredValues(this.#cover) : this.#entities.values();
  }

  *lookup(index: IndexName, key: string): IterableIterator<Entity> {
    const cover = this.#cover;
    for (const entityKey of this.#indexes.get(index)?.entityKeys(key) ?? []) {
      if (cover?.has(entityKey)) continue;
      const entity = this.#entities.get(entityKey);
      assert(entity, `index ${index} holds ${entityKey}, which does not exist`);
      yield entity;
    }
    if (cover) yield* cover.lookup(index, key);
  }

  /** The keys of the entities that `lookup` would find now, whatever changes later. */
  keysUnder(index: IndexName, key: string): Iterable<string> {
    const keys = this.#indexes.get(index)?.entityKeys(key)?.asNow() ?? [];
    const cover = this.#cover;
    return cover ? [...Array.from(keys).filter((each) => !cover.has(each)), ...cover.keysUnder(index, key)] : keys;
  }

  count(index: IndexName, key: string): number {
    return this.#cover?.count(index, key) ?? this.#indexes.get(index)?.entityKeys(key)?.size ?? 0;
  }

  sum(index: IndexName, key: string): number {
    return this.#cover?.sum(index, key) ?? this.#sums.get(index)?.of(key) ?? 0;
  }

  /** Puts the entity, or removes the current one if `entity` is undefined. Returns the previous entity. */
  replace(key: string, entity: Entity | undefined): Entity | undefined {
    assert(!this.#cover, 'a large commit is still being settled');
    return this.#replace(key, entity);
  }

  /** Makes all staged changes visible: reads find them before the entities beneath. */
  cover(staged: Layer): void {
    assert(!this.#cover, 'a large commit is still being settled');
    this.#cover = staged;
  }

  /** Merges the covering changes, one entity per step. */
  *settle(): Steps<void> {
    for (const [key, entity] of this.#cover?.entries() ?? []) {
      this.#replace(key, entity);
      yield;
    }
    this.#cover = undefined;
  }

  #replace(key: string, entity: Entity | undefined): Entity | undefined {
    const before = this.#entities.get(key);
    if (entity === undefined) this.#entities.delete(key);
    else this.#entities.set(key, entity);
    for (const index of this.#indexList) index.replace(key, before, entity);
    if (this.#sums.size > 0) for (const sums of this.#sums.values()) sums.replace(before, entity);
    return before;
  }

  *#coveredEntries(cover: Layer): IterableIterator<[string, Entity]> {
    for (const entry of this.#entities) if (!cover.has(entry[0])) yield entry;
    for (const [key, entity] of cover.entries()) if (entity !== undefined) yield [key, entity];
  }

  *#coveredValues(cover: Layer): IterableIterator<Entity> {
    for (const [, entity] of this.#coveredEntries(cover)) yield entity;
  }
}
