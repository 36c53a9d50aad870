import { collection } from './collection.ts';
export const API_TOKEN_TYPES = ['client', 'admin', 'frontend'] as const;
export type ApiTokenType = (typeof API_TOKEN_TYPES)[number];

/** All environments, or all projects. */
export const ALL = '*';

/** An SDK or admin token, as stored. Collection `apiTokens`, key: `secret`. The admin API shows secrets; logs never do. */
export interface ApiToken {
  /** The full text of the token, or its hash if secrets are hashed (model/token-secret.ts). */
  readonly secret: string;
  readonly tokenName: string;
  readonly type: ApiTokenType;
  /** A client token that was created with the newer type name `backend` and is reported under that name. It gives the same access. */
  readonly isBackend?: true;
  readonly environment: string;
  /** Project ids, or `['*']`. */
  readonly projects: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly seenAt: string | null;
  readonly alias: string | null;
}

export const apiTokens = collection({
  schema: 1,
  key: (token: ApiToken) => token.secret,
  indexes: {
    tokensByName: ({ tokenName }) => [tokenName],
    tokensByEnvironment: ({ environment }) => [environment],
    tokensByProject: ({ projects }) => projects,
  },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly apiTokens: typeof apiTokens;
  }
}
