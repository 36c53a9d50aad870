import { collection } from '../../../model/collection.ts';
/**
 * A stored link with which people create their own account. Collection `signupTokens`, key: `secret`. The link is meant to be passed around, and
 * admins can see it until it is deleted. So its text is stored, unlike the secrets of existing accounts, of which only a hash is stored.
 */
export interface SignupToken {
  readonly secret: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly createdBy: string;
  /** Ids of the users who signed up with it. Some may be deleted. */
  readonly users: readonly number[];
}

export const signupTokens = collection({ schema: 1, key: (token: SignupToken) => token.secret });

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly signupTokens: typeof signupTokens;
  }
}
