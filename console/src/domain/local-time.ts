/** A time in the form of a control for date and time, in the time zone of the browser: to the second. Empty if it is no time. */
export function localTime(at: string | undefined): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** As `localTime`, to the minute. */
export const localMinute = (at: string | undefined): string => localTime(at).slice(0, 16);
