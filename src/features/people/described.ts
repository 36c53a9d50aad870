import type { Glossary } from '../../http/described.ts';
import type { Examples } from '../../http/examples.ts';

/** What fields of this feature's requests and answers mean, where their schema does not say so. */
export const glossary: Glossary = {
  'adminPermission.environment': 'Environment in which it holds; null where it holds in all of them',
  'adminPermission.name': 'Name of the permission',
  'adminPermissions.permissions': 'Everything that can be allowed, by how far it reaches',
  'adminPermissions.environments': 'What is allowed for one environment',
  'adminPermissions.project': 'What is allowed in one project',
  'adminPermissions.root': 'What is allowed everywhere',
  'createRoleWithPermissions.type':
    'Whether it holds everywhere (`root-custom`) or in projects it is given in (`custom`)',
  'group.rootRole': 'Id of the role that its members have everywhere; null for none',
  'groupUserModel.user': 'Who it is',
  'me.user': 'Who the caller is',
  'me.permissions': 'What the caller may do, and where',
  'profile.projects': 'Ids of the projects that the caller is a member of',
  'profile.features': 'Deprecated: always empty',
  'role.type': 'Whether it holds everywhere or in projects, and whether it came with the service',
  'serviceAccount.id': 'Number of the account',
  'userRoles.roles': 'Ids and names of the roles',
  'searchUsers.q': 'Part of a name, a username or an email',
};

/** Values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
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
};
