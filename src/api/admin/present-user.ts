import Type from 'typebox';
import { DateTime, Nullable } from '../../model/primitives.ts';
import { ACCOUNT_TYPES, type User } from '../../model/user.ts';

/** Contract: User (an item of usersSchema). */
export const UserSchema = Type.Object(
  {
    id: Type.Integer(),
    isAPI: Type.Boolean({ description: 'Deprecated: always false' }),
    name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    username: Nullable(Type.String()),
    imageUrl: Type.String(),
    loginAttempts: Type.Integer({ description: 'Wrong passwords since the last sign-on' }),
    rootRole: Type.Integer(),
    seenAt: Nullable(DateTime),
    createdAt: DateTime,
    accountType: Type.Enum([...ACCOUNT_TYPES]),
  },
  { $id: 'user' },
);

/** A user as the admin API answers them: nothing that opens anything. */
export function presentUser(user: User) {
  const { id, name, email, username, loginAttempts, rootRole, seenAt, createdAt, accountType } = user;
  return {
    id,
    isAPI: false,
    name,
    email,
    username,
    imageUrl: '',
    loginAttempts,
    rootRole,
    seenAt,
    createdAt,
    accountType,
  };
}
