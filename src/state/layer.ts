import { NO_KEYS } from '../model/collection.ts';
import { type Entity, type IndexName, indexEntry } from './collections.ts';
import { areSame, distinct, Index } from './secondary-index.ts';

/** What is beneath a layer: the entities of one collection. */
export interface Beneath {
  readonly size: number;
  get(key: string): Entity | undefined;
  count(index: IndexName, key: string): number;
  sum(index: IndexName, key: string): number;
}

/**
 * Changes of one collection, over the entities beneath: those of a draft, or of a large commit before it is merged. Size, counts and sums are kept
 * while entities are set, so they cost no walk over the changes. So what is beneath must not change while they are read.
 */
export class Layer {
  readonly #beneath: Beneath;
  /** Undefined: the layer removes the entity. */
  readonly #entities = new Map<string, Entity | undefined>();
  readonly #indexes = new Map<IndexName, LayerIndex>();
  #size: number;

  /** `indexed`: the indexes that are kept from the beginning. Any other index is built at its first use, without a pause, and kept from then on. */
  constructor(beneath: Beneath, indexed: readonly IndexName[] = []) {
    this.#beneath = beneath;
    this.#size = beneath.size;
    for (const name of indexed) this.#indexes.set(name, new LayerIndex(name, beneath));
  }

  /** Number of entities in the collection, with those beneath. */
  get size(): number {
    return this.#size;
  }

  /** Whether the layer puts or removes this entity. */
  has(key: string): boolean {
    return this.#entities.has(key);
  }

  /** The entity that the layer puts. Undefined if the layer removes it or does not change it. */
  get(key: string): Entity | undefined {
    return this.#entities.get(key);
  }

  entries(): Iterable<[string, Entity | undefined]> {
    return this.#entities.entries();
  }

  /** Puts the entity, or removes it if it is undefined. Returns the entity before, which may be one beneath. */
  set(key: string, after: Entity | undefined): Entity | undefined {
    const isOwn = this.#entities.has(key);
    const before = isOwn ? this.#entities.get(key) : this.#beneath.get(key);
    this.#size += Number(after !== undefined) - Number(before !== undefined);
    for (const index of this.#indexes.values()) index.replace(key, isOwn, before, after);
    this.#entities.set(key, after);
    return before;
  }

  /** The entities of the layer under `key` in `index`. Live iteration, as in `Index`. */
  *lookup(index: IndexName, key: string): IterableIterator<Entity> {
    for (const entityKey of this.#index(index).entityKeys.entityKeys(key) ?? []) {
      const entity = this.#entities.get(entityKey);
      if (entity !== undefined) yield entity;
    }
  }

  /** The keys of the entities of the layer under `key` in `index`. */
  keysUnder(index: IndexName, key: string): string[] {
    const keys = Array.from(this.#index(index).entityKeys.entityKeys(key) ?? []);
    return keys.filter((entityKey) => this.#entities.get(entityKey) !== undefined);
  }

  /** Number of entities under `key` in `index`, with those beneath. Undefined: as beneath. */
  count(index: IndexName, key: string): number | undefined {
    return this.#index(index).counts.get(key);
  }

  /** Total weight of the entities under `key` in `index`, with those beneath. Undefined: as beneath. */
  sum(index: IndexName, key: string): number | undefined {
    return this.#index(index).sums.get(key);
  }

  #index(name: IndexName): LayerIndex {
    let index = this.#indexes.get(name);
    if (!index) {
      index = new LayerIndex(name, this.#beneath);
      for (const [key, entity] of this.#entities) index.replace(key, false, this.#beneath.get(key), entity);
      this.#indexes.set(name, index);
    }
    return index;
  }
}

/** One index over the entities of a layer, with counts and sums that include the entities beneath. */
class LayerIndex {
  readonly entityKeys: Index;
  /** Only of keys under which the layer adds or removes entities. */
  readonly counts = new Map<string, number>();
  readonly sums = new Map<string, number>();
  readonly #name: IndexName;
  readonly #entry: ReturnType<typeof indexEntry>;
  readonly #beneath: Beneath;

  constructor(name: IndexName, beneath: Beneath) {
    this.#name = name;
    this.#entry = indexEntry(name);
    this.#beneath = beneath;
    this.entityKeys = new Index(this.#entry.keysOf);
  }

  /** `isOwn`: `before` is an entity of the layer, not one beneath. */
  replace(key: string, isOwn: boolean, before: Entity | undefined, after: Entity | undefined): void {
    const { keysOf, weigh } = this.#entry;
    const keysBefore = before ? keysOf(before) : NO_KEYS;
    const keysAfter = after ? keysOf(after) : NO_KEYS;
    this.entityKeys.replaceKeys(key, isOwn ? keysBefore : NO_KEYS, keysAfter);
    if (!areSame(keysBefore, keysAfter)) {
      for (const indexKey of distinct(keysBefore)) this.#count(indexKey, -1);
      for (const indexKey of distinct(keysAfter)) this.#count(indexKey, 1);
    }
    if (!weigh) return;
    if (before) for (const indexKey of distinct(keysBefore)) this.#add(indexKey, -weigh(before));
    if (after) for (const indexKey of distinct(keysAfter)) this.#add(indexKey, weigh(after));
  }

  #count(indexKey: string, by: number): void {
    this.counts.set(indexKey, (this.counts.get(indexKey) ?? this.#beneath.count(this.#name, indexKey)) + by);
  }

  #add(indexKey: string, by: number): void {
    this.sums.set(indexKey, (this.sums.get(indexKey) ?? this.#beneath.sum(this.#name, indexKey)) + by);
  }
}
