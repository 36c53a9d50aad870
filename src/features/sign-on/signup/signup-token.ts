import Type from 'typebox';
import { collection } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { DateTime } from '../../../model/primitives.ts';

/**
 * A stored link with which people create their own account. Collection `signupTokens`, key: `secret`. Many people may have the link, and admins can
 * read it at any time. So its text is stored. Of the secrets of existing accounts, only a hash is stored.
 */
export const SignupToken = Type.Object({
  secret: Type.String({ pattern: '^[0-9a-f]{32,128}$' }),
  name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }),
  enabled: Type.Boolean(),
  createdAt: DateTime,
  expiresAt: DateTime,
  createdBy: Type.String(),
  /** Ids of the users who signed up with it. Some may be deleted. */
  users: Type.Array(Type.Integer()),
});
export type SignupToken = EntityOf<typeof SignupToken>;

export const signupTokens = collection({ schema: 1, key: (token: SignupToken) => token.secret });

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly signupTokens: typeof signupTokens;
  }
}
