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
  readonly [C in CollectionName]: CollectionTable[C] extends Collection<infer E, string, 'own' | 'separate'>
    ? E
    : never;
};

export type Entity = Collections[CollectionName];

/**
 * Collections whose entities do not contain their key: the caller passes the key with the entity. A draft cannot iterate over these collections:
 * without the key it cannot find out whether it has changed an entity of the reader beneath.
 */
export type SeparateKeyName = {
  [C in CollectionName]: CollectionTable[C]['keyOf'] extends null ? C : never;
}[CollectionName];

export type OwnKeyName = Exclude<CollectionName, SeparateKeyName>;

/** The collections whose past is recorded. */
export type RecordedName = {
  [C in CollectionName]: CollectionTable[C]['past'] extends null ? never : C;
}[CollectionName];

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
  /** Null if the collection defines no weight for this index. */
  readonly weigh: ((entity: Entity) => number) | null;
}

interface Registry {
  readonly collections: CollectionTable;
  readonly names: readonly CollectionName[];
  readonly indexes: ReadonlyMap<string, IndexEntry>;
}

let registry: Registry | undefined;

/** Called once, by the list of features, before the first state is created. Snapshots contain the collections in this order. */
export function defineCollections(collections: CollectionTable): void {
  assert(!registry, 'the collections are defined twice');
  const names = Object.keys(collections) as CollectionName[];
  registry = { collections, names, indexes: gatherIndexes(collections, names) };
}

function theRegistry(): Registry {
  assert(registry, 'no collections are defined: import features/modules.ts first');
  return registry;
}

/** How one kind of entity is stored. */
export function collectionOf<C extends CollectionName>(name: C): CollectionTable[C] {
  return theRegistry().collections[name];
}

export function collectionNames(): readonly CollectionName[] {
  return theRegistry().names;
}

export function isCollectionName(text: string): text is CollectionName {
  return Object.hasOwn(theRegistry().collections, text);
}

export function indexEntry(name: IndexName): IndexEntry {
  const entry = theRegistry().indexes.get(name);
  assert(entry, `no index ${name}`);
  return entry;
}

export function indexesOf(name: CollectionName): readonly IndexEntry[] {
  return [...theRegistry().indexes.values()].filter((entry) => entry.collection === name);
}

/** Returns the key of an entity. `separateKey` is the key of an entity that does not contain its key. */
export function keyFor(name: CollectionName, entity: Entity, separateKey: string | undefined): string {
  const { keyOf } = collectionOf(name) as Collection<Entity, string, 'own'> | Collection<Entity, string, 'separate'>;
  const key = keyOf === null ? separateKey : keyOf(entity);
  assert(key !== undefined, `an entity of ${name} was put without a key`);
  return key;
}

function gatherIndexes(collections: CollectionTable, names: readonly CollectionName[]): Registry['indexes'] {
  const indexes = new Map<string, IndexEntry>();
  for (const collectionName of names) {
    const functions: Readonly<Record<string, unknown>> = collections[collectionName].indexes;
    const weigh = collections[collectionName].weigh as IndexEntry['weigh'];
    const countIn = collections[collectionName].countIn as Readonly<Record<string, IndexEntry['weigh']>>;
    for (const [name, keysOf] of Object.entries(functions)) {
      assert(!indexes.has(name), `two indexes are named ${name}`);
      const ofIndex = { keysOf: keysOf as KeysOf<Entity>, weigh: countIn[name] ?? weigh };
      indexes.set(name, { name: name as IndexName, collection: collectionName, ...ofIndex });
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
  /** Total weight of the entities under `key` in `index`. `Collection.weigh` or `countIn` defines the weight of an entity. */
  sum(index: IndexName, key: string): number;
}
