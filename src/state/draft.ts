import { assert } from '../base/assert.ts';
import type { Steps } from '../base/yield-control.ts';
import {
  type CollectionName,
  type Collections,
  type Entity,
  type IndexedName,
  type IndexName,
  indexEntry,
  keyFor,
  type OwnKeyName,
  type SeparateKeyName,
  type StateReader,
} from './collections.ts';
import type { Change } from './commit.ts';
import { changesPermissions, PermissionCache } from './permission-cache.ts';
import { Index, type ReadonlyEntityKeys } from './table.ts';

/** Number of changes listed in one step. */
const STEP_CHANGES = 1_024;

/**
 * A layer over the state, or over another draft: it stores its own changes and reads everything else from the reader beneath it. The writer uses one
 * draft per command, on top of one draft per batch. The draft of a rejected command is dropped without effect. The draft of a batch that could not be
 * stored is dropped in the same way. After a draft has changed permissions, the permissions beneath it must not change while the draft is in use: its
 * `permissionCache` depends on that.
 */
export class Draft implements StateReader {
  readonly #beneath: StateReader;
  readonly #overlay = new Map<CollectionName, CollectionChanges>();
  #permissionCache: PermissionCache | undefined;

  constructor(beneath: StateReader) {
    this.#beneath = beneath;
  }

  /** The cache of the reader beneath, or the draft's own cache after the draft has changed data that permissions depend on. */
  get permissionCache(): PermissionCache {
    return this.#permissionCache ?? this.#beneath.permissionCache;
  }

  get<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined {
    const collectionChanges = this.#overlay.get(collection);
    if (collectionChanges?.has(key)) return collectionChanges.get(key) as Collections[C] | undefined;
    return this.#beneath.get(collection, key);
  }

  *values<C extends OwnKeyName>(collection: C): IterableIterator<Collections[C]> {
    const collectionChanges = this.#overlay.get(collection);
    if (!collectionChanges) return yield* this.#beneath.values(collection);
    yield* this.#visible(collectionChanges, this.#beneath.values(collection), collection);
    for (const [, entity] of collectionChanges.entries()) if (entity !== undefined) yield entity as Collections[C];
  }

  *lookup<I extends IndexName>(index: I, key: string): IterableIterator<Collections[IndexedName<I>]> {
    const { collection } = indexEntry(index);
    const collectionChanges = this.#overlay.get(collection);
    if (!collectionChanges) return yield* this.#beneath.lookup(index, key);
    yield* this.#visible(collectionChanges, this.#beneath.lookup(index, key), collection);
    for (const entityKey of collectionChanges.entityKeys(index, key)) {
      const entity = collectionChanges.get(entityKey);
      if (entity !== undefined) yield entity as Collections[IndexedName<I>];
    }
  }

  size(collection: CollectionName): number {
    let size = this.#beneath.size(collection);
    for (const [key, entity] of this.#overlay.get(collection)?.entries() ?? []) {
      size += Number(entity !== undefined) - Number(this.#beneath.get(collection, key) !== undefined);
    }
    return size;
  }

  count(index: IndexName, key: string): number {
    const { collection, keysOf } = indexEntry(index);
    const countOf = (entity: Entity | undefined) => Number(entity !== undefined && keysOf(entity).includes(key));
    let count = this.#beneath.count(index, key);
    for (const [entityKey, entity] of this.#overlay.get(collection)?.entries() ?? []) {
      count += countOf(entity) - countOf(this.#beneath.get(collection, entityKey));
    }
    return count;
  }

  sum(index: IndexName, key: string): number {
    const { collection, keysOf, weigh } = indexEntry(index);
    let sum = this.#beneath.sum(index, key);
    if (!weigh) return sum;
    const weightOf = (entity: Entity | undefined) => (entity && keysOf(entity).includes(key) ? weigh(entity) : 0);
    for (const [entityKey, entity] of this.#overlay.get(collection)?.entries() ?? []) {
      sum += weightOf(entity) - weightOf(this.#beneath.get(collection, entityKey));
    }
    return sum;
  }

  /** Only the entities that this draft has put or removed in the collection, by key. */
  changed<C extends CollectionName>(collection: C): Iterable<[string, Collections[C] | undefined]> {
    return (this.#overlay.get(collection)?.entries() ?? []) as Iterable<[string, Collections[C] | undefined]>;
  }

  /** The entity without the changes of this draft. */
  before<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined {
    return this.#beneath.get(collection, key);
  }

  /** `key` is required for collections whose entities do not contain it. */
  put<C extends OwnKeyName>(collection: C, entity: Collections[C]): void;
  put<C extends SeparateKeyName>(collection: C, entity: Collections[C], key: string): void;
  put(collection: CollectionName, entity: Entity, key?: string): void {
    this.#set(collection, keyFor(collection, entity, key), entity);
  }

  remove(collection: CollectionName, key: string): void {
    assert(this.get(collection, key) !== undefined, `cannot remove ${collection}/${key}: it does not exist`);
    this.#set(collection, key, undefined);
  }

  /** Takes the next number of the counter. */
  next(counter: string): number {
    const value = (this.get('counters', counter)?.value ?? 0) + 1;
    this.put('counters', { value }, counter);
    return value;
  }

  /** The changes of this draft, one per entity. */
  changes(): Change[] {
    const changes: Change[] = [];
    for (const [collection, collectionChanges] of this.#overlay) {
      for (const [key, entity] of collectionChanges.entries()) changes.push({ collection, key, entity } as Change);
    }
    return changes;
  }

  /** Same as `changes`, in steps: the list of 100,000 changes takes milliseconds. The draft must not change in between. */
  *changesInSteps(): Steps<Change[]> {
    const changes: Change[] = [];
    for (const [collection, collectionChanges] of this.#overlay) {
      for (const [key, entity] of collectionChanges.entries()) {
        changes.push({ collection, key, entity } as Change);
        if (changes.length % STEP_CHANGES === 0) yield;
      }
    }
    return changes;
  }

  /** Adds the changes of a draft that was on top of this one. */
  absorb(changes: readonly Change[]): void {
    for (const { collection, key, entity } of changes) this.#set(collection, key, entity);
  }

  /** The entities of the reader beneath that this draft has not changed. */
  *#visible<E extends Entity>(
    collectionChanges: CollectionChanges,
    beneath: Iterable<E>,
    collection: CollectionName,
  ): IterableIterator<E> {
    for (const entity of beneath) if (!collectionChanges.has(keyFor(collection, entity, undefined))) yield entity;
  }

  #set(collection: CollectionName, key: string, entity: Entity | undefined): void {
    const before = () => this.get(collection, key);
    if (changesPermissions(collection, before, entity)) {
      this.#permissionCache ??= new PermissionCache();
      this.#permissionCache.discard({ collection, key, before: before(), after: entity });
    }
    this.#collectionChanges(collection).set(key, entity);
  }

  #collectionChanges(collection: CollectionName): CollectionChanges {
    let collectionChanges = this.#overlay.get(collection);
    if (!collectionChanges) {
      collectionChanges = new CollectionChanges();
      this.#overlay.set(collection, collectionChanges);
    }
    return collectionChanges;
  }
}

const NO_ENTITY_KEYS: ReadonlyEntityKeys = new Set<string>();

/** The changes of a draft in one collection. An index over these changes is built at its first use, and updated from then on. */
class CollectionChanges {
  /** Undefined: the draft removed the entity. */
  readonly #entities = new Map<string, Entity | undefined>();
  #indexes: Map<IndexName, Index> | undefined;

  has(key: string): boolean {
    return this.#entities.has(key);
  }

  get(key: string): Entity | undefined {
    return this.#entities.get(key);
  }

  entries(): Iterable<[string, Entity | undefined]> {
    return this.#entities.entries();
  }

  set(key: string, entity: Entity | undefined): void {
    if (this.#indexes) {
      const before = this.#entities.get(key);
      for (const index of this.#indexes.values()) index.replace(key, before, entity);
    }
    this.#entities.set(key, entity);
  }

  entityKeys(name: IndexName, key: string): ReadonlyEntityKeys {
    this.#indexes ??= new Map();
    let index = this.#indexes.get(name);
    if (!index) {
      index = new Index(indexEntry(name).keysOf);
      for (const [entityKey, entity] of this.#entities) index.replace(entityKey, undefined, entity);
      this.#indexes.set(name, index);
    }
    return index.entityKeys(key) ?? NO_ENTITY_KEYS;
  }
}
