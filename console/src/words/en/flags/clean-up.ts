import { numberText } from '../../number-text.ts';

const days = (count: number) => `${numberText(count)} ${count === 1 ? 'day' : 'days'}`;
const flags = (count: number) => `${numberText(count)} ${count === 1 ? 'flag' : 'flags'}`;

/** Texts of the list of flags to clean up and of the health of a project. */
export const cleanUp = {
  title: 'Clean-up',
  lead: 'Flags that are probably no longer needed, and the proof: when SDKs of each environment asked for them, and which applications did.',
  more: (count: number) =>
    `Only the first ${numberText(count)} flags of each kind are listed. Choose a project to see all of its flags.`,
  again: 'Read again',
  againHint: 'Changes by others are read once a minute.',
  fewColumns: (shown: number, all: number) =>
    `The list has columns for at most ${shown} of ${numberText(all)} environments. The proof of a flag has all of them.`,
  none: 'Nothing to clean up: no flag is stale, potentially stale, completed or unused.',
  toFlags: 'Go to the flags',
  reason: 'Why it is listed',
  reasons: {
    all: 'All reasons',
    stale: 'Stale',
    lifetime: 'Potentially stale',
    completed: 'Completed',
    unused: 'Unused',
  },
  withCount: (label: string, count: number) => `${label} (${numberText(count)})`,
  unusedFor: 'Unused for',
  unusedDays: (count: number) => `Unused for ${days(count)}`,
  columns: { name: 'Flag', why: 'Why', project: 'Project', proof: 'Proof' },
  on: 'on',
  notInProject: (environment: string) => `Its project does not have ${environment}`,
  proof: 'Proof',
  proofOf: (name: string) => `Proof for ${name}`,
  archiveMany: (count: number) => `Archive ${flags(count)}…`,
  markStale: 'Mark as stale',
  markMany: (count: number) => `Mark ${flags(count)} as stale`,
  deselect: 'Deselect',
  open: 'Open the flag',
  reading: 'The flags are being read',
  lastSeen: 'Last seen',
  switchedOn: 'On',
  switchedOff: 'Off',
  uses: 'Applications within 91 days',
  noUses: 'No application has reported it within 91 days.',
  usedAt: (count: string, day: string) => `${count} times, last on ${day}`,
  sentences: {
    stale: 'It is marked as stale.',
    lifetime: (type: string, lifetime: number, age: number) =>
      `It is ${days(age)} old. Flags of the type ${type.toLowerCase()} are expected to live ${days(lifetime)}.`,
    completed: 'Its decision is made.',
    kept: 'Its decision is made: the feature was kept.',
    discarded: 'Its decision is made: the feature was discarded.',
    unused: (count: number) => `No SDK has asked for it for at least ${days(count)}.`,
  },
  safe: (count: number) => `No SDK has asked for it for ${days(count)}: it can be archived.`,
  safeNever: 'No SDK has ever asked for it: it can be archived.',
  inUse: 'SDKs still ask for it: remove it from the code first.',
  needed: (names: string) => `Other flags depend on it: ${names}. Remove these dependencies first.`,
  proving: 'Reading which flags depend on it…',
  notProven: 'Whether other flags depend on it is not known',
  stages: {
    initial: 'Created',
    preLive: 'Used outside of production',
    live: 'Used in production',
    completed: 'Completed',
    archived: 'Archived',
  },
} as const;

export const health = {
  title: 'Health',
  lead: 'How much of the project is in use, and what can be cleaned up.',
  rating: 'Healthy flags',
  ratingHint: 'Neither stale nor past their expected lifetime',
  active: 'Active flags',
  stale: 'Stale',
  lifetime: 'Past their lifetime',
  created: 'Created in 30 days',
  archived: 'Archived in 30 days',
  before: (count: number) => `${numberText(count)} in the 30 days before`,
  lead30: 'Days to production',
  leadHint: 'From creation until first on in production, on average',
  notYet: 'not yet',
  desk: 'To clean up',
} as const;
