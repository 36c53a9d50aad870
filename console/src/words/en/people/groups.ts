/** Texts of the groups. */
export const groups = {
  title: 'Groups',
  lead: 'People who have the same rights: what a group may do, each of its members may do.',
  create: 'Create group',
  createTitle: 'New group',
  none: 'There is no group yet: rights are given to each person alone.',
  columns: { name: 'Group', members: 'Members', role: 'Role', projects: 'Projects', created: 'Created' },
  members: 'Members',
  membersPlaceholder: 'Add people',
  mappings: 'Groups at the identity provider',
  mappingsHint: 'Who is in one of these there, joins this group at the next sign-on.',
  mappingsPlaceholder: 'Name or id',
  roleHint: 'Members have it beside their own role.',
  created: (name: string) => `Group ${name} created`,
  saved: (name: string) => `Group ${name} saved`,
  projectRoles: 'Roles in projects',
  noProjects: 'It has no role in a project yet.',
  project: 'Project',
  projectPlaceholder: 'Choose a project',
  roles: (project: string) => `Roles in ${project}`,
  saveRoles: 'Save the roles',
  rolesSaved: (name: string, project: string) => `Roles of ${name} in ${project} saved`,
  more: (count: number) => `and ${count} more`,
  deleteTitle: (name: string) => `Delete the group ${name}?`,
  deleteEffect: (members: number) =>
    members === 0
      ? 'It has no members: no one loses rights.'
      : `Its ${members === 1 ? 'member loses' : `${members} members lose`} the rights that they have by it.`,
  deleteProjects: (names: string) => `Its roles in ${names} end.`,
  deleted: (name: string) => `Group ${name} deleted`,
} as const;
