import type { Scope } from '../../model/caller.ts';
import type { FlagReport, FlagReports } from './flag-report.ts';
import type { DropReason, Reporter } from './sums.ts';

/** What SDKs and relays report about the use of flags. */
export type ReportKind = 'metrics' | 'registration' | 'bulk';

/** Takes what SDKs report: counts it here, or passes it on. Taking is a look-up and an addition, and never fails. */
export interface ReportSink {
  /** Reports since the process began. */
  readonly taken: Readonly<Record<ReportKind, number>>;
  /** What of reports was not taken since the process began, by why. */
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Names that wait to be counted, or to be passed on. */
  readonly waiting: number;
  /** A report was taken; the methods below add what it says. */
  took(kind: ReportKind): void;
  /** An instance of an application has begun, or lives. `strategies` are those that it knows, when it says. */
  register(scope: Scope, reporter: Reporter, strategies: readonly string[] | null): void;
  /** What an instance has counted of flags until `untilMs`. */
  report(scope: Scope, reporter: Reporter, flags: FlagReports, untilMs: number): void;
  /** What many instances of an application have counted of a flag until `untilMs`. */
  reportFlag(scope: Scope, appName: string, flag: string, use: FlagReport, untilMs: number): void;
  /** Something of a report was not taken. */
  drop(reason: DropReason, count?: number): void;
}
