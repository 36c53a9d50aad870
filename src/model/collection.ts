/** The keys of an entity in one index. An entity without keys must return `NO_KEYS`, to allocate nothing: a recovery calls this for 100,000 entities. */
export type KeysOf<E> = (entity: E) => readonly string[];

export const NO_KEYS: readonly string[] = [];

/**
 * The version of an entity's shape. It is stored with every entity; an entity with a higher version than this is refused. Raise the version when an
 * older Burgee could misread the entities of this Burgee; then `upgrade` must convert entities of lower versions to this one.
 */
type Schema<E> =
  | { readonly schema: 1; readonly upgrade?: undefined }
  | { readonly schema: number; readonly upgrade: (entity: unknown, from: number) => E };

/** How one kind of entity is stored: everything that applying, logging, snapshots, replication and drafts need. */
export interface Collection<E extends object, Index extends string, Key extends 'own' | 'given'> {
  /** Null when the entity does not contain its key: the caller passes the key with it. */
  readonly keyOf: Key extends 'own' ? (entity: E) => string : null;
  readonly schema: number;
  /** Converts an entity of a lower schema version to this one. */
  readonly upgrade: ((entity: unknown, from: number) => E) | undefined;
  /** Secondary indexes, by a name that no other collection uses. */
  readonly indexes: Readonly<Record<Index, KeysOf<E>>>;
  /** Weight of an entity, an integer; null if no code sums the weights of the entities under a key (`StateReader.sum`). */
  readonly weigh: ((entity: E) => number) | null;
}

/** A collection whose entities contain their key. */
export function collection<E extends object, Index extends string = never>(
  stated: Schema<E> & {
    readonly key: (entity: E) => string;
    readonly indexes?: Readonly<Record<Index, KeysOf<E>>>;
    readonly weigh?: (entity: E) => number;
  },
): Collection<E, Index, 'own'> {
  const indexes = stated.indexes ?? ({} as Record<Index, KeysOf<E>>);
  const { key: keyOf, schema, upgrade, weigh = null } = stated;
  return { keyOf, schema, upgrade, indexes, weigh };
}

/** A collection whose entities do not contain their key: the caller passes the key. */
export function keyedCollection<E extends object>(stated: Schema<E>): Collection<E, never, 'given'> {
  return { keyOf: null, schema: stated.schema, upgrade: stated.upgrade, indexes: {}, weigh: null };
}

/**
 * Every collection, by its name. The file that defines an entity adds its collection here by declaration merging; the types of all reads and writes
 * derive from this table. `features/modules.ts` lists the collections of each feature; a collection that is not listed does not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: its members are merged in.
export interface CollectionTable {}
