import Type from 'typebox';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import { ROLE_TYPES } from '../../../model/role.ts';
import { ACCOUNT_TYPES } from '../../../model/user.ts';
import { Password } from '../../sign-on/passwords/schemas.ts';
import { PEOPLE_LIMITS } from '../limits.ts';
import { Email, PersonName, RootRoleId, Username } from './commands.ts';

/** Contract: role objects of users and profiles. */
export const RoleSchema = Type.Object(
  {
    id: Type.Integer(),
    type: Type.Enum([...ROLE_TYPES]),
    name: Type.String(),
    description: Type.String(),
    project: Nullable(
      Type.String({ description: 'Always null: a role is assigned in projects, but belongs to no project' }),
    ),
  },
  { $id: 'role' },
);

const nameField = Type.Optional(Type.String({ description: 'Left out if the user has none' }));

/** The names of a user. */
export const NameFields = { name: nameField, email: nameField, username: nameField };

/** Contract: User (usersSchema item). */
export const UserSchema = Type.Object(
  {
    id: Type.Integer(),
    isAPI: Type.Boolean({ description: 'Whether the entry is an admin token and not a user' }),
    ...NameFields,
    imageUrl: Type.String(),
    rootRole: Type.Integer(),
    accountType: Type.Enum([...ACCOUNT_TYPES]),
    loginAttempts: Type.Integer({ description: 'Number of wrong passwords since the last sign-on' }),
    emailSent: Type.Boolean({ description: 'Always false: Burgee sends no mail' }),
    createdAt: DateTime,
    seenAt: Nullable(DateTime),
    inviteLink: Type.Optional(
      Type.String({
        description: 'Link with which the user sets a password; returned only once, when the user is created',
      }),
    ),
  },
  { $id: 'user' },
);

export const UserListSchema = Type.Object(
  { rootRoles: Type.Array(RoleSchema), users: Type.Array(UserSchema) },
  { $id: 'users' },
);

/** A user as people who assign roles see the user. */
export const UserBaseSchema = Type.Object(
  {
    id: Type.Integer(),
    ...NameFields,
    imageUrl: Type.String(),
    accountType: Type.Enum([...ACCOUNT_TYPES]),
  },
  { $id: 'userBase' },
);

const RootRole = Type.Union([RootRoleId, Type.String({ minLength: 1, maxLength: 100 })], {
  description: "A root role's id, or its name",
});

export const CreateUserBody = Type.Object(
  {
    name: Type.Optional(Nullable(PersonName)),
    email: Type.Optional(Nullable(Email)),
    username: Type.Optional(Nullable(Username)),
    rootRole: RootRole,
    password: Type.Optional(Password),
    sendEmail: Type.Optional(Type.Boolean({ description: 'Accepted and ignored: Burgee sends no mail' })),
  },
  { $id: 'createUser', description: 'At least one of email and username is needed' },
);

export const UpdateUserBody = Type.Object(
  { name: Type.Optional(Nullable(PersonName)), email: Type.Optional(Email), rootRole: Type.Optional(RootRole) },
  { $id: 'updateUser', description: 'Fields that are left out do not change' },
);

export const UserIdsBody = Type.Object(
  { ids: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: PEOPLE_LIMITS.usersInRequest.max }) },
  { $id: 'ids' },
);
