import { useCallback, useMemo } from 'react';
import { useUrlState } from '../data/url-state.ts';
import { DAY, HOUR, MONTH, WEEK } from '../domain/minutes.ts';
import type { Span } from '../domain/span.ts';

export const UP_TO_A_DAY = [10, 30, HOUR, 4 * HOUR, DAY];
export const LONGER = [WEEK, MONTH];
export const DAYS = 'days';
/** No limit of time. */
export const ANY = 'any';

/** The time that a list is about, which is in the address: the last minutes, or days. Both days can be empty, so `minutes` says which of the two. */
export function useSpan(usual: string) {
  const [text, setMinutes] = useUrlState('minutes', usual);
  const [from, setFrom] = useUrlState('from');
  const [to, setTo] = useUrlState('to');
  const isOfDays = text === DAYS || text === ANY || from !== '' || to !== '';
  const minutes = [...UP_TO_A_DAY, ...LONGER].find((one) => String(one) === text) ?? UP_TO_A_DAY[1] ?? HOUR;
  const span = useMemo<Span>(() => (isOfDays ? { from, to } : { minutes }), [isOfDays, from, to, minutes]);
  const setFirstDay = useCallback(
    (day: string) => {
      setMinutes(DAYS);
      setFrom(day);
    },
    [setMinutes, setFrom],
  );
  const setLastDay = useCallback(
    (day: string) => {
      setMinutes(DAYS);
      setTo(day);
    },
    [setMinutes, setTo],
  );
  const show = (wanted: string) => {
    setFrom('');
    setTo('');
    setMinutes(wanted);
  };
  const isAny = text === ANY && from === '' && to === '';
  return { span, isAny, setFirstDay, setLastDay, show };
}

export type SpanState = ReturnType<typeof useSpan>;
