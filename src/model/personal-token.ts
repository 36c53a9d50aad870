import Type from 'typebox';
import { collection } from './collection.ts';
import type { EntityOf } from './entity.ts';
import { DateTime, HashedSecret, Nullable } from './primitives.ts';
import { User } from './user.ts';

/** A token with which tools act for a user; service accounts have only such tokens. Collection `personalTokens`, key: `secret`. */
export const PersonalToken = Type.Object({
  /** The hash of the token's text, which is returned only once. The hash gives no access. */
  secret: HashedSecret,
  /** Ids begin with 1 and are never used again. */
  id: Type.Integer({ minimum: 1 }),
  userId: User.properties.id,
  /** Unique among the owner's tokens. */
  description: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }),
  expiresAt: DateTime,
  createdAt: DateTime,
  seenAt: Nullable(DateTime),
});
export type PersonalToken = EntityOf<typeof PersonalToken>;

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
