import { collection } from '../../../model/collection.ts';

export type FavoriteKind = 'feature' | 'project';

/** A flag or a project that a user marked as a favourite. Collection `favorites`, key: `favoriteKey`. */
export interface Favorite {
  readonly userId: number;
  readonly kind: FavoriteKind;
  /** The flag's name, or the project's id. */
  readonly name: string;
  readonly createdAt: string;
}

export function favoriteKey(userId: number, kind: FavoriteKind, name: string): string {
  return `${userId}/${kind}/${name}`;
}

/** Returns the key of a flag or a project in the index `favoritesOf`. */
export function favoritesOfKey(kind: FavoriteKind, name: string): string {
  return `${kind}/${name}`;
}

export const favorites = collection({
  schema: 1,
  key: ({ userId, kind, name }: Favorite) => favoriteKey(userId, kind, name),
  indexes: {
    favoritesByUser: ({ userId }) => [String(userId)],
    /** The key is a flag or a project: the marks of all users on it. */
    favoritesOf: ({ kind, name }) => [favoritesOfKey(kind, name)],
  },
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly favorites: typeof favorites;
  }
}
