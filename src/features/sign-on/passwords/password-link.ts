import { collection } from '../../../model/collection.ts';

/** A stored link with which a user without a password, or who forgot it, sets one. Collection `passwordLinks`, key: `secret`. */
export interface PasswordLink {
  /** The hash of the link's token (model/token-secret.ts). No one can use the link with it. */
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
