/** Texts of the flags that applications ask for although they do not exist. */
export const unknownFlags = {
  title: 'Unknown flags',
  lead: 'Applications have asked for these names in the last days, but no flag has them: misspelt, deleted, or not created yet. SDKs return the default value of the code.',
  none: 'Every flag that applications ask for exists.',
  toApplications: 'Go to the applications',
  columns: { name: 'Name', reported: 'Asked for by', seen: 'Last seen', create: 'Create' },
  createLabel: (name: string) => `Create ${name}`,
} as const;
