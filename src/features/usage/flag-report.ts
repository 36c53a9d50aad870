/** How often a flag was on and off and each of its variants was served, as SDKs and relays report it. */
export interface FlagReport {
  readonly yes?: number | null;
  readonly no?: number | null;
  readonly variants?: Readonly<Record<string, number>> | null;
}

/** The counts of one report, by flag name. */
export type FlagReports = Readonly<Record<string, FlagReport>>;

const TIMES_MAX = 1e12;

/** A non-negative integer, whatever an SDK sends. */
export function timesOf(sent: number | null | undefined): number {
  return sent ? Math.min(TIMES_MAX, Math.max(0, Math.trunc(sent))) : 0;
}
