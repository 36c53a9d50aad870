import Type from 'typebox';
import { collection, NO_KEYS } from './collection.ts';
import type { EntityOf } from './entity.ts';
import { type Author, DateTime, Nullable } from './primitives.ts';
import type { ScimUserFields } from './scim.ts';
import type { UserIdentity } from './sign-on.ts';
import { identityKey } from './sign-on.ts';

export const EMAIL_LENGTH_MAX = 254;
const PERSON_NAME_LENGTH_MAX = 255;

export const PersonName = Type.String({ maxLength: PERSON_NAME_LENGTH_MAX });
/** An address with text before and after one `@`. The text does not show whether the address accepts mail. */
export const Email = Type.String({ maxLength: EMAIL_LENGTH_MAX, pattern: '^[^\\s@]+@[^\\s@]+$' });
export const Username = Type.String({ minLength: 1, maxLength: PERSON_NAME_LENGTH_MAX, pattern: '^\\S(.*\\S)?$' });
export const PasswordHash = Type.String({ minLength: 1, maxLength: 1_000 });

/**
 * A user of the admin API, as stored. Collection `users`, key: the id as text. A person signs on with a password, or through an identity
 * provider; a service account has only tokens. Every user has an email, a username or both.
 */
export const User = Type.Object({
  /** Ids begin with 1 and are never used again. */
  id: Type.Integer({ minimum: 1 }),
  accountType: Type.Enum(['User', 'Service Account']),
  name: Nullable(PersonName),
  /** As entered. Two emails that differ only in letter case are the same. */
  email: Nullable(Email),
  username: Nullable(Username),
  /** The id of a root role: it applies to the whole instance. */
  rootRole: Type.Integer({ minimum: 1 }),
  /** Null: the account has no password. The hash is never part of an answer or an event. */
  passwordHash: Nullable(PasswordHash),
  createdAt: DateTime,
  /** The last sign-on, or the last use of a token. */
  seenAt: Nullable(DateTime),
  loginAttempts: Type.Integer({ answer: 'Wrong passwords since the last sign-on' }),
});
export interface User extends EntityOf<typeof User> {
  /** The user created the account and entered the email: it is not verified. */
  readonly isEmailUnproven?: true;
  /** Identities at identity providers: one for each issuer, the newest last. Missing: the user never signed on through one. */
  readonly identities?: readonly UserIdentity[];
  /** Missing: no identity provider has written the user by SCIM. */
  readonly scim?: ScimUserFields;
  /** Since when the identity provider has the user switched off: the user cannot sign on and has no sessions and tokens. Missing: not switched off. */
  readonly deactivatedAt?: string;
}

export type AccountType = User['accountType'];

/** The only key of indexes that list what SCIM manages. */
export const OF_SCIM: readonly string[] = [''];

/** The form in which emails and usernames are compared. */
export function comparable(text: string): string {
  return text.trim().toLowerCase();
}

/** The author of the user's changes. `createdBy` shows the author's name. */
export function authorOf({ id, name, email, username }: Pick<User, 'id' | 'name' | 'email' | 'username'>): Author {
  return { id, name: email ?? username ?? name ?? 'unknown' };
}

export const users = collection({
  schema: 1,
  key: (user: User) => String(user.id),
  indexes: {
    usersByEmail: ({ email }) => (email === null ? NO_KEYS : [comparable(email)]),
    usersByUsername: ({ username }) => (username === null ? NO_KEYS : [comparable(username)]),
    usersByRootRole: ({ rootRole }) => [String(rootRole)],
    usersByIdentity: ({ identities }) => identities?.map(identityKey) ?? NO_KEYS,
    usersByExternalId: ({ scim }) => (scim?.externalId === undefined ? NO_KEYS : [scim.externalId]),
    usersOfScim: ({ scim }) => (scim === undefined ? NO_KEYS : OF_SCIM),
  },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly users: typeof users;
  }
}
