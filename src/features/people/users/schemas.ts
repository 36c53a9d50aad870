import Type from 'typebox';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import { Role } from '../../../model/role.ts';
import { User } from '../../../model/user.ts';
import { answeredFields } from '../../shared/entity-fields.ts';
import { PEOPLE_LIMITS } from '../limits.ts';
import { Password } from '../passwords/password.ts';
import { NewUserFields, RootRoleId, UserChanges } from './commands.ts';

/** Contract: role objects of users and profiles. */
export const RoleSchema = Type.Object(
  {
    ...answeredFields(Role, 'id', 'type', 'name', 'description'),
    project: Nullable(
      Type.String({ description: 'The project for which the roles of the caller were asked; otherwise null' }),
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
    ...answeredFields(User, 'id'),
    isAPI: Type.Boolean({ description: 'Whether the entry is an admin token and not a user' }),
    ...NameFields,
    imageUrl: Type.String(),
    ...answeredFields(User, 'rootRole', 'accountType', 'loginAttempts'),
    emailSent: Type.Boolean({ description: 'Always false: Burgee sends no mail' }),
    ...answeredFields(User, 'createdAt', 'seenAt'),
    scimId: Type.Optional(
      Type.String({ description: 'Only of a user that an identity provider manages by SCIM: the id that it uses' }),
    ),
    deactivatedAt: Type.Optional({
      ...DateTime,
      description: 'Only of a user that an identity provider has switched off by SCIM: since when',
    }),
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
export const UserBaseSchema = Type.Pick(UserSchema, ['id', 'name', 'email', 'username', 'imageUrl', 'accountType'], {
  $id: 'userBase',
});

const RootRole = Type.Union([RootRoleId, Type.String({ minLength: 1, maxLength: 100 })], {
  description: "A root role's id, or its name",
});

export const CreateUserBody = Type.Object(
  {
    ...NewUserFields,
    rootRole: RootRole,
    password: Type.Optional(Password),
    sendEmail: Type.Optional(Type.Boolean({ description: 'Accepted and ignored: Burgee sends no mail' })),
  },
  { $id: 'createUser', description: 'At least one of email and username is needed' },
);

export const UpdateUserBody = Type.Object(
  { ...UserChanges, rootRole: Type.Optional(RootRole) },
  { $id: 'updateUser', description: 'Fields that are left out do not change' },
);

export const UserIdsBody = Type.Object(
  { ids: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: PEOPLE_LIMITS.usersInRequest.max }) },
  { $id: 'ids' },
);
