import { assert } from '../base/assert.ts';
import type { Collection, CollectionTable, KeysOf } from '../model/collection.ts';
import type { PermissionCache } from './permission-cache.ts';

/**
 * All data of Burgee, by collection. Entities are immutable: a change replaces the whole entity. The storage of a resource is defined only in the
 * file of its entity: types, names, keys, indexes, the log, snapshots and replication derive from it.
 *
 * Commands and views find entities through indexes and do not iterate over collections. So the cost of a write depends on what it
 * changes, not on the total number of flags.
 */
export type CollectionName = keyof CollectionTable;

/** Name → entity. */
export type Collections = {
  readonly [C in CollectionName]: CollectionTable[C] extends Collection<infer E, string, 'own' | 'given'> ? E : never;
};

export type Entity = Collections[CollectionName];

/** Collections whose key is passed with the entity. A draft cannot iterate over them: it cannot match an entity to its own changes. */
export type NamedKeyCollection = {
  [C in CollectionName]: CollectionTable[C]['keyOf'] extends null ? C : never;
}[CollectionName];

export type OwnKeyName = Exclude<CollectionName, NamedKeyCollection>;

type IndexOf<C extends CollectionName> = keyof CollectionTable[C]['indexes'] & string;

export type IndexName = { [C in CollectionName]: IndexOf<C> }[CollectionName];

/** The collection of an index. */
export type IndexedName<I extends IndexName> = {
  [C in CollectionName]: I extends IndexOf<C> ? C : never;
}[CollectionName];

/** The generic type of an index, for code that works with every index. */
interface IndexEntry {
  readonly name: IndexName;
  readonly collection: CollectionName;
  readonly keysOf: KeysOf<Entity>;
  /** Null if the collection defines no weight. */
  readonly weigh: ((entity: Entity) => number) | null;
}

interface Defined {
  readonly collections: CollectionTable;
  readonly names: readonly CollectionName[];
  readonly indexes: ReadonlyMap<string, IndexEntry>;
}

let defined: Defined | undefined;

/** Called once, by the list of features, before the first state is created. The order is the order in snapshots. */
export function defineCollections(collections: CollectionTable): void {
  assert(!defined, 'the collections are defined twice');
  const names = Object.keys(collections) as CollectionName[];
  defined = { collections, names, indexes: gatherIndexes(collections, names) };
}

function whatIsDefined(): Defined {
  assert(defined, 'no collections are defined: import features/modules.ts first');
  return defined;
}

/** How one kind of entity is stored. */
export function collectionOf<C extends CollectionName>(name: C): CollectionTable[C] {
  return whatIsDefined().collections[name];
}

export function collectionNames(): readonly CollectionName[] {
  return whatIsDefined().names;
}

export function isCollectionName(text: string): text is CollectionName {
  return Object.hasOwn(whatIsDefined().collections, text);
}

export function indexEntry(name: IndexName): IndexEntry {
  const entry = whatIsDefined().indexes.get(name);
  assert(entry, `no index ${name}`);
  return entry;
}

export function indexesOf(name: CollectionName): readonly IndexEntry[] {
  return [...whatIsDefined().indexes.values()].filter((entry) => entry.collection === name);
}

/** The key of an entity. `supplied` is the key for entities that do not contain it. */
export function keyFor(name: CollectionName, entity: Entity, supplied: string | undefined): string {
  const { keyOf } = collectionOf(name) as Collection<Entity, string, 'own'> | Collection<Entity, string, 'given'>;
  const key = keyOf === null ? supplied : keyOf(entity);
  assert(key !== undefined, `an entity of ${name} was put without a key`);
  return key;
}

function gatherIndexes(collections: CollectionTable, names: readonly CollectionName[]): Defined['indexes'] {
  const indexes = new Map<string, IndexEntry>();
  for (const collectionName of names) {
    const stated: Readonly<Record<string, unknown>> = collections[collectionName].indexes;
    const weigh = collections[collectionName].weigh as IndexEntry['weigh'];
    for (const [name, keysOf] of Object.entries(stated)) {
      assert(!indexes.has(name), `two indexes are named ${name}`);
      const entry = { name: name as IndexName, collection: collectionName, keysOf: keysOf as KeysOf<Entity>, weigh };
      indexes.set(name, entry);
    }
  }
  return indexes;
}

/** Read access, the same for the live state and for a draft of it. */
export interface StateReader {
  /** Cached effective permissions. */
  readonly permissionCache: PermissionCache;
  get<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined;
  values<C extends OwnKeyName>(collection: C): Iterable<Collections[C]>;
  /** The entities under `key` in `index`, in no specific order. */
  lookup<I extends IndexName>(index: I, key: string): Iterable<Collections[IndexedName<I>]>;
  /** Number of entities in the collection. */
  size(collection: CollectionName): number;
  /** Number of entities under `key` in `index`. */
  count(index: IndexName, key: string): number;
  /** Total weight of these entities; the collection defines the weight of one. */
  sum(index: IndexName, key: string): number;
}
