import { onFirstUse } from '../../words/on-first-use.ts';

const day = onFirstUse(() => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }));
const dayOfYear = onFirstUse(
  () => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' }),
);
const clock = onFirstUse(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }));

/** The day, with its year unless that is the current one. */
export const dayText = (at: Date, now: Date): string =>
  (at.getFullYear() === now.getFullYear() ? day() : dayOfYear()).format(at);

/** The time of the day. */
export const clockText = (at: Date): string => clock().format(at);

/** The time of the day, after its day unless that is today. */
export const momentText = (at: Date, now = new Date()): string =>
  at.toDateString() === now.toDateString() ? clockText(at) : `${dayText(at, now)}, ${clockText(at)}`;
