import { collection } from './collection.ts';
import type { SessionOrigin } from './sign-on.ts';

/** A sign-on of a user in a browser, as stored. Collection `sessions`, key: `secret`. */
export interface Session {
  /** The hash of the cookie's value (model/token-secret.ts): it identifies the session and gives no access. */
  readonly secret: string;
  readonly userId: number;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The browser's `User-Agent`, so users can distinguish their sessions. */
  readonly userAgent: string;
  /** Only for a session that began at an identity provider. */
  readonly origin?: SessionOrigin;
}

/** Maximum length of the stored `User-Agent`, in characters. */
export const USER_AGENT_LENGTH_MAX = 200;

export const sessions = collection({
  schema: 1,
  key: (session: Session) => session.secret,
  indexes: { sessionsByUser: ({ userId }) => [String(userId)] },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly sessions: typeof sessions;
  }
}
