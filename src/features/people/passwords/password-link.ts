import { collection } from '../../../model/collection.ts';

/** A stored link with which a user sets a first password, or a new one. Collection `passwordLinks`, key: `secret`. */
export interface PasswordLink {
  /** The hash of the link's token (model/token-secret.ts). The hash cannot be used in place of the token. */
  readonly secret: string;
  readonly userId: number;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export const passwordLinks = collection({
  schema: 1,
  key: (link: PasswordLink) => link.secret,
  indexes: { passwordLinksByUser: ({ userId }) => [String(userId)] },
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly passwordLinks: typeof passwordLinks;
  }
}
