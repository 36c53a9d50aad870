import { SERVICE } from '../../base/asking/asker.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { Writer } from '../../engine/writer.ts';
import { type Scope, systemCaller } from '../../model/caller.ts';
import type { Limits } from '../../model/limits.ts';
import type { StateReader } from '../../state/collections.ts';
import { APPLICATION_PROJECTS_MAX } from './applications/application.ts';
import { ANNOUNCED_MAX, announceApplications, mayAddApplications } from './applications/commands.ts';
import type { CounterRecorder } from './counter-recorder.ts';
import type { FlagReport, FlagReports } from './flag-report.ts';
import type { FlagStats } from './flag-stats.ts';
import type { FlagUse } from './flag-use.ts';
import { isLaterStage } from './lifecycle.ts';
import { advanceLifecycles, canAdvance, STAGE_MOVES_MAX, type STAGES_OF_USE } from './lifecycle-commands.ts';
import type { ReportKind, ReportSink } from './report-sink.ts';
import { type DropReason, type Reporter, ReportSums } from './report-sums.ts';
import { countApplication } from './sums-to-counters.ts';

/** How often the sums are added to the counters. A crash loses the sums of this period, and the counts that the counters have not flushed. */
const ROUND_MS = 5_000;

/** Maximum number of stage changes that wait to be written. Further changes are found again with the next reports. */
const MOVES_MAX = 10_000;

/** The name under which uses by applications above the limit are counted: they show that their flags are in use. */
const OTHER_APPLICATIONS = '(others)';

type StageOfUse = (typeof STAGES_OF_USE)[number];

const DONE = Promise.resolve();

interface ReportRecorderParts {
  readonly reader: StateReader;
  readonly writer: Pick<Writer, 'submit'>;
  readonly counts: CounterRecorder;
  readonly flagUse: FlagUse;
  readonly flagStats?: FlagStats;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Limits;
  readonly roundMs?: number;
}

/**
 * Accepts the reports of SDKs. A report is only added to sums in memory: its sender does not wait for a store. Periodically the sums become counts.
 * Two changes are written to the log, once each, by the writer: a new application, and a flag that enters another stage.
 */
export class ReportRecorder implements ReportSink {
  readonly #parts: ReportRecorderParts;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #sums: ReportSums;
  #round: Promise<void> | undefined;
  #flushing: Promise<void> | undefined;
  #nextFlush: Promise<void> | undefined;
  /** Flag → the stage that its use shows, until the stage is written. */
  readonly #moves = new Map<string, StageOfUse>();
  readonly #reportCounts: Record<ReportKind, number> = { metrics: 0, registration: 0, bulk: 0 };

  constructor(parts: ReportRecorderParts) {
    this.#parts = parts;
    this.#sums = new ReportSums(parts.reader);
    this.#done = this.#run();
  }

  /** Number of reports since the process started, by kind. */
  get reportCounts(): Readonly<Record<ReportKind, number>> {
    return this.#reportCounts;
  }

  /** Total number of reports. While it does not change, nothing new was reported. */
  get reports(): number {
    return this.#reportCounts.metrics + this.#reportCounts.registration + this.#reportCounts.bulk;
  }

  /** Number of reported items that were not counted since the process started, by reason. */
  get dropped(): Readonly<Record<DropReason, number>> {
    return this.#sums.dropped;
  }

  /** Number of names that wait to become counts. */
  get waiting(): number {
    return this.#sums.size;
  }

  /** Counts an accepted report; the methods below add its content. */
  countReport(kind: ReportKind): void {
    this.#reportCounts[kind]++;
  }

  /** Adds an instance of an application. `strategies`: the names of the strategies that its SDK knows; null if the report does not contain them. */
  register(scope: Scope, reporter: Reporter, strategies: readonly string[] | null): void {
    if (strategies) this.#parts.flagStats?.addRegistration(reporter.sdk);
    this.#sums.register(scope, reporter, strategies, this.#parts.clock.nowMs());
  }

  /** Adds an instance's counts of flags until `untilMs`. Flags that the scope does not cover are not counted. */
  report(scope: Scope, reporter: Reporter, flags: FlagReports, untilMs: number): void {
    this.#sums.report(scope, reporter, flags, untilMs, this.#parts.clock.nowMs());
  }

  /** Adds the counts of one flag until `untilMs`, from many instances of an application. */
  reportFlag(scope: Scope, appName: string, flag: string, use: FlagReport, untilMs: number): void {
    this.#sums.reportFlag({ scope, appName, flag, use }, untilMs, this.#parts.clock.nowMs());
  }

  /** Counts items of a report that were dropped. */
  drop(reason: DropReason, count = 1): void {
    this.#sums.dropped[reason] += count;
  }

  /**
   * Writes all reports to the store, so that a read of the store includes all of them. Only one flush runs: calls during a flush share the next
   * flush. Never rejects: counts that the store does not accept keep waiting.
   */
  flush(): Promise<void> {
    const isBusy = this.#round !== undefined || this.#flushing !== undefined;
    if (!isBusy && this.#sums.size === 0 && this.#parts.counts.risk.waitingNames === 0) return DONE;
    this.#nextFlush ??= this.#startFlush();
    return this.#nextFlush;
  }

  async #startFlush(): Promise<void> {
    await this.#flushing;
    this.#nextFlush = undefined;
    this.#flushing = this.#flush();
    await this.#flushing;
    this.#flushing = undefined;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    await this.#runRound();
  }

  async #flush(): Promise<void> {
    await this.#runRound();
    // The first call may join a flush that started before this round; the second one flushes the rest.
    await this.#parts.counts.flush();
    await this.#parts.counts.flush();
  }

  async #run(): Promise<void> {
    const { clock, roundMs = ROUND_MS } = this.#parts;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(roundMs, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.#runRound();
    }
  }

  /** Only one round runs: a call during a round waits for the next round, which includes everything that was reported until then. */
  async #runRound(): Promise<void> {
    await this.#round;
    this.#round ??= this.#makeRound().finally(() => {
      this.#round = undefined;
    });
    await this.#round;
  }

  async #makeRound(): Promise<void> {
    const { reader, counts, flagUse, flagStats } = this.#parts;
    const sums = this.#sums;
    if (sums.size > 0) {
      this.#sums = sums.next();
      // Work of the service: reports of many SDKs are stored together.
      const slicer = Slicer.of(SERVICE);
      const isCountedByName = await this.#announce(sums);
      for (const application of sums.applicationSums()) {
        const appName = isCountedByName(application.appName) ? application.appName : OTHER_APPLICATIONS;
        for (const usedFlag of countApplication(application, appName, counts, flagUse)) {
          const times = usedFlag === undefined ? undefined : application.flags.get(usedFlag);
          if (usedFlag !== undefined) this.#addMove(usedFlag, application.scope.environment);
          if (usedFlag !== undefined && times)
            flagStats?.addUse(usedFlag, appName, application.scope.environment, times);
          if (slicer.spent) await slicer.pause();
        }
      }
      for (const known of [...this.#moves.keys()]) if (!reader.get('features', known)) this.#moves.delete(known);
    }
    await this.#writeMoves();
  }

  /** Announces new applications. Returns a function that decides which names may be counted separately. */
  async #announce(sums: ReportSums): Promise<(appName: string) => boolean> {
    const { reader, limits } = this.#parts;
    // Name → projects of the tokens that report for it; null for all projects.
    const names = new Map<string, Set<string> | null>();
    for (const { appName, scope } of sums.applicationSums()) {
      if (reader.get('applications', appName)) continue;
      const known = names.get(appName);
      if (known !== undefined) {
        if (scope.projects === null) names.set(appName, null);
        else for (const project of scope.projects) known?.add(project);
      } else if (mayAddApplications(reader, limits.applications, names.size)) {
        names.set(appName, scope.projects && new Set(scope.projects));
      } else sums.dropped.application++;
    }
    const waiting = Array.from(names, ([appName, projects]) => ({
      appName,
      ...(projects && projects.size <= APPLICATION_PROJECTS_MAX && { projects: [...projects].sort() }),
    }));
    for (let at = 0; at < waiting.length; at += ANNOUNCED_MAX)
      await this.#submit(announceApplications, { applications: waiting.slice(at, at + ANNOUNCED_MAX) });
    return (appName) => names.has(appName) || reader.get('applications', appName) !== undefined;
  }

  #addMove(flag: string, environment: string): void {
    const { reader } = this.#parts;
    const feature = reader.get('features', flag);
    const stage = reader.get('environments', environment)?.type === 'production' ? 'live' : 'pre-live';
    if (!feature || !canAdvance(reader, feature, stage)) return;
    const waiting = this.#moves.get(flag);
    if (waiting ? isLaterStage(stage, waiting) : this.#moves.size < MOVES_MAX) this.#moves.set(flag, stage);
  }

  /** Writes the stage changes. Changes that cannot be written now are retried in the next round. */
  async #writeMoves(): Promise<void> {
    while (this.#moves.size > 0) {
      const moves = [...this.#moves].slice(0, STAGE_MOVES_MAX).map(([feature, stage]) => ({ feature, stage }));
      if (!(await this.#submit(advanceLifecycles, { moves }))) return;
      for (const { feature, stage } of moves) if (this.#moves.get(feature) === stage) this.#moves.delete(feature);
    }
  }

  /** Submits a command. Returns false if it was not written. */
  async #submit<Input>(command: Parameters<Writer['submit']>[0], input: Input): Promise<boolean> {
    const { writer, logger } = this.#parts;
    try {
      return !((await writer.submit(command, input, systemCaller())) instanceof Rejection);
    } catch (error) {
      logger.error(
        { err: error },
        'new applications or stages of flags could not be written; the next round tries again',
      );
      return false;
    }
  }
}
