/** A browser that somebody signed on with, as stored. Collection `sessions`, key: `secret`. */
export interface Session {
  /** The hash of what the cookie holds (model/token-secret.ts): it opens nothing. */
  readonly secret: string;
  readonly userId: number;
  readonly createdAt: string;
  readonly expiresAt: string;
}
