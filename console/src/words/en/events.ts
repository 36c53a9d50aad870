/** Texts of the archive. */
export const archived = {
  title: 'Archive',
  empty: 'No flag is archived.',
  columns: { name: 'Name', project: 'Project', type: 'Type', archived: 'Archived', seen: 'Seen' },
  revive: 'Revive',
  remove: 'Delete',
  actions: (name: string) => `Actions for ${name}`,
  revived: (name: string) => `${name} was revived. It is off in every environment.`,
  deleted: (name: string) => `${name} was deleted`,
  removeTitle: (name: string) => `Delete ${name} for ever`,
  removeText: 'Its settings go, and its name becomes free. Type the name to delete it.',
  name: 'Name',
  cancel: 'Cancel',
  filter: 'Filter',
} as const;
