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
import { type Beneath, Layer } from './layer.ts';
import { changesPermissions, PermissionCache } from './permission-cache.ts';

/** Number of changes listed in one step. */
const STEP_CHANGES = 1_024;

/**
 * A layer over the state, or over another draft: it stores its own changes and reads everything else from the reader beneath it. The writer uses one
 * draft per command, on top of one draft per batch. The draft of a rejected command is dropped without effect. The draft of a batch that could not be
 * stored is dropped in the same way. What is beneath a draft must not change while the draft is in use: its sizes, counts and sums, and its
 * `permissionCache`, depend on that.
 */
export class Draft implements StateReader {
  readonly #beneath: StateReader;
  readonly #layers = new Map<CollectionName, Layer>();
  readonly #indexed: readonly IndexName[];
  #permissionCache: PermissionCache | undefined;

  /** `indexed`: as in `Layer`, for a draft that may have more changes than one step can index. */
  constructor(beneath: StateReader, indexed: readonly IndexName[] = []) {
    this.#beneath = beneath;
    this.#indexed = indexed;
  }

  /** The cache of the reader beneath, or the draft's own cache after the draft has changed data that permissions depend on. */
  get permissionCache(): PermissionCache {
    return this.#permissionCache ?? this.#beneath.permissionCache;
  }

  get<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined {
    const layer = this.#layers.get(collection);
    if (layer?.has(key)) return layer.get(key) as Collections[C] | undefined;
    return this.#beneath.get(collection, key);
  }

  *values<C extends OwnKeyName>(collection: C): IterableIterator<Collections[C]> {
    const layer = this.#layers.get(collection);
    if (!layer) return yield* this.#beneath.values(collection);
    yield* this.#visible(layer, this.#beneath.values(collection), collection);
    for (const [, entity] of layer.entries()) if (entity !== undefined) yield entity as Collections[C];
  }

  *lookup<I extends IndexName>(index: I, key: string): IterableIterator<Collections[IndexedName<I>]> {
    const { collection } = indexEntry(index);
    const layer = this.#layers.get(collection);
    if (!layer) return yield* this.#beneath.lookup(index, key);
    yield* this.#visible(layer, this.#beneath.lookup(index, key), collection);
    yield* layer.lookup(index, key) as IterableIterator<Collections[IndexedName<I>]>;
  }

  size(collection: CollectionName): number {
    return this.#layers.get(collection)?.size ?? this.#beneath.size(collection);
  }

  count(index: IndexName, key: string): number {
    return this.#layers.get(indexEntry(index).collection)?.count(index, key) ?? this.#beneath.count(index, key);
  }

  sum(index: IndexName, key: string): number {
    return this.#layers.get(indexEntry(index).collection)?.sum(index, key) ?? this.#beneath.sum(index, key);
  }

  /** Only the entities that this draft has put or removed in the collection, by key. */
  changed<C extends CollectionName>(collection: C): Iterable<[string, Collections[C] | undefined]> {
    return (this.#layers.get(collection)?.entries() ?? []) as Iterable<[string, Collections[C] | undefined]>;
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
    for (const [collection, layer] of this.#layers) {
      for (const [key, entity] of layer.entries()) changes.push({ collection, key, entity } as Change);
    }
    return changes;
  }

  /** Same as `changes`, in steps: the list of 100,000 changes takes milliseconds. The draft must not change in between. */
  *changesInSteps(): Steps<Change[]> {
    const changes: Change[] = [];
    for (const [collection, layer] of this.#layers) {
      for (const [key, entity] of layer.entries()) {
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
  *#visible<E extends Entity>(layer: Layer, beneath: Iterable<E>, collection: CollectionName): IterableIterator<E> {
    for (const entity of beneath) if (!layer.has(keyFor(collection, entity, undefined))) yield entity;
  }

  #set(collection: CollectionName, key: string, entity: Entity | undefined): void {
    const before = () => this.get(collection, key);
    if (changesPermissions(collection, before, entity)) {
      this.#permissionCache ??= new PermissionCache();
      this.#permissionCache.discard({ collection, key, before: before(), after: entity });
    }
    this.#layer(collection).set(key, entity);
  }

  #layer(collection: CollectionName): Layer {
    let layer = this.#layers.get(collection);
    if (!layer) {
      const indexed = this.#indexed.filter((name) => indexEntry(name).collection === collection);
      layer = new Layer(beneathIn(this.#beneath, collection), indexed);
      this.#layers.set(collection, layer);
    }
    return layer;
  }
}

function beneathIn(reader: StateReader, collection: CollectionName): Beneath {
  return {
    size: reader.size(collection),
    get: (key) => reader.get(collection, key) as Entity | undefined,
    count: (index, key) => reader.count(index, key),
    sum: (index, key) => reader.sum(index, key),
  };
}
