/** Texts of the service accounts, and of personal tokens. */
export const serviceAccounts = {
  title: 'Service accounts',
  lead: 'For programs that manage flags, such as Terraform or a pipeline. They have roles as people do, and tokens instead of a password.',
  create: 'Create account',
  createTitle: 'New service account',
  none: 'No program has an account yet.',
  columns: { name: 'Account', role: 'Role', tokens: 'Tokens', seen: 'Last seen', created: 'Created' },
  usernameHint: 'Empty: made from the name.',
  created: (name: string) => `${name} created`,
  saved: (name: string) => `${name} saved`,
  deleteEffects: [
    'Its tokens end at once: programs that use them get 401.',
    'What it changed stays in the audit log under its name.',
  ],
  deleted: (name: string) => `${name} deleted`,
} as const;

export const personalTokens = {
  title: 'Tokens',
  lead: 'A token allows what the account may do.',
  none: 'There is no token yet.',
  descriptionHint: 'Where it is used, such as “laptop” or “pipeline”.',
  add: 'New token',
  created: 'Token created',
  lastUsed: 'used',
  neverUsed: 'never used',
  delete: (description: string) => `Delete the token ${description}`,
  deleteTitle: (description: string) => `Delete the token ${description}?`,
  deleteEffect: 'The next request with it gets 401.',
  deleted: (description: string) => `Token ${description} deleted`,
} as const;
