import { collection, NO_KEYS } from './collection.ts';
import type { Author } from './primitives.ts';
import type { UserIdentity } from './sign-on.ts';
import { identityKey } from './sign-on.ts';

export const ACCOUNT_TYPES = ['User', 'Service Account'] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

/**
 * A user of the admin API, as stored. Collection `users`, key: the id as text. A person signs on with a password, or through an identity
 * provider; a service account has only tokens. Every user has an email, a username or both.
 */
export interface User {
  /** Ids begin with 1 and are never used again. */
  readonly id: number;
  readonly accountType: AccountType;
  readonly name: string | null;
  /** As entered. Two emails that differ only in letter case are the same. */
  readonly email: string | null;
  readonly username: string | null;
  /** The id of a root role: it applies to the whole instance. */
  readonly rootRole: number;
  /** Null: the account has no password. The hash is never part of an answer or an event. */
  readonly passwordHash: string | null;
  readonly createdAt: string;
  /** The last sign-on, or the last use of a token. */
  readonly seenAt: string | null;
  /** Wrong passwords since the last sign-on. */
  readonly loginAttempts: number;
  /** The user created the account and entered the email: it is not verified. */
  readonly isEmailUnproven?: true;
  /** Identities at identity providers: one for each issuer, the newest last. Missing: the user never signed on through one. */
  readonly identities?: readonly UserIdentity[];
}

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
  },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly users: typeof users;
  }
}
