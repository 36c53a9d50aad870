/** How often a flag was on, off, and each of its variants, as SDKs and relays send it. */
export interface FlagReport {
  readonly yes?: number | null;
  readonly no?: number | null;
  readonly variants?: Readonly<Record<string, number>> | null;
}

/** What one report says of flags, by name. */
export type FlagReports = Readonly<Record<string, FlagReport>>;

const TIMES_MAX = 1e12;

/** A whole number of times, whatever an SDK sends. */
export function timesOf(sent: number | null | undefined): number {
  return sent ? Math.min(TIMES_MAX, Math.max(0, Math.trunc(sent))) : 0;
}
