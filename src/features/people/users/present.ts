import { createHash } from 'node:crypto';
import type { Role } from '../../../model/role.ts';
import { comparable, type User } from '../../../model/user.ts';

/** Returns a user as the admin API shows the user, without data that gives access to the account. */
export function presentUser(user: User) {
  const { id, rootRole, accountType, loginAttempts, createdAt, seenAt, scim, deactivatedAt } = user;
  const details = {
    isAPI: false,
    imageUrl: imageUrlOf(user),
    emailSent: false,
    ...(scim && { scimId: String(id) }),
    ...(deactivatedAt !== undefined && { deactivatedAt }),
  };
  return { ...presentName(user), rootRole, accountType, loginAttempts, createdAt, seenAt, ...details };
}

/** Returns a user as people who assign roles see the user. */
export function presentUserBase(user: User) {
  return { ...presentName(user), accountType: user.accountType, imageUrl: imageUrlOf(user) };
}

/** Returns the names of a user for answers. A missing name is left out, as in Unleash, because Unleash's tools fail if a name is null. */
export function presentName({ id, name, email, username }: User) {
  return { id, name: name ?? undefined, email: email ?? undefined, username: username ?? undefined };
}

export function presentRole({ id, type, name, description }: Role) {
  return { id, type, name, description, project: null };
}

/** Returns the address of a user's picture, as Unleash's pages use it. It contains a hash of the email, the username or the id. */
export function imageUrlOf({ id, email, username }: Pick<User, 'id' | 'email' | 'username'>): string {
  const hash = createHash('sha256')
    .update(comparable(email ?? username ?? String(id)))
    .digest('hex');
  return `https://gravatar.com/avatar/${hash}?s=42&d=retro&r=g`;
}
