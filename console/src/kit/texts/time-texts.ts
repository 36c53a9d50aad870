import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/milliseconds.ts';
import { onFirstUse } from '../../words/on-first-use.ts';

const exact = onFirstUse(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }));
const day = onFirstUse(() => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }));
const dayOfYear = onFirstUse(
  () => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' }),
);
const clock = onFirstUse(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }));
const relative = onFirstUse(() => new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' }));

/** Day and time, with seconds. */
export const exactText = (at: Date): string => exact().format(at);

/** "3 min. ago" within a week, then the day. Always in the browser's time zone; the exact time is in the title. */
export function timeText(at: Date, now: number): string {
  const ms = at.getTime() - now;
  const size = Math.abs(ms);
  if (size < MINUTE_MS) return relative().format(0, 'second');
  if (size < HOUR_MS) return relative().format(Math.trunc(ms / MINUTE_MS), 'minute');
  if (size < DAY_MS) return relative().format(Math.trunc(ms / HOUR_MS), 'hour');
  if (size < 7 * DAY_MS) return relative().format(Math.trunc(ms / DAY_MS), 'day');
  return dayText(at, new Date(now));
}

/** The time of the day, after its day unless that is today. */
export const momentText = (at: Date, now = new Date()): string =>
  at.toDateString() === now.toDateString() ? clock().format(at) : `${dayText(at, now)}, ${clock().format(at)}`;

const dayText = (at: Date, now: Date) => (at.getFullYear() === now.getFullYear() ? day() : dayOfYear()).format(at);

/** The time of the day; within 24 hours, how long ago it is follows. */
export const withClock = (at: Date, now: Date) =>
  Math.abs(at.getTime() - now.getTime()) < DAY_MS
    ? `${clock().format(at)} · ${timeText(at, now.getTime())}`
    : clock().format(at);
