import type { FeatureHttp } from '../feature-module.ts';
import { groupEndpoints } from './groups/routes.ts';
import { personalTokenEndpoints } from './personal-tokens/routes.ts';
import { roleEndpoints } from './roles/routes.ts';
import { serviceAccountEndpoints } from './service-accounts/routes.ts';
import { userIdentityEndpoints } from './users/identity-routes.ts';
import { userEndpoints } from './users/routes.ts';

export const http: FeatureHttp = {
  endpoints: [
    ...groupEndpoints,
    ...personalTokenEndpoints,
    ...roleEndpoints,
    ...serviceAccountEndpoints,
    ...userIdentityEndpoints,
    ...userEndpoints,
  ],
  glossary: {
    'adminPermission.environment': 'Environment in which the permission applies; null for all environments',
    'adminPermission.name': 'Name of the permission',
    'adminPermissions.permissions': 'All permissions that a role can have, by scope',
    'adminPermissions.environments': 'Permissions for one environment',
    'adminPermissions.project': 'Permissions in one project',
    'adminPermissions.root': 'Permissions in the whole instance',
    'createRoleWithPermissions.type':
      'Whether the role applies in the whole instance (`root-custom`) or in the projects in which it is assigned (`custom`)',
    'group.rootRole': 'Id of the role that members of the group have in the whole instance; null: none',
    'groupUserModel.user': 'The user',
    'role.type': 'Whether the role applies in the whole instance or in projects, and whether it is built in',
    'serviceAccount.id': 'Number of the account',
    'searchUsers.q': 'Part of a name, a username or an email',
  },
  examples: {
    createGroup: { name: 'Payments', description: 'Who owns the checkout' },
    createUser: { email: 'nora@example.com', name: 'Nora', rootRole: 2, sendEmail: false },
    createOwnPersonalToken: { description: 'My laptop', expiresAt: '2099-01-01T00:00:00Z' },
    createRole: {
      name: 'Switcher',
      description: 'Switches flags',
      permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' }],
    },
    createServiceAccount: { username: 'ci', name: 'Continuous integration', rootRole: 2 },
    createServiceAccountToken: { description: 'Pipelines', expiresAt: '2099-01-01T00:00:00Z' },
    deleteInactiveUsers: { ids: [2] },
    updateGroup: { name: 'Payments', description: 'Who owns the checkout', users: [] },
    updateRole: { name: 'Releaser', permissions: [] },
    'updateRole.roleId': 6,
    'deleteRole.roleId': 6,
    updateUser: { name: 'Kari Nordmann', rootRole: 2 },
    validateRole: { name: 'Reader' },
    'deleteServiceAccount.id': 3,
    'updateServiceAccount.id': 3,
    'getServiceAccountTokens.id': 3,
    'createServiceAccountToken.id': 3,
    'deleteServiceAccountToken.id': 3,
    'deleteUser.id': 2,
    'updateUser.id': 2,
  },
};
