import type { KeysOf } from './collection.ts';
import { type CollectionName, type Entity, type IndexName, indexesOf } from './collections.ts';

/** One secondary index: under each key, where the entities are stored that have it. */
export class Index {
  readonly #keysOf: KeysOf<Entity>;
  readonly #places = new Map<string, Set<string>>();

  constructor(keysOf: KeysOf<Entity>) {
    this.#keysOf = keysOf;
  }

  /** Where the entities under `key` are stored; the live set: do not keep it. */
  places(key: string): ReadonlySet<string> | undefined {
    return this.#places.get(key);
  }

  replace(place: string, before: Entity | undefined, after: Entity | undefined): void {
    if (!before) {
      if (after) for (const key of this.#keysOf(after)) this.#add(key, place);
      return;
    }
    const keysBefore = this.#keysOf(before);
    if (!after) {
      for (const key of keysBefore) this.#remove(key, place);
      return;
    }
    const keysAfter = this.#keysOf(after);
    for (const key of keysBefore) if (!keysAfter.includes(key)) this.#remove(key, place);
    for (const key of keysAfter) if (!keysBefore.includes(key)) this.#add(key, place);
  }

  #add(key: string, place: string): void {
    const places = this.#places.get(key);
    if (places) places.add(place);
    else this.#places.set(key, new Set([place]));
  }

  #remove(key: string, place: string): void {
    const places = this.#places.get(key);
    if (!places) return;
    places.delete(place);
    if (places.size === 0) this.#places.delete(key);
  }
}

/** The entities of one collection, and its indexes in step with them. */
export class Table {
  readonly entities = new Map<string, Entity>();
  readonly #indexes = new Map<IndexName, Index>();
  /** The same, for walking: most collections have none. */
  readonly #indexList: readonly Index[];

  constructor(collection: CollectionName) {
    for (const { name, keysOf } of indexesOf(collection)) this.#indexes.set(name, new Index(keysOf));
    this.#indexList = [...this.#indexes.values()];
  }

  index(name: IndexName): Index | undefined {
    return this.#indexes.get(name);
  }

  /** Puts the entity, or removes what is there when there is none. Answers what was there. */
  replace(key: string, entity: Entity | undefined): Entity | undefined {
    const before = this.entities.get(key);
    if (entity === undefined) this.entities.delete(key);
    else this.entities.set(key, entity);
    for (const index of this.#indexList) index.replace(key, before, entity);
    return before;
  }
}
