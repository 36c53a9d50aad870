/**
 * The keys of an entity in one index. For an entity without keys it returns `NO_KEYS` and allocates nothing: a recovery calls it for 100,000
 * entities.
 */
export type KeysOf<E> = (entity: E) => readonly string[];

export const NO_KEYS: readonly string[] = [];

/**
 * The version of an entity's shape. It is stored with every entity. An entity with a higher version than this one is refused. Raise the version when
 * an older Burgee could misread the entities of this Burgee; then `upgrade` must convert entities of lower versions to this one.
 */
type Schema<E> =
  | { readonly schema: 1; readonly upgrade?: undefined }
  | { readonly schema: number; readonly upgrade: (entity: unknown, from: number) => E };

/**
 * How the past of an entity is recorded. A change records only the parts that it replaces, as they were before it. The part with the name '' always
 * exists, and names the other parts in its own way.
 */
export interface PastParts<E> {
  /** The parts of an entity, by name. */
  split(entity: E): ReadonlyMap<string, object>;
  /** The entity with these parts; the inverse of `split`. */
  join(parts: ReadonlyMap<string, object>): E;
}

/** Records an entity as one part. */
const WHOLE: PastParts<object> = { split: (entity) => new Map([['', entity]]), join: (parts) => parts.get('') ?? {} };

/** How one kind of entity is stored: everything that applying, logging, snapshots, replication and drafts need. */
export interface Collection<
  E extends object,
  Index extends string,
  Key extends 'own' | 'separate',
  Past extends 'recorded' | 'unknown' = 'recorded' | 'unknown',
> {
  /** Null if the entity does not contain its key: then the caller passes the key with the entity. */
  readonly keyOf: Key extends 'own' ? (entity: E) => string : null;
  readonly schema: number;
  /** Converts an entity of a lower schema version to this one. */
  readonly upgrade: ((entity: unknown, from: number) => E) | undefined;
  /** Secondary indexes, by a name that no other collection uses. */
  readonly indexes: Readonly<Record<Index, KeysOf<E>>>;
  /** Returns the weight of an entity, an integer, for `StateReader.sum`: its bytes. Null if no code calls `sum` for bytes of this collection. */
  readonly weigh: ((entity: E) => number) | null;
  /** Other weights for `StateReader.sum`, by index: integers that are not bytes. */
  readonly countIn: { readonly [Name in Index]?: (entity: E) => number };
  /** Null if changes of these entities do not record what was before. */
  readonly past: { readonly recorded: PastParts<E>; readonly unknown: null }[Past];
  /** Whether answers about an earlier moment have these entities as they are now: they decide who may see what. */
  readonly isAlwaysNow: boolean;
}

/** A collection whose entities contain their key. */
export function collection<
  E extends object,
  Index extends string = never,
  Past extends PastParts<E> | 'whole' | 'access' | undefined = undefined,
>(
  definition: Schema<E> & {
    readonly key: (entity: E) => string;
    readonly indexes?: Readonly<Record<Index, KeysOf<E>>>;
    readonly weigh?: (entity: E) => number;
    readonly countIn?: { readonly [Name in NoInfer<Index>]?: (entity: E) => number };
    /**
     * `whole`: the entity is one part. `access`: also, and answers about an earlier moment have the entities as they are now, because they decide who
     * may see what; only histories and undos read their past. Without it, the past of the entities is not recorded. The module of the feature then
     * states how histories show the entities, and how changes are undone: `history`.
     */
    readonly past?: Past;
  },
): Collection<E, Index, 'own', Past extends undefined ? 'unknown' : 'recorded'> {
  const indexes = definition.indexes ?? ({} as Record<Index, KeysOf<E>>);
  const { key: keyOf, schema, upgrade, weigh = null, countIn = {}, past = null } = definition;
  const pastParts = typeof past === 'string' ? WHOLE : past;
  return { keyOf, schema, upgrade, indexes, weigh, countIn, past: pastParts as never, isAlwaysNow: past === 'access' };
}

/** A collection whose entities do not contain their key: the caller passes the key. */
export function keyedCollection<E extends object>(definition: Schema<E>): Collection<E, never, 'separate', 'unknown'> {
  const { schema, upgrade } = definition;
  return { keyOf: null, schema, upgrade, indexes: {}, weigh: null, countIn: {}, past: null, isAlwaysNow: false };
}

/**
 * Every collection, by its name. The file that defines an entity adds its collection here by declaration merging; the types of all reads and writes
 * derive from this table. `features/modules.ts` lists the collections of each feature; a collection that is not listed does not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: its members are merged in.
export interface CollectionTable {}
