import { collection } from '../../../model/collection.ts';
/** What a user sets a password with who has none, or has forgotten it: a link, as stored. Collection `passwordLinks`, key: `secret`. */
export interface PasswordLink {
  /** The hash of what the link holds (model/token-secret.ts): it opens nothing. */
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
