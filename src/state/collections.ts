import { assert } from '../base/assert.ts';
import type { Collection, CollectionTable, KeysOf } from '../model/collection.ts';
import type { Standings } from './standings.ts';

/**
 * Everything Burgee knows, by collection. Entities are immutable: a change replaces the whole entity. A resource's storage is stated beside its
 * entity and nowhere else: types, names, keys, indexes, the log, snapshots and replication derive from it.
 *
 * Commands and views look entities up through indexes instead of walking collections, so that a write among 100,000 flags costs what it
 * touches.
 */
export type CollectionName = keyof CollectionTable;

/** Name → entity. */
export type Collections = {
  readonly [C in CollectionName]: CollectionTable[C] extends Collection<infer E, string, 'own' | 'given'> ? E : never;
};

export type Entity = Collections[CollectionName];

/** Collections whose entities are put with a key. They cannot be walked in a draft: it does not know which of them it has changed. */
export type GivenKeyName = {
  [C in CollectionName]: CollectionTable[C]['keyOf'] extends null ? C : never;
}[CollectionName];

export type OwnKeyName = Exclude<CollectionName, GivenKeyName>;

type IndexOf<C extends CollectionName> = keyof CollectionTable[C]['indexes'] & string;

export type IndexName = { [C in CollectionName]: IndexOf<C> }[CollectionName];

/** The collection that an index is of. */
export type IndexedName<I extends IndexName> = {
  [C in CollectionName]: I extends IndexOf<C> ? C : never;
}[CollectionName];

/** An index as those see it that work on any of them. */
interface IndexEntry {
  readonly name: IndexName;
  readonly collection: CollectionName;
  readonly keysOf: KeysOf<Entity>;
  /** Null where entities of the collection weigh nothing. */
  readonly weigh: ((entity: Entity) => number) | null;
}

interface Defined {
  readonly collections: CollectionTable;
  readonly names: readonly CollectionName[];
  readonly indexes: ReadonlyMap<string, IndexEntry>;
}

let defined: Defined | undefined;

/** Called once, by the list of features, before the first state is made. The order is the order of snapshots. */
export function defineCollections(collections: CollectionTable): void {
  assert(!defined, 'the collections are defined twice');
  const names = Object.keys(collections) as CollectionName[];
  defined = { collections, names, indexes: gatherIndexes(collections, names) };
}

function whatIsDefined(): Defined {
  assert(defined, 'no collections are defined: import features/modules.ts first');
  return defined;
}

/** How one kind of entities is stored. */
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

/** The key an entity is stored under. `given` is for those that do not know theirs. */
export function keyFor(name: CollectionName, entity: Entity, given: string | undefined): string {
  const { keyOf } = collectionOf(name) as Collection<Entity, string, 'own'> | Collection<Entity, string, 'given'>;
  const key = keyOf === null ? given : keyOf(entity);
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

/** Reading, the same over the live state and over a draft of it. */
export interface StateReader {
  /** What was worked out of who holds which roles. */
  readonly standings: Standings;
  get<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined;
  values<C extends OwnKeyName>(collection: C): Iterable<Collections[C]>;
  /** The entities that `index` holds under `key`; no particular order. */
  lookup<I extends IndexName>(index: I, key: string): Iterable<Collections[IndexedName<I>]>;
  /** How many entities the collection holds. */
  size(collection: CollectionName): number;
  /** How many entities `index` holds under `key`. */
  count(index: IndexName, key: string): number;
  /** What those entities weigh together; the collection says what one does. */
  sum(index: IndexName, key: string): number;
}
