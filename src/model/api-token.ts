import Type from 'typebox';
import { collection } from './collection.ts';
import type { EntityOf } from './entity.ts';
import { DateTime, NAME_LENGTH_MAX, NameReference, Nullable } from './primitives.ts';

export const API_TOKEN_TYPES = ['client', 'admin', 'frontend'] as const;
export type ApiTokenType = (typeof API_TOKEN_TYPES)[number];

/** All environments, or all projects. */
export const ALL = '*';

/** An SDK or admin token, as stored. Collection `apiTokens`, key: `secret`. The admin API shows secrets; logs never do. */
export const ApiToken = Type.Object({
  /** The full text of the token, or its hash if secrets are hashed (model/token-secret.ts). */
  secret: Type.String(),
  tokenName: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern: '\\S' }),
  type: Type.Enum([...API_TOKEN_TYPES]),
  environment: Type.String({ ...NameReference, answer: '`*`: all' }),
  projects: Type.Array(NameReference, { answer: '`[*]`: all' }),
  createdAt: DateTime,
  expiresAt: Nullable(DateTime),
  seenAt: Nullable(DateTime),
  alias: Nullable(Type.String()),
});
export interface ApiToken extends EntityOf<typeof ApiToken> {
  /** A client token that was created with the newer type name `backend` and is reported under that name. It gives the same access. */
  readonly isBackend?: true;
  /** The last warning that the token expires soon. It does not count for another expiry time. */
  readonly expiryWarning?: { readonly expiresAt: string; readonly days: number };
}

/** The type of the token as the admin API returns it. */
export function shownType({ type, isBackend }: Pick<ApiToken, 'type' | 'isBackend'>) {
  return isBackend ? ('backend' as const) : type;
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
