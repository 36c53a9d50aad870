import type { Scope } from '../../model/caller.ts';
import type { FlagReport, FlagReports } from './flag-report.ts';
import type { DropReason, Reporter } from './report-sums.ts';

/** Kinds of reports about the use of flags from SDKs and relays. */
export type ReportKind = 'metrics' | 'registration' | 'bulk';

/** Accepts the reports of SDKs, to count or to forward them. Accepting a report is a look-up and an addition, and never fails. */
export interface ReportSink {
  /** Number of reports since the process started, by kind. */
  readonly reportCounts: Readonly<Record<ReportKind, number>>;
  /** Number of reported items that were dropped since the process started, by reason. */
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Number of names that wait to be counted or forwarded. */
  readonly waiting: number;
  /** Counts an accepted report; the methods below add its content. */
  countReport(kind: ReportKind): void;
  /** Adds an instance of an application. `strategies`: the names of the strategies that its SDK knows; null if the report does not contain them. */
  register(scope: Scope, reporter: Reporter, strategies: readonly string[] | null): void;
  /** Adds an instance's counts of flags until `untilMs`. */
  report(scope: Scope, reporter: Reporter, flags: FlagReports, untilMs: number): void;
  /** Adds the counts of one flag until `untilMs`, from many instances of an application. */
  reportFlag(scope: Scope, appName: string, flag: string, use: FlagReport, untilMs: number): void;
  /** Counts items of a report that were dropped. */
  drop(reason: DropReason, count?: number): void;
}
