import {
  type CollectionName,
  type Collections,
  type Entity,
  type IndexedName,
  type IndexName,
  indexEntry,
  indexesOf,
  keyFor,
  type OwnKeyName,
  type StateReader,
} from './collections.ts';
import { changesPermissions, PermissionCache } from './permission-cache.ts';
import { distinct, Index } from './secondary-index.ts';
import type { AppliedCommit, State } from './state.ts';

/**
 * The state as it is when this object is created, for readers that need several turns of the event loop. It reads through to the live state, and keeps
 * the earlier entities of what commits replace meanwhile: `apply` must be called with each commit. So a reader never has to begin again because of a
 * commit, and needs memory only for what changes while it reads.
 *
 * An iteration is over the entities at its first step. It stays correct while commits are applied, because entities are immutable.
 */
export class FixedState implements StateReader {
  readonly #live: State;
  readonly #generation: number;
  readonly #replaced = new Map<CollectionName, ReplacedEntities>();
  #permissionCache: PermissionCache | undefined;
  #isLost = false;
  readonly seq: number;

  constructor(live: State) {
    this.#live = live;
    this.seq = live.seq;
    this.#generation = live.generation;
  }

  /**
   * Whether this state can no longer be read: the live state was replaced by another one, or a large commit was applied, whose earlier entities are too
   * many to be kept in one turn. What was read until now may be wrong.
   */
  get isLost(): boolean {
    return this.#isLost || this.#live.generation !== this.#generation;
  }

  /** Keeps what the commit replaced. */
  apply({ changes, bulk }: AppliedCommit): void {
    if (bulk) {
      this.#isLost = true;
      return;
    }
    for (const { collection, key, before, after } of changes) {
      this.#replacedIn(collection).add(key, before, after);
      if (changesPermissions(collection, () => before, after)) this.#permissionCache ??= new PermissionCache();
    }
  }

  /** The live cache, or an own one after permissions have changed. */
  get permissionCache(): PermissionCache {
    return this.#permissionCache ?? this.#live.permissionCache;
  }

  get<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined {
    const replaced = this.#replaced.get(collection)?.entities;
    if (replaced?.has(key)) return replaced.get(key)?.entity as Collections[C] | undefined;
    return this.#live.get(collection, key);
  }

  *values<C extends OwnKeyName>(collection: C): IterableIterator<Collections[C]> {
    const live = Array.from(this.#live.values(collection));
    const replaced = this.#replaced.get(collection);
    const count = replaced?.entities.size ?? 0;
    yield* replaced ? replaced.unreplaced(live, count) : live;
    let at = 0;
    for (const { entity } of replaced?.entities.values() ?? []) {
      if (at++ === count) return;
      if (entity !== undefined) yield entity as Collections[C];
    }
  }

  *lookup<I extends IndexName>(index: I, key: string): IterableIterator<Collections[IndexedName<I>]> {
    yield* this.#found(index, key) as Iterable<Collections[IndexedName<I>]>;
  }

  *#found(index: IndexName, key: string): Generator<Entity, void, void> {
    const live: readonly Entity[] = Array.from(this.#live.lookup(index, key));
    const replaced = this.#replaced.get(indexEntry(index).collection);
    if (!replaced) return yield* live;
    const earlier = replaced.found(index, key);
    yield* replaced.unreplaced(live, replaced.entities.size);
    yield* earlier;
  }

  size(collection: CollectionName): number {
    return this.#live.size(collection) + (this.#replaced.get(collection)?.size ?? 0);
  }

  count(index: IndexName, key: string): number {
    const replaced = this.#replaced.get(indexEntry(index).collection);
    return this.#live.count(index, key) + (replaced?.counts.get(index)?.get(key) ?? 0);
  }

  sum(index: IndexName, key: string): number {
    const replaced = this.#replaced.get(indexEntry(index).collection);
    return this.#live.sum(index, key) + (replaced?.sums.get(index)?.get(key) ?? 0);
  }

  #replacedIn(collection: CollectionName): ReplacedEntities {
    let replaced = this.#replaced.get(collection);
    if (!replaced) {
      replaced = new ReplacedEntities(collection);
      this.#replaced.set(collection, replaced);
    }
    return replaced;
  }
}

type Sums = Map<IndexName, Map<string, number>>;

/** The entities of one collection that commits have replaced since the state was fixed. */
class ReplacedEntities {
  readonly #collection: CollectionName;
  readonly #indexes: ReturnType<typeof indexesOf>;
  /** The entities when the state was fixed, in the order in which they were replaced. Undefined: there was none. Never changed or removed. */
  readonly entities = new Map<string, { readonly entity: Entity | undefined; readonly order: number }>();
  /** What these have more than the live state: entities, and for each index their number and their weight by key. */
  size = 0;
  readonly counts: Sums = new Map();
  readonly sums: Sums = new Map();
  /** Index of `entities`. */
  readonly #found = new Map<IndexName, Index>();

  constructor(collection: CollectionName) {
    this.#collection = collection;
    this.#indexes = indexesOf(collection);
  }

  add(key: string, before: Entity | undefined, after: Entity | undefined): void {
    this.size += (before ? 1 : 0) - (after ? 1 : 0);
    const isFirst = !this.entities.has(key);
    if (isFirst) this.entities.set(key, { entity: before, order: this.entities.size });
    for (const { name, keysOf, weigh } of this.#indexes) {
      if (before) addTo(this.counts, name, keysOf(before), 1);
      if (after) addTo(this.counts, name, keysOf(after), -1);
      if (weigh && before) addTo(this.sums, name, keysOf(before), weigh(before));
      if (weigh && after) addTo(this.sums, name, keysOf(after), -weigh(after));
      if (!isFirst) continue;
      let index = this.#found.get(name);
      if (!index) {
        index = new Index(keysOf);
        this.#found.set(name, index);
      }
      index.replace(key, undefined, before);
    }
  }

  /** Those of the live entities that were not among the first `count` replaced ones. */
  *unreplaced<E extends Entity>(live: readonly E[], count: number): Generator<E, void, void> {
    for (const entity of live) {
      const replaced = this.entities.get(keyFor(this.#collection, entity, undefined));
      if (replaced === undefined || replaced.order >= count) yield entity;
    }
  }

  /** The replaced entities under `key` in `index`. */
  found(index: IndexName, key: string): Entity[] {
    const found: Entity[] = [];
    for (const entityKey of this.#found.get(index)?.entityKeys(key) ?? []) {
      const { entity } = this.entities.get(entityKey) ?? {};
      if (entity) found.push(entity);
    }
    return found;
  }
}

function addTo(sums: Sums, name: IndexName, keys: readonly string[], by: number): void {
  let ofIndex = sums.get(name);
  if (!ofIndex) {
    ofIndex = new Map();
    sums.set(name, ofIndex);
  }
  for (const key of distinct(keys)) ofIndex.set(key, (ofIndex.get(key) ?? 0) + by);
}
