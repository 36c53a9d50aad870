import { personalTokens } from '../../model/personal-token.ts';
import { roles } from '../../model/role.ts';
import { users } from '../../model/user.ts';
import { feature } from '../feature-module.ts';
import { PEOPLE, TOKENS } from '../shared/never-undone.ts';
import { byName } from '../shared/recorded.ts';
import { isSameBut } from '../shared/shown-entity.ts';
import { edited } from './edited.ts';
import { groupMembers, groups } from './groups/group.ts';
import { PEOPLE_LIMITS } from './limits.ts';
import { passwordLinks } from './passwords/password-link.ts';

export const peopleFeature = feature({
  name: 'people',
  exports: [
    'groups/commands.ts',
    'groups/group.ts',
    'groups/present.ts',
    'groups/schemas.ts',
    'limits.ts',
    'own-user.ts',
    'passwords/link-commands.ts',
    'passwords/links.ts',
    'passwords/password-link.ts',
    'passwords/password.ts',
    'personal-tokens/commands.ts',
    'roles/commands.ts',
    'users/commands.ts',
    'users/end-sessions.ts',
    'users/identities.ts',
    'users/present.ts',
    'users/schemas.ts',
  ],
  collections: { users, roles, groups, groupMembers, personalTokens, passwordLinks },
  shown: {
    groups: { type: 'group', named: ({ id }) => ({ id }) },
    groupMembers: { type: 'group', named: ({ groupId }) => ({ id: groupId }) },
    users: {
      type: 'user',
      named: ({ id }) => ({ id }),
      isForAdmins: true,
      isHidden: (before, after) =>
        isSameBut({ seenAt: null, loginAttempts: 0, passwordHash: null, identities: [] }, before, after),
    },
    roles: { type: 'role', named: ({ id }) => ({ id }), isForAdmins: true },
    passwordLinks: null,
    personalTokens: null,
  },
  history: {
    roles: { type: 'role', nameOf: byName, undo: async () => (await import('./roles/commands.ts')).undoRole },
    groups: { type: 'group', nameOf: byName, undo: async () => (await import('./groups/commands.ts')).undoGroup },
    groupMembers: {
      type: 'group-member',
      nameOf(_member, key, people) {
        const [group = '', user = ''] = key.split(':');
        return `${people.user(user) ?? `#${user}`} in ${people.group(group) ?? `#${group}`}`;
      },
      undo: async () => (await import('./groups/commands.ts')).undoGroupMember,
    },
  },
  edited,
  events: {
    'role-created': ['Role created', 'created the role {what}'],
    'role-updated': ['Role changed', 'changed the role {what}'],
    'role-deleted': ['Role deleted', 'deleted the role {what}'],
    'user-created': ['User created', 'created the user {what}', PEOPLE],
    'user-updated': ['User changed', 'changed the user {what}', PEOPLE],
    'user-deleted': ['User deleted', 'deleted the user {what}', PEOPLE],
    'group-created': ['Group created', 'created the group {what}'],
    'group-updated': ['Group changed', 'changed the group {what}'],
    'group-deleted': ['Group deleted', 'deleted the group {what}'],
    'group-user-added': ['User added to group', 'put a user into the group {what}'],
    'group-user-removed': ['User taken out of group', 'took a user out of the group {what}'],
    'pat-created': ['Personal token created', 'created the token {what}', TOKENS],
    'pat-deleted': ['Personal token deleted', 'deleted the token {what}', TOKENS],
    'service-account-created': ['Service account created', 'created the service account {what}', PEOPLE],
    'service-account-deleted': ['Service account deleted', 'deleted the service account {what}', PEOPLE],
    'service-account-updated': ['Service account changed', 'changed the service account {what}', PEOPLE],
  },
  limits: PEOPLE_LIMITS,
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  http: async () => (await import('./http.ts')).http,
});
