/** How often a flag was on, how often it was off, and how often each variant was served, as SDKs and relays report it. */
export interface FlagReport {
  readonly yes?: number | null;
  readonly no?: number | null;
  readonly variants?: Readonly<Record<string, number>> | null;
}

/** The counts of one report, by flag name. */
export type FlagReports = Readonly<Record<string, FlagReport>>;

/** Larger counts are reduced to this number, so that sums stay exact. */
const TIMES_MAX = 1e12;

/** Converts the number that an SDK sent into a non-negative integer. */
export function timesOf(sent: number | null | undefined): number {
  return sent ? Math.min(TIMES_MAX, Math.max(0, Math.trunc(sent))) : 0;
}

/** Adds to a sum of counts. A sum never exceeds the largest exact number. */
export function sumOfTimes(sum: number, times: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, sum + times);
}
