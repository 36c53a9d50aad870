import { useEffect, useReducer } from 'react';
import { MINUTE_MS } from '../../domain/milliseconds.ts';
import { exactText, timeText, withClock } from './time-texts.ts';

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
    <time dateTime={date.toISOString()} title={exactText(date)}>
      {exact ? exactText(date) : hasClock ? withClock(date, new Date()) : timeText(date, Date.now())}
    </time>
  );
}

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
