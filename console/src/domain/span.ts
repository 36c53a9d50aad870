import { MINUTE_MS } from './milliseconds.ts';

/** The time whose changes are shown: the last minutes, or days of the browser's time zone, both included. An empty day is no limit. */
export type Span = { readonly minutes: number } | { readonly from: string; readonly to: string };

/** In milliseconds since the epoch, both ends included. */
interface Times {
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** When the day begins; NaN if it is no day. */
const startOf = (day: string, daysLater = 0) => {
  const date = new Date(`${day}T00:00:00`);
  return date.setDate(date.getDate() + daysLater);
};

export function timesOf(span: Span, now: number): Times {
  if ('minutes' in span) return { fromMs: now - span.minutes * MINUTE_MS };
  const [fromMs, toMs] = [startOf(span.from), startOf(span.to, 1) - 1];
  return { ...(!Number.isNaN(fromMs) && { fromMs }), ...(!Number.isNaN(toMs) && { toMs }) };
}

/** Whether changes that are made now are in it. */
export const endsNow = (span: Span, now: number) => (timesOf(span, now).toMs ?? now) >= now;

export const isInTime = (at: string, { fromMs = 0, toMs = Number.POSITIVE_INFINITY }: Times) =>
  Date.parse(at) >= fromMs && Date.parse(at) <= toMs;

const two = (number: number) => String(number).padStart(2, '0');

/** The day of a time, as controls for days have it. */
export function dayOf(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The days of the span, as screens with controls for days have them. An empty day is no limit. */
export const daysOf = (span: Span, now: number) =>
  'from' in span ? span : { from: dayOf(now - span.minutes * MINUTE_MS), to: '' };

export const yesterday = (now: number) => dayOf(startOf(dayOf(now), -1));
