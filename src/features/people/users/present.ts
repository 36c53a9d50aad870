import { createHash } from 'node:crypto';
import type { Role } from '../../../model/role.ts';
import { comparable, type User } from '../../../model/user.ts';

/** A user as the admin API shows them, without data that gives access to the account. */
export function presentUser(user: User) {
  const { rootRole, accountType, loginAttempts, createdAt, seenAt } = user;
  const details = { isAPI: false, imageUrl: imageUrlOf(user), emailSent: false };
  return { ...presentName(user), rootRole, accountType, loginAttempts, createdAt, seenAt, ...details };
}

/** A user as shown to the people who assign roles. */
export function presentUserBase(user: User) {
  return { ...presentName(user), accountType: user.accountType, imageUrl: imageUrlOf(user) };
}

/** The names of a user in every answer that names people. A missing name is left out, as in Unleash, because Unleash's tools fail if it is null. */
export function presentName({ id, name, email, username }: User) {
  return { id, name: name ?? undefined, email: email ?? undefined, username: username ?? undefined };
}

export function presentRole({ id, type, name, description }: Role) {
  return { id, type, name, description, project: null };
}

/** The address where Unleash's pages find a user's picture. It reveals only whether two emails are equal. */
export function imageUrlOf({ id, email, username }: Pick<User, 'id' | 'email' | 'username'>): string {
  const hash = createHash('sha256')
    .update(comparable(email ?? username ?? String(id)))
    .digest('hex');
  return `https://gravatar.com/avatar/${hash}?s=42&d=retro&r=g`;
}
