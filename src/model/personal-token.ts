import { collection } from './collection.ts';
/** A token with which somebody's tools act for them; service accounts have no others. Collection `personalTokens`, key: `secret`. */
export interface PersonalToken {
  /** The hash of the token's text (model/token-secret.ts): it opens nothing. */
  readonly secret: string;
  /** From 1, never given twice. */
  readonly id: number;
  readonly userId: number;
  /** Unique among those of its owner. */
  readonly description: string;
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly seenAt: string | null;
}

export const personalTokens = collection({
  schema: 1,
  key: (token: PersonalToken) => token.secret,
  indexes: {
    personalTokensByUser: ({ userId }) => [String(userId)],
    personalTokensById: ({ id }) => [String(id)],
  },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly personalTokens: typeof personalTokens;
  }
}
