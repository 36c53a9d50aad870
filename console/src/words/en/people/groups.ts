/** Texts of the groups. */
export const groups = {
  title: 'Groups',
  lead: 'People with the same permissions: each member may do what the group may do.',
  create: 'Create group',
  createTitle: 'New group',
  none: 'There is no group yet. A group gives permissions to many people at once.',
  columns: { name: 'Group', members: 'Members', role: 'Role', projects: 'Projects', created: 'Created' },
  members: 'Members',
  membersPlaceholder: 'Add people',
  mappings: 'Groups at the identity provider',
  newMapping: 'Adds this name or id',
  mappingsHint: 'People in one of these groups there join this group at their next sign-on.',
  mappingsPlaceholder: 'Name or id',
  roleHint: 'Members have it in addition to their own role.',
  created: (name: string) => `Group ${name} created`,
  saved: (name: string) => `Group ${name} saved`,
  projectRoles: 'Roles in projects',
  noProjects: 'It has no role in a project yet.',
  projectPlaceholder: 'Choose a project',
  roles: (project: string) => `Roles in ${project}`,
  saveRoles: 'Save the roles',
  rolesSaved: (name: string, project: string) => `Roles of ${name} in ${project} saved`,
  deleteTitle: (name: string) => `Delete the group ${name}?`,
  deleteEffect: (members: number) =>
    members === 0
      ? 'It has no members: no one loses permissions.'
      : `Its ${members === 1 ? 'member loses' : `${members} members lose`} the permissions that they have from it.`,
  deleteProjects: (names: string) => `Its roles in ${names} end.`,
  deleted: (name: string) => `Group ${name} deleted`,
} as const;
