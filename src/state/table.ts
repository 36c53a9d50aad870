import { assert } from '../base/assert.ts';
import type { Steps } from '../base/yield-control.ts';
import type { KeysOf } from '../model/collection.ts';
import { type CollectionName, type Entity, type IndexName, indexesOf } from './collections.ts';
import { EntityKeys } from './entity-keys.ts';

export type ReadonlyEntityKeys = Iterable<string> & Pick<EntityKeys, 'size'>;

/** Whether the keys are equal. After nearly every change of an entity they are, so this check comes first. */
function areSame(left: readonly string[], right: readonly string[]): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

/** One secondary index: for each index key, the keys of the entities. */
export class Index {
  readonly #keysOf: KeysOf<Entity>;
  readonly #entityKeys = new Map<string, EntityKeys>();

  constructor(keysOf: KeysOf<Entity>) {
    this.#keysOf = keysOf;
  }

  /** The keys of the entities under `key`. This is the live set, so do not store it. */
  entityKeys(key: string): ReadonlyEntityKeys | undefined {
    return this.#entityKeys.get(key);
  }

  replace(entityKey: string, before: Entity | undefined, after: Entity | undefined): void {
    if (!before) {
      if (after) for (const key of this.#keysOf(after)) this.#add(key, entityKey);
      return;
    }
    const keysBefore = this.#keysOf(before);
    if (!after) {
      for (const key of keysBefore) this.#remove(key, entityKey);
      return;
    }
    const keysAfter = this.#keysOf(after);
    if (areSame(keysBefore, keysAfter)) return;
    for (const key of keysBefore) if (!keysAfter.includes(key)) this.#remove(key, entityKey);
    for (const key of keysAfter) if (!keysBefore.includes(key)) this.#add(key, entityKey);
  }

  #add(key: string, entityKey: string): void {
    let entityKeys = this.#entityKeys.get(key);
    if (!entityKeys) {
      entityKeys = new EntityKeys();
      this.#entityKeys.set(key, entityKeys);
    }
    entityKeys.add(entityKey);
  }

  #remove(key: string, entityKey: string): void {
    const entityKeys = this.#entityKeys.get(key);
    if (!entityKeys) return;
    entityKeys.remove(entityKey);
    if (entityKeys.size === 0) this.#entityKeys.delete(key);
  }
}

/** Total weight of the entities under each key of one index. Integers, so the sum does not depend on the order of additions. */
class Sums {
  readonly #keysOf: KeysOf<Entity>;
  readonly #weigh: (entity: Entity) => number;
  readonly #sums = new Map<string, number>();

  constructor(keysOf: KeysOf<Entity>, weigh: (entity: Entity) => number) {
    this.#keysOf = keysOf;
    this.#weigh = weigh;
  }

  of(key: string): number {
    return this.#sums.get(key) ?? 0;
  }

  replace(before: Entity | undefined, after: Entity | undefined): void {
    if (before) this.#add(before, -1);
    if (after) this.#add(after, 1);
  }

  #add(entity: Entity, sign: 1 | -1): void {
    const weight = this.#weigh(entity) * sign;
    for (const key of this.#keysOf(entity)) {
      const sum = this.of(key) + weight;
      if (sum === 0) this.#sums.delete(key);
      else this.#sums.set(key, sum);
    }
  }
}

/** The changes of a large commit in one collection, before and after they become visible. */
export class StagedTable {
  readonly #beneath: Table;
  /** Undefined: the commit removes the entity. */
  readonly entities = new Map<string, Entity | undefined>();
  readonly indexes = new Map<IndexName, StagedIndex>();
  size: number;

  constructor(beneath: Table) {
    this.#beneath = beneath;
    this.size = beneath.size;
    for (const { name, keysOf, weigh } of beneath.indexes) {
      this.indexes.set(name, { keysOf, weigh, entityKeys: new Index(keysOf), counts: new Map(), sums: new Map() });
    }
  }

  /** Adds a change. Returns the entity before it. Call it once per key. */
  stage(key: string, after: Entity | undefined): Entity | undefined {
    const before = this.#beneath.get(key);
    this.entities.set(key, after);
    this.size += (after ? 1 : 0) - (before ? 1 : 0);
    for (const [name, { keysOf, weigh, entityKeys, counts, sums }] of this.indexes) {
      entityKeys.replace(key, undefined, after);
      const count = (indexKey: string, by: number) =>
        counts.set(indexKey, (counts.get(indexKey) ?? this.#beneath.count(name, indexKey)) + by);
      if (before) for (const indexKey of keysOf(before)) count(indexKey, -1);
      if (after) for (const indexKey of keysOf(after)) count(indexKey, 1);
      if (!weigh) continue;
      const add = (indexKey: string, by: number) =>
        sums.set(indexKey, (sums.get(indexKey) ?? this.#beneath.sum(name, indexKey)) + by);
      if (before) for (const indexKey of keysOf(before)) add(indexKey, -weigh(before));
      if (after) for (const indexKey of keysOf(after)) add(indexKey, weigh(after));
    }
    return before;
  }
}

interface StagedIndex {
  readonly keysOf: KeysOf<Entity>;
  /** Index of the staged entities. */
  readonly entityKeys: Index;
  /** Number of entities under a key after the commit, including unchanged ones. */
  readonly counts: Map<string, number>;
  readonly weigh: ((entity: Entity) => number) | null;
  /** Total weight under a key after the commit, including unchanged entities. */
  readonly sums: Map<string, number>;
}

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
  readonly indexes: ReturnType<typeof indexesOf>;
  #cover: StagedTable | undefined;

  constructor(collection: CollectionName) {
    this.indexes = indexesOf(collection);
    for (const { name, keysOf, weigh } of this.indexes) {
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
    return cover?.entities.has(key) ? cover.entities.get(key) : this.#entities.get(key);
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
      if (cover?.entities.has(entityKey)) continue;
      const entity = this.#entities.get(entityKey);
      assert(entity, `index ${index} holds ${entityKey}, which does not exist`);
      yield entity;
    }
    for (const entityKey of cover?.indexes.get(index)?.entityKeys.entityKeys(key) ?? [])
      yield cover?.entities.get(entityKey) as Entity;
  }

  count(index: IndexName, key: string): number {
    return this.#cover?.indexes.get(index)?.counts.get(key) ?? this.#indexes.get(index)?.entityKeys(key)?.size ?? 0;
  }

  sum(index: IndexName, key: string): number {
    return this.#cover?.indexes.get(index)?.sums.get(key) ?? this.#sums.get(index)?.of(key) ?? 0;
  }

  /** Puts the entity, or removes the current one if `entity` is undefined. Returns the previous entity. */
  replace(key: string, entity: Entity | undefined): Entity | undefined {
    assert(!this.#cover, 'a large commit is still being settled');
    return this.#replace(key, entity);
  }

  /** Makes all staged changes visible: reads find them before the entities beneath. */
  cover(staged: StagedTable): void {
    assert(!this.#cover, 'a large commit is still being settled');
    this.#cover = staged;
  }

  /** Merges the covering changes, one entity per step. */
  *settle(): Steps<void> {
    for (const [key, entity] of this.#cover?.entities ?? []) {
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

  *#coveredEntries(cover: StagedTable): IterableIterator<[string, Entity]> {
    for (const entry of this.#entities) if (!cover.entities.has(entry[0])) yield entry;
    for (const [key, entity] of cover.entities) if (entity !== undefined) yield [key, entity];
  }

  *#coveredValues(cover: StagedTable): IterableIterator<Entity> {
    for (const [, entity] of this.#coveredEntries(cover)) yield entity;
  }
}
