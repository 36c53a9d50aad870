import Type from 'typebox';
import { collection } from './collection.ts';
import type { EntityOf } from './entity.ts';
import { DateTime, HashedSecret, Nullable } from './primitives.ts';

/** The key of the only entity of `scimSettings`. */
export const SCIM_SETTINGS = 'scim';

/** Whether an identity provider may manage users and groups, and which root role its new users get. Collection `scimSettings`. */
export const ScimSettings = Type.Object({
  id: Type.Literal(SCIM_SETTINGS),
  enabled: Type.Boolean(),
  /** Null: Viewer. */
  defaultRootRole: Nullable(Type.Integer({ minimum: 1 })),
});
export type ScimSettings = EntityOf<typeof ScimSettings>;

/** The token of the identity provider. Collection `scimTokens`, key: `secret`. There is at most one: a new token replaces it. */
const ScimToken = Type.Object({
  secret: HashedSecret,
  createdAt: DateTime,
  createdBy: Type.String(),
});
type ScimToken = EntityOf<typeof ScimToken>;

/** An email of a user, as the identity provider states it. */
export interface ScimEmail {
  readonly value: string;
  readonly type?: string;
  readonly primary?: boolean;
}

/** What the identity provider states about a user beyond the fields of Burgee's own. A field that is missing was not stated. */
export interface ScimUserFields {
  /** Burgee's `name` as it was derived from these fields. If the user has another name now, an admin or the user has changed it. */
  readonly derivedName: string | null;
  readonly externalId?: string;
  readonly displayName?: string;
  readonly formatted?: string;
  readonly givenName?: string;
  readonly familyName?: string;
  readonly emails?: readonly ScimEmail[];
}

export const scimSettings = collection({ schema: 1, key: (settings: ScimSettings) => settings.id });

export const scimTokens = collection({ schema: 1, key: (token: ScimToken) => token.secret });

declare module './collection.ts' {
  interface CollectionTable {
    readonly scimSettings: typeof scimSettings;
    readonly scimTokens: typeof scimTokens;
  }
}
