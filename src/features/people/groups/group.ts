import Type from 'typebox';
import { collection, NO_KEYS } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { DateTime, NAME_LENGTH_MAX, Nullable, Text } from '../../../model/primitives.ts';
import { comparable, OF_SCIM } from '../../../model/user.ts';
import { PEOPLE_LIMITS } from '../limits.ts';

/** Users who get roles together. Collection `groups`, key: the id as text. Members: collection `groupMembers`. */
export const Group = Type.Object({
  /** A number from 1. No later group gets the same number. */
  id: Type.Integer(),
  name: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern: '\\S' }),
  description: Nullable(Text),
  /** Names of groups at an identity provider whose members are members of this group. */
  mappingsSSO: Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: PEOPLE_LIMITS.groupMappings.max }),
  /** A role for the whole instance that all members have in addition to their own. */
  rootRole: Nullable(Type.Integer({ minimum: 1 })),
  createdAt: DateTime,
  createdBy: Nullable(Type.String()),
  /** Only of a group that an identity provider created by SCIM: it manages this group, and no other. */
  scim: Type.Optional(
    Type.Object({ externalId: Type.Optional(Type.String({ maxLength: PEOPLE_LIMITS.scimTextLength.max })) }),
  ),
});
export type Group = EntityOf<typeof Group>;

/**
 * A user's membership in a group. Collection `groupMembers`, key: `membershipKey`. Each membership is a separate entity, so that a sign-on that adds
 * a user to a group of 10,000 users does not rewrite the whole group.
 */
export interface GroupMember {
  readonly groupId: number;
  readonly userId: number;
  readonly joinedAt: string;
  /** Who added the user. */
  readonly createdBy: string | null;
  /** Whether the membership comes from an identity provider. A sign-on removes only memberships that a sign-on has added. */
  readonly bySignOn: boolean;
}

export function membershipKey(groupId: number, userId: number): string {
  return `${groupId}:${userId}`;
}

export const groups = collection({
  schema: 1,
  key: (group: Group) => String(group.id),
  past: 'access',
  indexes: {
    groupsByName: ({ name }) => [name],
    groupsByMapping: ({ mappingsSSO }) => mappingsSSO,
    groupsOfScim: ({ scim }) => (scim === undefined ? NO_KEYS : OF_SCIM),
    groupsByScimName: ({ scim, name }) => (scim === undefined ? NO_KEYS : [comparable(name)]),
    groupsByExternalId: ({ scim }) => (scim?.externalId === undefined ? NO_KEYS : [scim.externalId]),
    groupsByRootRole: ({ rootRole }) => (rootRole === null ? NO_KEYS : [String(rootRole)]),
  },
});

export const groupMembers = collection({
  schema: 1,
  key: (member: GroupMember) => membershipKey(member.groupId, member.userId),
  past: 'access',
  indexes: {
    membersByGroup: ({ groupId }) => [String(groupId)],
    membershipsByUser: ({ userId }) => [String(userId)],
  },
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly groups: typeof groups;
    readonly groupMembers: typeof groupMembers;
  }
}
