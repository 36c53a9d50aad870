import { collection } from './collection.ts';
import type { SessionOrigin } from './sign-on.ts';

/** A browser that somebody signed on with, as stored. Collection `sessions`, key: `secret`. */
export interface Session {
  /** The hash of what the cookie holds (model/token-secret.ts): it names the session and opens nothing. */
  readonly secret: string;
  readonly userId: number;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** What the browser said it is, so that people tell their sessions apart. */
  readonly userAgent: string;
  /** Of one that began at an identity provider. */
  readonly origin?: SessionOrigin;
}

/** Characters that are kept of it. */
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
