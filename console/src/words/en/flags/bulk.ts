import { numberText } from '../../number-text.ts';
import { laterText } from '../save.ts';

const flags = (count: number) => `${numberText(count)} ${count === 1 ? 'flag' : 'flags'}`;

/** Texts of changing many flags at once. */
export const bulk = {
  selected: (count: number) => `${numberText(count)} selected`,
  deselect: 'Deselect',
  tag: 'Tag…',
  stale: 'Mark as stale',
  active: 'Mark as active',
  more: 'More',
  export: 'Export…',
  tooManyToExport: 'Too many for one address: export a project, or the flags with a tag',
  titles: {
    on: (count: number) => `Switch ${flags(count)} on`,
    off: (count: number) => `Switch ${flags(count)} off`,
    tag: (count: number) => `Tag ${flags(count)}`,
    stale: (count: number) => `Mark ${flags(count)} as stale`,
    active: (count: number) => `Mark ${flags(count)} as active`,
    archive: (count: number) => `Archive ${flags(count)}`,
  },
  archiveOne: (name: string) => `Archive ${name}`,
  archiveRun: 'Archive',
  willBeArchived: (count: number) => `${flags(count)} will be archived.`,
  archived: (count: number) => `${flags(count)} archived`,
  lastUseIsRead: 'Reading which SDKs still ask for it…',
  lastUseUnknown: (message: string) => `Whether SDKs still ask for it is not known. ${message}`,
  inUse: 'SDKs still ask for it: remove it from the code first.',
  inUseMany: (count: number, of: number) =>
    `SDKs still ask for ${count === of ? 'all of them' : `${numberText(count)} of them`}: remove them from the code first.`,
  tagType: 'Type of the tag',
  tagValue: 'Value',
  remove: 'Remove the tag instead of adding it',
  willChange: (count: number) => `${flags(count)} will change.`,
  already: (count: number) => `${flags(count)} already ${count === 1 ? 'has' : 'have'} this state.`,
  notThere: (count: number) => `${flags(count)} ${count === 1 ? 'is' : 'are'} in projects without this environment.`,
  strategyAdded: 'A flag without an active strategy gets one that reaches everybody.',
  archiveHint: 'Archived flags are off in every environment. They can be revived, but stay off.',
  run: 'Change',
  runIn: (environment: string) => `Save to ${environment}`,
  progress: (done: number, total: number) => `${numberText(done)} of ${numberText(total)}`,
  done: (count: number) => `${flags(count)} changed`,
  scheduled: (count: number, at: Date) =>
    count === 0
      ? 'Nothing waits for a time.'
      : `${flags(count)} will be changed ${laterText(at)}. It can be cancelled in the change requests that wait until then.`,
  refused: (count: number) => `${flags(count)} ${count === 1 ? 'was' : 'were'} not changed`,
  nobodyElse: 'Nothing is left to change.',
  close: 'Close',
} as const;
