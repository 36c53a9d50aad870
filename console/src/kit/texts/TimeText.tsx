import { useEffect, useReducer } from 'react';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/milliseconds.ts';
import { onFirstUse } from '../../words/on-first-use.ts';
import { clockText, dayText } from './moment-text.ts';

const exactly = onFirstUse(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }));
const relative = onFirstUse(() => new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' }));

/** "3 min. ago" within a week, then the day. Always in the browser's time zone; the exact time is in the title. */
function timeText(at: Date, now: number): string {
  const ms = at.getTime() - now;
  const size = Math.abs(ms);
  if (size < MINUTE_MS) return relative().format(0, 'second');
  if (size < HOUR_MS) return relative().format(Math.trunc(ms / MINUTE_MS), 'minute');
  if (size < DAY_MS) return relative().format(Math.trunc(ms / HOUR_MS), 'hour');
  if (size < 7 * DAY_MS) return relative().format(Math.trunc(ms / DAY_MS), 'day');
  return dayText(at, new Date(now));
}

export interface TimeTextProps {
  readonly at: string | number | Date;
  readonly exact?: boolean;
  /** The time of the day, for a list of one day; within 24 hours, how long ago it is follows. */
  readonly clock?: boolean;
}

export function TimeText({ at, exact = false, clock: hasClock = false }: TimeTextProps) {
  const date = new Date(at);
  useEveryMinute(!exact);
  if (Number.isNaN(date.getTime())) return String(at);
  return (
    <time dateTime={date.toISOString()} title={exactly().format(date)}>
      {exact ? exactly().format(date) : hasClock ? withClock(date, new Date()) : timeText(date, Date.now())}
    </time>
  );
}

const withClock = (at: Date, now: Date) =>
  Math.abs(at.getTime() - now.getTime()) < DAY_MS ? `${clockText(at)} · ${timeText(at, now.getTime())}` : clockText(at);

/** One timer for all texts on the page. */
const renderers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function useEveryMinute(isUsed: boolean): void {
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (!isUsed) return;
    renderers.add(render);
    timer ??= setInterval(() => {
      for (const each of renderers) each();
    }, MINUTE_MS);
    return () => {
      renderers.delete(render);
      if (renderers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, [isUsed]);
}
