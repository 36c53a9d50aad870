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
import { Index, Sums } from './secondary-index.ts';
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

  /** Number of entities that it keeps. */
  get kept(): number {
    let kept = 0;
    for (const { entities } of this.#replaced.values()) kept += entities.size;
    return kept;
  }

  /** Forgets what it keeps: from now on it is lost, and reads the live state. */
  release(): void {
    this.#isLost = true;
    this.#replaced.clear();
    // A right that was withdrawn meanwhile must not show what is read from now on.
    this.#permissionCache = undefined;
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

  /** Keeps only the keys at its first step, because a project may have all flags. When this is lost, it leaves out what has another key now. */
  *#found(index: IndexName, key: string): Generator<Entity, void, void> {
    const { collection, keysOf } = indexEntry(index);
    const keys = this.#live.keysUnder(index, key);
    const replaced = this.#replaced.get(collection);
    const count = replaced?.entities.size ?? 0;
    const earlier = replaced?.found(index, key) ?? [];
    for (const entityKey of keys) {
      if (replaced?.isAmongFirst(count, entityKey)) continue;
      const entity = this.get(collection, entityKey);
      if (entity !== undefined && (!this.isLost || keysOf(entity).includes(key))) yield entity;
    }
    yield* earlier;
  }

  size(collection: CollectionName): number {
    return this.#live.size(collection) + (this.#replaced.get(collection)?.size ?? 0);
  }

  count(index: IndexName, key: string): number {
    const replaced = this.#replaced.get(indexEntry(index).collection);
    return this.#live.count(index, key) + (replaced?.index(index).counts.of(key) ?? 0);
  }

  sum(index: IndexName, key: string): number {
    const replaced = this.#replaced.get(indexEntry(index).collection);
    return this.#live.sum(index, key) + (replaced?.index(index).sums?.of(key) ?? 0);
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

/**
 * The entities of one collection that commits have replaced since the state was fixed. A `Layer` cannot hold them: it keeps whole numbers, and these must be
 * differences from the live state, which changes beneath.
 */
class ReplacedEntities {
  readonly #collection: CollectionName;
  readonly #indexes = new Map<IndexName, ReplacedIndex>();
  /** The entities when the state was fixed, in the order in which they were replaced. Undefined: there was none. Never changed or removed. */
  readonly entities = new Map<string, { readonly entity: Entity | undefined; readonly order: number }>();
  /** How many entities these have more than the live state. */
  size = 0;

  constructor(collection: CollectionName) {
    this.#collection = collection;
    for (const { name, keysOf, weigh } of indexesOf(collection)) {
      const [counts, sums] = [new Sums(keysOf, () => 1), weigh && new Sums(keysOf, weigh)];
      this.#indexes.set(name, { entityKeys: new Index(keysOf), counts, sums });
    }
  }

  index(name: IndexName): ReplacedIndex {
    return this.#indexes.get(name) as ReplacedIndex;
  }

  add(key: string, before: Entity | undefined, after: Entity | undefined): void {
    this.size += (before ? 1 : 0) - (after ? 1 : 0);
    const isFirst = !this.entities.has(key);
    if (isFirst) this.entities.set(key, { entity: before, order: this.entities.size });
    for (const { entityKeys, counts, sums } of this.#indexes.values()) {
      counts.replace(after, before);
      sums?.replace(after, before);
      if (isFirst) entityKeys.replace(key, undefined, before);
    }
  }

  /** Those of the live entities that were not among the first `count` replaced ones. */
  *unreplaced<E extends Entity>(live: readonly E[], count: number): Generator<E, void, void> {
    for (const entity of live) if (!this.isAmongFirst(count, keyFor(this.#collection, entity, undefined))) yield entity;
  }

  /** Whether the entity was among the first `count` replaced ones. */
  isAmongFirst(count: number, key: string): boolean {
    const replaced = this.entities.get(key);
    return replaced !== undefined && replaced.order < count;
  }

  /** The replaced entities under `key` in `index`. */
  found(index: IndexName, key: string): Entity[] {
    const found: Entity[] = [];
    for (const entityKey of this.index(index).entityKeys.entityKeys(key) ?? []) {
      const { entity } = this.entities.get(entityKey) ?? {};
      if (entity) found.push(entity);
    }
    return found;
  }
}

interface ReplacedIndex {
  readonly entityKeys: Index;
  /** What the replaced entities have more than the live state under each key: their number, and their weight. */
  readonly counts: Sums;
  readonly sums: Sums | null;
}
