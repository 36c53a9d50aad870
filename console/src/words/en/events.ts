/** Texts of the archive. */
export const archived = {
  title: 'Archive',
  lead: 'SDKs do not get archived flags. Revive a flag to use it again. A deleted flag cannot come back, and its name is free.',
  empty: 'No flag is archived.',
  columns: { name: 'Name', project: 'Project', type: 'Type', archived: 'Archived' },
  revive: 'Revive',
  remove: 'Delete',
  actions: (name: string) => `Actions for ${name}`,
  revived: (name: string) => `${name} was revived. It is off in every environment.`,
  deleted: (name: string) => `${name} was deleted`,
  removeTitle: (name: string) => `Delete ${name} for good`,
  removeText: 'Its settings are lost, and its name becomes free. Type the name to delete it.',
  name: 'Name',
} as const;
