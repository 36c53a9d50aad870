import { collection, NO_KEYS } from './collection.ts';
import type { Author } from './primitives.ts';
import type { UserIdentity } from './sign-on.ts';
import { identityKey } from './sign-on.ts';

export const ACCOUNT_TYPES = ['User', 'Service Account'] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

/**
 * Somebody of the admin side, as stored. Collection `users`, key: the id as text. A person signs on with a password, or through an identity
 * provider; a service account has tokens only. Everybody has at least one of email and username.
 */
export interface User {
  /** From 1, never given twice. */
  readonly id: number;
  readonly accountType: AccountType;
  readonly name: string | null;
  /** As it was written. Two that differ in case only are the same. */
  readonly email: string | null;
  readonly username: string | null;
  /** The id of a role of the whole instance. */
  readonly rootRole: number;
  /** Null: no password opens the account. Never told to anybody, in no event either. */
  readonly passwordHash: string | null;
  readonly createdAt: string;
  /** The last sign-on, or the last use of a token. */
  readonly seenAt: string | null;
  /** Wrong passwords since the last sign-on. */
  readonly loginAttempts: number;
  /** They made the account themselves and wrote an email: nobody has seen that it is theirs. */
  readonly isEmailUnproven?: true;
  /** Who they are at identity providers: one for each issuer, the newest last. Absent: they never signed on through one. */
  readonly identities?: readonly UserIdentity[];
}

/** What emails and usernames are compared by. */
export function comparable(text: string): string {
  return text.trim().toLowerCase();
}

/** The name by which the user signs: what `createdBy` says. */
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
