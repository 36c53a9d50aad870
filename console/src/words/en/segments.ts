import { numberText } from '../../kit/number-text.ts';

const strategies = (count: number) => `${numberText(count)} ${count === 1 ? 'strategy' : 'strategies'}`;

/** Texts of segments. */
export const segments = {
  title: 'Segments',
  create: 'Create segment',
  empty: 'There are no segments. A segment is a set of constraints that many strategies share.',
  columns: { name: 'Name', rule: 'Who', project: 'Project', flags: 'Flags', by: 'By', created: 'Created' },
  allProjects: 'All',
  name: 'Name',
  description: 'Description',
  project: 'Project',
  projectHint: 'Only flags of this project can use it. None: all projects.',
  save: 'Save',
  cancel: 'Cancel',
  remove: 'Delete segment',
  removeNow: 'Delete now',
  created: (name: string) => `Segment ${name} was created`,
  saved: (name: string) => `Segment ${name} was saved`,
  deleted: (name: string) => `Segment ${name} was deleted`,
  usedBy: 'Used by',
  unused: 'No strategy uses it.',
  willAffect: (count: number) => `Saving changes ${strategies(count)} at once:`,
  inUse: (count: number) => `${strategies(count)} use it, so it cannot be deleted.`,
  changes: 'What changes',
  changedMeanwhile:
    'Others changed the segment in the meantime. What you typed is still here; save again to keep it, or close to see theirs.',
  renamed: (before: string, after: string) => `Name: \`${before}\` → \`${after}\``,
  described: 'Description changed',
  moved: 'Project changed',
  history: 'History',
  everyone: 'Everyone',
  reason: 'Why?',
} as const;

/** Texts of context fields. */
export const context = {
  title: 'Context fields',
  create: 'Create context field',
  empty: 'There are no context fields.',
  columns: {
    name: 'Name',
    description: 'Description',
    values: 'Legal values',
    sticky: 'Stickiness',
    flags: 'Flags',
    created: 'Created',
  },
  name: 'Name',
  nameHint: 'As SDKs send it. It cannot be changed later.',
  description: 'Description',
  sticky: 'Rollouts can be by this field',
  values: 'Legal values',
  valuesHint: 'Constraints offer them. Other values still work.',
  order: 'Position',
  save: 'Save',
  cancel: 'Cancel',
  remove: 'Delete field',
  removeNow: 'Delete now',
  created: (name: string) => `Context field ${name} was created`,
  saved: (name: string) => `Context field ${name} was saved`,
  deleted: (name: string) => `Context field ${name} was deleted`,
  usedBy: 'Used by',
  unused: 'No strategy has a constraint on it.',
  changedMeanwhile: 'Others changed the field in the meantime. What you typed is still here; save again to keep it.',
  yes: 'Yes',
} as const;
