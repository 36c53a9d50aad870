/** Texts of segments, and of what uses a segment or a context field. */
export const segments = {
  title: 'Segments',
  lead: 'A segment is a named set of constraints that many strategies can use. A change of a segment changes every flag that uses it.',
  create: 'Create segment',
  createTitle: 'New segment',
  none: 'There is no segment yet. Name a group of users once, and use it in every strategy.',
  columns: {
    name: 'Name',
    rule: 'Who is in it',
    used: 'Flags',
    project: 'Project',
    created: 'Created',
  },
  allProjects: 'All projects',
  name: 'Name',
  description: 'Description',
  project: 'Project',
  projectHint: 'A segment of one project can be used only in that project.',
  everyone: 'everyone',
  created: (name: string) => `Segment ${name} created`,
  saved: (name: string) => `Segment ${name} saved`,
  deleteTitle: (name: string) => `Delete the segment ${name}?`,
  deleteEffect: (name: string) => `\`${name}\` is gone. Strategies of archived flags that use it are switched off.`,
  deleteBlocked: 'It is in use. Remove it from these strategies first.',
  deleted: (name: string) => `Segment ${name} deleted`,
  actions: (name: string) => `Actions for ${name}`,
} as const;

export const usedBy = {
  title: 'Used by',
  affected: (count: number) => (count === 1 ? 'Saving changes 1 strategy' : `Saving changes ${count} strategies`),
  none: 'No strategy uses it.',
  noneAffected: 'No strategy uses it, so saving changes no flag.',
  change: 'Change requests that use it',
  more: (count: number) => `and ${count} more`,
} as const;
