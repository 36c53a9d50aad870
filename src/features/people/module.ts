import { personalTokens } from '../../model/personal-token.ts';
import { roles } from '../../model/role.ts';
import { users } from '../../model/user.ts';
import { feature } from '../feature-module.ts';
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
  edited,
  events: {
    'role-created': ['Role created', 'created the role {what}'],
    'role-updated': ['Role changed', 'changed the role {what}'],
    'role-deleted': ['Role deleted', 'deleted the role {what}'],
    'user-created': ['User created', 'created the user {what}'],
    'user-updated': ['User changed', 'changed the user {what}'],
    'user-deleted': ['User deleted', 'deleted the user {what}'],
    'group-created': ['Group created', 'created the group {what}'],
    'group-updated': ['Group changed', 'changed the group {what}'],
    'group-deleted': ['Group deleted', 'deleted the group {what}'],
    'group-user-added': ['User added to group', 'put a user into the group {what}'],
    'group-user-removed': ['User taken out of group', 'took a user out of the group {what}'],
    'pat-created': ['Personal token created', 'created the token {what}'],
    'pat-deleted': ['Personal token deleted', 'deleted the token {what}'],
    'service-account-created': ['Service account created', 'created the service account {what}'],
    'service-account-deleted': ['Service account deleted', 'deleted the service account {what}'],
    'service-account-updated': ['Service account changed', 'changed the service account {what}'],
  },
  limits: PEOPLE_LIMITS,
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  http: async () => (await import('./http.ts')).http,
});
