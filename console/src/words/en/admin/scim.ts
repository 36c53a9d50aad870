/** Texts of provisioning by SCIM. */
export const scim = {
  on: 'SCIM is on',
  off: 'SCIM is off',
  noToken: 'SCIM is on, and there is no token',
  lead: 'Your identity provider creates, changes and switches off users and groups here. They then sign on with OpenID Connect or SAML.',
  made: 'made',
  never: 'none yet',
  role: 'Role of new users',
  viewer: 'Viewer',
  replace: 'Replace token…',
  revoke: 'Delete token…',
  edit: 'Change role…',

  createTitle: 'Create the token of SCIM?',
  createEffects: [
    'SCIM is switched on: who has the token can manage users and groups, and nothing else.',
    'The token is shown once. Only its hash is stored.',
  ],
  replaceTitle: 'Replace the token of SCIM?',
  replaceEffects: [
    'The provider gets 401 with the earlier token from now on. Enter the new token there.',
    'SCIM is on afterwards. Users and groups stay as they are.',
  ],
  replaceLabel: 'Replace token',
  tokenMade: 'Token created: SCIM is on',
  revokeTitle: 'Delete the token of SCIM?',
  revokeEffects: [
    'The provider gets 401 from now on, and SCIM is switched off.',
    'Users and groups stay as they are, with their sessions. Nothing restores the token: another can be created.',
  ],
  revokeLabel: 'Delete token',
  revoked: 'Token deleted: SCIM is off',
  offTitle: 'Switch SCIM off?',
  offEffects: [
    'The provider gets 401 until SCIM is switched on again. Its token is kept.',
    'Users and groups stay as they are: someone who leaves is no longer switched off here.',
  ],
  wasSwitchedOff: 'SCIM is off',
  onTitle: 'Switch SCIM on?',
  onEffects: ['The provider can manage users and groups again, with the token that it has.'],
  wasSwitchedOn: 'SCIM is on',

  roleTitle: 'Role of new users',
  roleHint: 'Users that the provider creates begin with it. It cannot be a role of admins.',
  roleSaved: 'Role of new users saved',

  onceTitle: 'Enter the token at the provider',
  secret: 'SCIM token',
  once: 'Okta: Authentication, HTTP Header. Microsoft Entra: Secret token. Then test the connection there.',
  check: 'Check it from a shell',
  checkCode: (url: string, token: string) =>
    `curl -sS ${url}/ServiceProviderConfig -H 'Authorization: Bearer ${token}'`,

  register: 'Enter at the provider',
  address: 'Base URL (Okta), tenant URL (Entra)',
  uniqueId: 'Unique identifier',
  authentication: 'Authentication',
  bearer: 'HTTP header, with the token',
  operations: 'All operations',

  effects: 'What the provider does here',
  rules: [
    '**Assigned**: an account is created. An account with the same username or email is taken over.',
    '**Switched off** (`active: false`): sessions, personal tokens and links for passwords end at once. The account cannot sign on in any way until the provider switches it on.',
    '**Deleted**: the account is deleted. What the person changed stays in the audit log.',
    '**Groups** begin without roles: give them roles here. Members get and lose these roles with their membership.',
    'It cannot give roles, set passwords, switch off the only admin, or change the email of an admin.',
  ],

  people: 'Users from the provider',
  noUsers: 'The provider has not created or taken over a user yet.',
  groups: 'Groups from the provider',
  noGroups: 'The provider has not created a group yet.',
  active: 'may sign on',
  inactive: 'switched off',
  since: 'since',
  members: (count: number) => `${count} ${count === 1 ? 'member' : 'members'}`,
  all: (count: number) => `Show all ${count} in the list of users`,
  remove: 'Delete these users…',
  removeTitle: 'Delete all users from the provider?',
  removeEffects: (count: number, max: number) => [
    count > max
      ? `${max} of ${count} users are deleted. Repeat it for the others.`
      : `${count} ${count === 1 ? 'user is' : 'users are'} deleted, with their sessions and personal tokens.`,
    'None is deleted if one of them is the only admin. Groups stay.',
    'While SCIM is on, the provider may create them again.',
  ],
  removed: 'Users from the provider deleted',
  typed: 'delete users',

  /** In the list of users. */
  mark: 'SCIM',
  switchedOff: 'SCIM off',
} as const;
