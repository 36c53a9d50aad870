import { collection } from './collection.ts';
/** A token with which tools act for a user; service accounts have only such tokens. Collection `personalTokens`, key: `secret`. */
export interface PersonalToken {
  /** The hash of the token's text (model/token-secret.ts): it gives no access. */
  readonly secret: string;
  /** Ids begin with 1 and are never used again. */
  readonly id: number;
  readonly userId: number;
  /** Unique among the owner's tokens. */
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
