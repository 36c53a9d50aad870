import { DAY, MONTH } from '../../domain/minutes.ts';
import { dayOf, yesterday } from '../../domain/span.ts';
import type { Filters } from '../../history/read-history.ts';
import type { TimeWords } from '../../words/en/recent.ts';

/** The longer time to look at if nothing was changed; undefined if there is none. */
export function longerThan({ span }: Filters): number | undefined {
  return 'minutes' in span ? [DAY, MONTH].find((one) => one > span.minutes) : undefined;
}

/** What the time is called. */
export function timeWords({ span }: Filters, now: number): TimeWords {
  if ('minutes' in span) return span.minutes;
  if (span.from === '' && span.to === '') return 'any';
  if (span.from === '' || span.from !== span.to) return 'days';
  if (span.from === dayOf(now)) return 'today';
  return span.from === yesterday(now) ? 'yesterday' : 'day';
}
