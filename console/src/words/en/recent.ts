import { DAY, HOUR } from '../../domain/minutes.ts';
import { numberText } from '../../kit/texts/number-text.ts';

function span(minutes: number): string {
  if (minutes === HOUR) return 'hour';
  if (minutes < HOUR) return `${minutes} minutes`;
  return minutes > DAY ? `${numberText(minutes / DAY)} days` : `${numberText(minutes / HOUR)} hours`;
}

/** `minutes`: undefined for days that were chosen. */
const when = (minutes: number | undefined) =>
  minutes === undefined ? 'on these days' : `in the last ${span(minutes)}`;

/** Texts of the screen of recent changes. */
export const recent = {
  title: 'Recent changes',
  lead: 'Something is wrong? See who changed what and whether the SDKs have it, and undo it.',
  window: 'Time',
  last: (minutes: number) => `Last ${span(minutes)}`,
  today: 'Today',
  yesterday: 'Yesterday',
  days: 'From … to …',
  environment: 'Environment',
  counts: (commits: number, people: number, areAll: boolean) =>
    `${areAll ? '' : 'The newest '}${numberText(commits)} ${commits === 1 ? 'change' : 'changes'} by ${numberText(people)} ${people === 1 ? 'author' : 'authors'}`,
  none: (minutes: number | undefined) => `Nothing was changed ${when(minutes)}.`,
  noneHere: (minutes: number | undefined) => `Nothing that matches these filters was changed ${when(minutes)}.`,
  longer: (minutes: number) => `Look at ${span(minutes)}`,
  more: 'Read on',
  mayBeMore: 'There may be more changes in this time.',
  command: 'Ask from a shell',
  together: 'Combined result',
  togetherHint: 'What is different now from before these changes. What was changed back is left out.',
  before: 'See the flag before this change',
  changes: 'Changes',
  noReceipts: 'How far the changes have come is not known: too many pages follow it. It is tried again.',
} as const;
