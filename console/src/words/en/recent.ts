import { numberText } from '../../kit/texts/number-text.ts';

const span = (minutes: number) =>
  minutes < 60
    ? `${minutes} minutes`
    : minutes === 60
      ? 'hour'
      : minutes === 1440
        ? '24 hours'
        : `${numberText(minutes / 60)} hours`;

/** Texts of the screen of recent changes. */
export const recent = {
  title: 'Recent changes',
  lead: 'Something is wrong? This is what was changed just now, how far each change has come to the SDKs, and its undo.',
  window: 'How far back',
  windows: { '10': '10 min', '30': '30 min', '60': '1 h', '240': '4 h', '1440': '24 h' },
  project: 'Project',
  environment: 'Environment',
  all: 'All',
  counts: (commits: number, people: number) =>
    `${numberText(commits)} ${commits === 1 ? 'change' : 'changes'} by ${numberText(people)} ${people === 1 ? 'author' : 'authors'}`,
  none: (minutes: number) => `Nothing was changed in the last ${span(minutes)}.`,
  noneHere: (minutes: number) => `Nothing was changed here in the last ${span(minutes)}.`,
  longer: 'Look at 24 hours',
  more: 'Read on',
  mayBeMore: 'There are more changes in this time.',
  command: 'Ask from a shell',
  together: 'Combined result',
  togetherHint: 'What is different now from before these changes. What was changed back is left out.',
  before: 'See the flag before this change',
  changes: 'Changes',
  noReceipts: 'How far the changes have come is not known: too many pages follow it. It is tried again.',
} as const;
