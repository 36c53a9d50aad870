/** Texts that the screens of users, groups, roles and service accounts share. */
export const people = {
  roleHint: 'What this person may do in the whole instance. Roles in a project are given in its settings.',
  rootRole: 'Role in the whole instance',
  noRole: 'None',
  created: 'Created',
  you: 'you',
  expires: 'Expires',
  expiries: { '7': 'In 7 days', '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year', custom: 'On a day…' },
  day: 'Day',
  dayMissing: 'Choose a day in the future',
  expired: 'Expired',
} as const;
