import { personalTokens } from '../../model/personal-token.ts';
import { roles } from '../../model/role.ts';
import { users } from '../../model/user.ts';
import { feature } from '../feature-module.ts';
import { PEOPLE_EVENTS } from './events.ts';
import { groupMembers, groups } from './groups/group.ts';
import { PEOPLE_LIMITS } from './limits.ts';

export const peopleFeature = feature({
  name: 'people',
  exports: [
    'deleted-user.ts',
    'groups/commands.ts',
    'groups/group.ts',
    'groups/present.ts',
    'groups/schemas.ts',
    'limits.ts',
    'permission-problem.ts',
    'personal-tokens/commands.ts',
    'roles/commands.ts',
    'users/commands.ts',
    'users/identities.ts',
    'users/present.ts',
    'users/schemas.ts',
  ],
  collections: { users, roles, groups, groupMembers, personalTokens },
  events: PEOPLE_EVENTS,
  limits: PEOPLE_LIMITS,
  http: async () => (await import('./http.ts')).http,
});
