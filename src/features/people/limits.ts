import { fixed, limit } from '../../model/limits.ts';

export const PEOPLE_LIMITS = {
  users: limit('users and service accounts', 10_000, 100_000, 'USERS_LIMIT', { counts: 'users' }),
  personalTokens: limit('tokens of a user or a service account', 10, 1_000, 'PERSONAL_TOKENS_LIMIT', {
    counts: 'personalTokens',
    ofUser: 'personalTokensByUser',
  }),
  roles: limit('roles created by users', 1_000, 5_000, 'ROLES_LIMIT', { counts: 'roles' }),
  groups: limit('groups', 1_000, 10_000, 'GROUPS_LIMIT', { counts: 'groups' }),
  groupMembers: limit('memberships of users in groups', 100_000, 1_000_000, 'GROUP_MEMBERS_LIMIT', {
    counts: 'groupMembers',
  }),
  rolePermissions: fixed('permissions of a role', 2_000),
  usersInRequest: fixed('users, or groups, in one request', 10_000),
  /** The highest number for which a request with as many users as groups stays within `JSON_VALUES_MAX`. */
  holdersInRequest: fixed('users, or groups, in one request that lists them as objects', 4_990),
  scimTextLength: fixed('characters of a text that an identity provider states about a user or a group', 500),
  groupMappings: fixed('groups of an identity provider that are mapped to one group of Burgee', 100),
};
