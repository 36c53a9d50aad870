import { collection } from '../../../model/collection.ts';

/** A value that a page keeps for a user. Collection `preferences`, key: `preferenceKey`. */
export interface Preference {
  readonly userId: number;
  /** Chosen by the page. */
  readonly key: string;
  /** Any JSON value. */
  readonly value: unknown;
  /** Size of the value as JSON. */
  readonly bytes: number;
  readonly updatedAt: string;
}

export function preferenceKey(userId: number, key: string): string {
  return `${userId}/${key}`;
}

const EMPTY_KEY: readonly string[] = [''];

export const preferences = collection({
  schema: 1,
  key: ({ userId, key }: Preference) => preferenceKey(userId, key),
  indexes: {
    preferencesByUser: ({ userId }) => [String(userId)],
    /** All preferences, under the empty key. */
    allPreferences: () => EMPTY_KEY,
  },
  weigh: ({ bytes }) => bytes,
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly preferences: typeof preferences;
  }
}
