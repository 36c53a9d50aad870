import { collection } from '../../../model/collection.ts';

/**
 * A stored link with which people create their own account. Collection `signupTokens`, key: `secret`. Many people may have the link, and admins can
 * read it at any time. So its text is stored. Of the secrets of existing accounts, only a hash is stored.
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
