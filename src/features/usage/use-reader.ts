import { type Asker, SERVICE } from '../../base/asking/asker.ts';
import { type Clock, DAY_MS } from '../../base/clock.ts';
import { pushAll } from '../../base/lists/push-all.ts';
import { Slicer } from '../../base/yield-control.ts';
import { type Counters, newestBuckets, type Series, startOf } from '../../stores/counters.ts';
import { ApplicationUse } from './applications/application-use.ts';
import type { ReportRecorder } from './report-recorder.ts';
import {
  APPLICATION_STRATEGIES,
  APPLICATION_USES,
  DAYS_KEPT,
  HOURS_KEPT,
  INSTANCES,
  NO,
  partsOf,
  UNKNOWN_FLAGS,
  usesByDay,
  usesByHour,
  VARIANT_MARK,
  YES,
} from './use-series.ts';

/** How long the use of applications can be reused if this process has received no report since. */
const REUSE_MS = 1_000;

/** The counts of a flag in one hour or day, in one environment, by one application. */
export interface UseOfFlag {
  readonly startMs: number;
  readonly environment: string;
  readonly appName: string;
  yes: number;
  no: number;
  readonly variants: Map<string, number>;
}

/** Reads the counts of flag uses and of applications, in slices. Rejects with a StoreError if the store is unreachable. */
export class UseReader {
  readonly #counters: Counters;
  readonly #recorder: ReportRecorder;
  readonly #clock: Clock;
  #reading: Promise<ApplicationUse> | undefined;
  #next: Promise<ApplicationUse> | undefined;
  #lastUse: ApplicationUse | undefined;
  #lastReports = 0;
  #lastReadMs = Number.NEGATIVE_INFINITY;

  constructor(counters: Counters, recorder: ReportRecorder, clock: Clock) {
    this.#counters = counters;
    this.#recorder = recorder;
    this.#clock = clock;
  }

  /**
   * The counts of the flag in the last `hoursBack` hours, newest first: by hour, or by day if hourly counts are not kept for so long. Counts from
   * before `sinceMs`, the time when the flag was created, are left out.
   */
  async ofFlag(flag: string, hoursBack: number, sinceMs: number, asker: Asker): Promise<UseOfFlag[]> {
    await this.#recorder.flush();
    const isByHour = hoursBack <= HOURS_KEPT;
    const series = isByHour ? usesByHour(flag) : usesByDay(flag);
    const spans = isByHour ? hoursBack : Math.min(DAYS_KEPT, Math.ceil(hoursBack / 24));
    const { fromMs, toMs } = newestBuckets(series, this.#clock.nowMs(), spans + 1);
    const range = { series, fromMs: Math.max(fromMs, startOf(series, sinceMs)), toMs };
    const uses: UseOfFlag[] = [];
    const slicer = Slicer.of(asker);
    for await (const bucket of this.#counters.read(range)) {
      const ofBucket = new Map<string, UseOfFlag>();
      for (const [name, times] of bucket.counts) {
        // The name is compared before it is split, because most names belong to other flags.
        if (name.startsWith(flag)) addUse(ofBucket, flag, partsOf(name), times, bucket.startMs);
        if (slicer.spent) await slicer.pause();
      }
      pushAll(uses, ofBucket.values());
    }
    return uses.reverse();
  }

  /**
   * The reports of all applications within a day, and the strategies that their SDKs know. Only one read runs: calls during a read share the next
   * read.
   */
  applications(): Promise<ApplicationUse> {
    const ageMs = this.#clock.nowMs() - this.#lastReadMs;
    if (this.#lastUse && ageMs >= 0 && ageMs < REUSE_MS && this.#recorder.reports === this.#lastReports)
      return Promise.resolve(this.#lastUse);
    this.#next ??= this.#readNext();
    return this.#next;
  }

  async #readNext(): Promise<ApplicationUse> {
    await this.#reading?.catch(() => {});
    this.#next = undefined;
    this.#reading = this.#readApplications();
    return this.#reading;
  }

  async #readApplications(): Promise<ApplicationUse> {
    const { reports } = this.#recorder;
    const nowMs = this.#clock.nowMs();
    await this.#recorder.flush();
    const use = new ApplicationUse(nowMs - DAY_MS);
    await this.#each(INSTANCES, 2, (parts, seenMs) => use.addInstance(parts, seenMs));
    await this.#each(APPLICATION_USES, 2, (parts, seenMs) => use.addUse(parts, seenMs));
    await this.#each(UNKNOWN_FLAGS, UNKNOWN_FLAGS.bucketsMax, (parts, seenMs) => use.addUnknown(parts, seenMs));
    await this.#each(APPLICATION_STRATEGIES, 2, (parts, seenMs) => use.addStrategy(parts, seenMs));
    this.#lastUse = use;
    this.#lastReadMs = nowMs;
    this.#lastReports = reports;
    return use;
  }

  /** Calls `use` for every name of the newest buckets. The oldest bucket comes first. */
  async #each(series: Series, buckets: number, use: (parts: string[], number: number) => void): Promise<void> {
    const range = newestBuckets(series, this.#clock.nowMs(), buckets);
    // Work of the service: later calls use the result.
    const slicer = Slicer.of(SERVICE);
    for await (const { counts } of this.#counters.read(range)) {
      for (const [name, number] of counts) {
        use(partsOf(name), number);
        if (slicer.spent) await slicer.pause();
      }
    }
  }
}

function addUse(
  uses: Map<string, UseOfFlag>,
  flag: string,
  [name, environment = '', appName = '', kind = '']: readonly string[],
  times: number,
  startMs: number,
): void {
  if (name !== flag) return;
  const key = JSON.stringify([environment, appName]);
  let use = uses.get(key);
  if (!use) {
    use = { startMs, environment, appName, yes: 0, no: 0, variants: new Map() };
    uses.set(key, use);
  }
  if (kind === YES) use.yes = times;
  else if (kind === NO) use.no = times;
  else if (kind.startsWith(VARIANT_MARK)) use.variants.set(kind.slice(VARIANT_MARK.length), times);
}
