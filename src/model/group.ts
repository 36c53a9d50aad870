import { collection, NO_KEYS } from './collection.ts';
/** Users who are given roles together, as stored. Collection `groups`, key: the id as text. Who is in it: collection `groupMembers`. */
export interface Group {
  /** From 1, never given twice. */
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  /** Names of the groups at an identity provider whose members are in this one. */
  readonly mappingsSSO: readonly string[];
  /** A role of the whole instance that all members have beside their own. */
  readonly rootRole: number | null;
  readonly createdAt: string;
  readonly createdBy: string | null;
}

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

declare module './collection.ts' {
  interface CollectionTable {
    readonly groups: typeof groups;
    readonly groupMembers: typeof groupMembers;
  }
}
