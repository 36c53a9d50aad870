import { DAY, HOUR } from '../../domain/minutes.ts';
import { numberText } from '../number-text.ts';
import { kit } from './kit.ts';

function span(minutes: number): string {
  if (minutes === HOUR) return 'hour';
  if (minutes < HOUR) return `${minutes} minutes`;
  return minutes > DAY ? `${numberText(minutes / DAY)} days` : `${numberText(minutes / HOUR)} hours`;
}

/** Minutes, or days by what they are called. */
export type TimeWords = number | 'today' | 'yesterday' | 'day' | 'days' | 'any';

function when(time: TimeWords): string {
  if (typeof time === 'number') return `in the last ${span(time)}`;
  if (time === 'any') return 'in the recorded time';
  if (time === 'day') return 'on this day';
  return time === 'days' ? 'on these days' : time;
}

/** Texts of the screen of recent changes. */
export const recent = {
  title: 'Recent changes',
  lead: 'Something is wrong? See who changed what and whether the SDKs have it, and undo it.',
  window: 'Time',
  last: (minutes: number) => `Last ${span(minutes)}`,
  today: kit.today,
  yesterday: kit.yesterday,
  days: 'From … to …',
  any: 'Any time',
  environment: 'Environment',
  counts: (commits: number, people: number, areAll: boolean) =>
    `${areAll ? '' : 'The newest '}${numberText(commits)} ${commits === 1 ? 'change' : 'changes'} by ${numberText(people)} ${people === 1 ? 'author' : 'authors'}`,
  none: (time: TimeWords) => `No flag or setting was changed ${when(time)}.`,
  noneHere: (time: TimeWords) => `No flag or setting that matches these filters was changed ${when(time)}.`,
  otherEvents: 'The audit log has more events, such as change requests and sign-ons.',
  auditLog: 'See the audit log for this time',
  longer: (minutes: number) => `Look at ${span(minutes)}`,
  more: 'Read on',
  mayBeMore: 'There may be more changes in this time.',
  command: 'Ask from a shell',
  together: 'Combined result',
  togetherHint: 'What is different now from before these changes. What was changed back is left out.',
  before: 'See the flag before this change',
  changes: (day: string) => `Changes: ${day}`,
  noReceipts: 'How far the changes have come is not known: too many pages follow it. It is tried again.',
} as const;
