/** The keys an entity is found under, in one index. Nothing is allocated for an entity that has none: a recovery asks a hundred thousand of them. */
export type KeysOf<E> = (entity: E) => readonly string[];

export const NO_KEYS: readonly string[] = [];

/**
 * The version of an entity's shape. It is stored with every entity, and one that is higher than what is stated here is refused. Raised when an
 * older Burgee could misread what this one writes, and then `upgrade` makes an entity of this schema of one of a lower one.
 */
type Schema<E> =
  | { readonly schema: 1; readonly upgrade?: undefined }
  | { readonly schema: number; readonly upgrade: (entity: unknown, from: number) => E };

/** How one kind of entities is stored. Everything that applying, logging, snapshots, replication and drafts need to know of it. */
export interface Collection<E extends object, Index extends string, Key extends 'own' | 'given'> {
  /** Null when an entity does not know its key: it is put with one. */
  readonly keyOf: Key extends 'own' ? (entity: E) => string : null;
  readonly schema: number;
  /** To this schema, from the lower ones. */
  readonly upgrade: ((entity: unknown, from: number) => E) | undefined;
  /** Secondary indexes, by a name that no other collection uses. */
  readonly indexes: Readonly<Record<Index, KeysOf<E>>>;
  /** What an entity weighs, as a whole number; null where nobody asks what those under a key come to (`StateReader.sum`). */
  readonly weigh: ((entity: E) => number) | null;
}

/** A collection whose entities tell their key. */
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

/** A collection whose entities have no name of their own: whoever puts one says under which key. */
export function keyedCollection<E extends object>(stated: Schema<E>): Collection<E, never, 'given'> {
  return { keyOf: null, schema: stated.schema, upgrade: stated.upgrade, indexes: {}, weigh: null };
}

/**
 * Every collection, by its name. The file that states an entity adds its line here by declaration merging, so that the type of every read and write
 * derives from it. `features/modules.ts` lists which feature has which collection; one that is not listed does not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: its members are merged in.
export interface CollectionTable {}
