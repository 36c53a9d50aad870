import { collection } from '../../../model/collection.ts';
/**
 * A link with which people make their own account, as stored. Collection `signupTokens`, key: `secret`. It is made to be passed around, and shown
 * to admins for as long as it is there: so its text is kept, unlike that of anything which opens an account that exists.
 */
export interface SignupToken {
  readonly secret: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly createdBy: string;
  /** Ids of those who came in with it. Some may be gone. */
  readonly users: readonly number[];
}

export const signupTokens = collection({ schema: 1, key: (token: SignupToken) => token.secret });

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly signupTokens: typeof signupTokens;
  }
}
