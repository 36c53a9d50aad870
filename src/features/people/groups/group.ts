import Type from 'typebox';
import { collection, NO_KEYS } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { DateTime, NAME_LENGTH_MAX, Nullable, Text } from '../../../model/primitives.ts';
import { PEOPLE_LIMITS } from '../limits.ts';

/** Users who are given roles together. Collection `groups`, key: the id as text. Who is in it: collection `groupMembers`. */
export const Group = Type.Object({
  /** From 1, never given twice. */
  id: Type.Integer(),
  name: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern: '\\S' }),
  description: Nullable(Text),
  /** Names of the groups at an identity provider whose members are in this one. */
  mappingsSSO: Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: PEOPLE_LIMITS.groupMappings.max }),
  /** A role of the whole instance that all members have beside their own. */
  rootRole: Nullable(Type.Integer({ minimum: 1 })),
  createdAt: DateTime,
  createdBy: Nullable(Type.String()),
});
export type Group = EntityOf<typeof Group>;

/**
 * That a user is in a group, as stored. Collection `groupMembers`, key: `membershipKey`. An entity each, so that who signs on and is put into
 * a group of 10,000 does not rewrite it.
 */
export interface GroupMember {
  readonly groupId: number;
  readonly userId: number;
  readonly joinedAt: string;
  /** Who put them there. */
  readonly createdBy: string | null;
  /** Whether an identity provider says so: what a sign-on takes away again is only what one has given. */
  readonly bySignOn: boolean;
}

export function membershipKey(groupId: number, userId: number): string {
  return `${groupId}:${userId}`;
}

export const groups = collection({
  schema: 1,
  key: (group: Group) => String(group.id),
  indexes: {
    groupsByName: ({ name }) => [name],
    groupsByMapping: ({ mappingsSSO }) => mappingsSSO,
    groupsByRootRole: ({ rootRole }) => (rootRole === null ? NO_KEYS : [String(rootRole)]),
  },
});

export const groupMembers = collection({
  schema: 1,
  key: (member: GroupMember) => membershipKey(member.groupId, member.userId),
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
