import Type from 'typebox';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import { answeredFields } from '../../shared/entity-fields.ts';
import { PEOPLE_LIMITS } from '../limits.ts';
import { UserBaseSchema } from '../users/schemas.ts';
import { GroupFields } from './commands.ts';
import { Group } from './group.ts';

const GroupUserSchema = Type.Object(
  { joinedAt: DateTime, createdBy: Nullable(Type.String()), user: UserBaseSchema },
  { $id: 'groupUserModel' },
);

/** Contract: groups as Unleash's tools read them. */
export const groupProperties = {
  ...answeredFields(Group, 'id', 'name', 'mappingsSSO', 'rootRole', 'createdBy', 'createdAt'),
  description: Type.Optional(
    Type.String({ description: 'Absent if there is none: the Terraform provider fails on null' }),
  ),
  users: Type.Array(GroupUserSchema),
  projects: Type.Array(Type.String(), { description: 'Projects in which the group has roles' }),
  scimId: Type.Optional(
    Type.String({ description: 'Only of a group that an identity provider manages by SCIM: the id that it uses' }),
  ),
};

export const GroupSchema = Type.Object(groupProperties, { $id: 'group' });

export const GroupListSchema = Type.Object({ groups: Type.Array(GroupSchema) }, { $id: 'groups' });

export const GroupBody = Type.Object(
  {
    ...GroupFields,
    users: Type.Optional(
      Type.Array(Type.Object({ user: Type.Object({ id: Type.Integer({ minimum: 1 }) }) }), {
        maxItems: PEOPLE_LIMITS.holdersInRequest.max,
      }),
    ),
  },
  { $id: 'createGroup' },
);
