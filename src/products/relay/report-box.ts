import { type Clock, isoTime } from '../../base/clock.ts';
import { getOrMake, newMap } from '../../base/get-or-make.ts';
import { Quota } from '../../base/queues/quota.ts';
import { shortened } from '../../base/shortened.ts';
import type { ImpactMetric } from '../../features/impact-metrics/impact-metrics.ts';
import { type FlagReport, type FlagReports, sumOfTimes, timesOf } from '../../features/usage/flag-report.ts';
import type { FlagStats } from '../../features/usage/flag-stats.ts';
import type { ReportKind, ReportSink } from '../../features/usage/report-sink.ts';
import type { DropReason, Reporter } from '../../features/usage/report-sums.ts';
import { hourOfReport } from '../../features/usage/use-series.ts';
import type { Scope } from '../../model/caller.ts';
import { ImpactBox } from './impact-box.ts';

/**
 * Maximum number of waiting names of flags, variants, instances and strategies. If it is reached, for example after a day without upstream, new names
 * are dropped.
 */
const NAMES_MAX = 100_000;
/**
 * Maximum number of waiting names from browsers. Browsers have a separate quota: every visitor of a page has the frontend token, so invented names
 * from browsers must not block reports of servers, here or in upstream.
 */
const BROWSER_NAMES_MAX = 20_000;
const NAME_LENGTH_MAX = 200;
const STRATEGIES_MAX = 100;
const STRATEGY_LENGTH_MAX = 100;
/**
 * Maximum number of variants in one item that is sent upstream: with the longest names such an item has 60 KB, and upstreams accept 100 KB in one
 * report.
 */
const VARIANTS_A_REPORT = 50;

interface FlagSum {
  yes: number;
  no: number;
  readonly variants: Map<string, number>;
}

/** The reports of one application for one hour with tokens of one scope. */
interface HourReports {
  readonly appName: string;
  readonly hourMs: number;
  readonly flags: Map<string, FlagSum>;
}

/** An item of `metrics` in a bulk report. */
export interface BulkUse {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  readonly timestamp: string;
  readonly yes: number;
  readonly no: number;
  readonly variants: Readonly<Record<string, number>>;
}

/** An item of `applications` in a bulk report. */
export interface BulkApplication {
  readonly appName: string;
  readonly instanceId: string;
  readonly environment: string;
  readonly sdkVersion: string;
  readonly strategies: readonly string[];
  readonly started: string;
  readonly interval: number;
  readonly connectVia: readonly { readonly appName: string; readonly instanceId: string }[];
}

/** The reports of one scope for upstream. If they are impact metrics, `projects` is empty, because impact metrics belong to no project. */
export interface ScopeReports {
  readonly environment: string;
  /** The projects of the scope; `['*']` means all. */
  readonly projects: readonly string[];
  readonly metrics: readonly BulkUse[];
  readonly applications: readonly BulkApplication[];
  readonly impactMetrics: readonly ImpactMetric[];
}

/** The relay that sends the reports upstream. */
export interface Via {
  readonly appName: string;
  readonly instanceId: string;
}

/** Collects reports of SDKs, summed up in the same way as in upstream: by hour, application and flag. */
export class ReportBox implements ReportSink {
  readonly reportCounts: Record<ReportKind, number> = { metrics: 0, registration: 0, bulk: 0 };
  readonly dropped: Record<DropReason, number> = {
    full: 0,
    project: 0,
    environment: 0,
    name: 0,
    late: 0,
    application: 0,
  };
  /** Impact metrics of applications. */
  readonly impact = new ImpactBox();
  readonly #clock: Clock;
  readonly #via: Via;
  readonly #stats: FlagStats | undefined;
  #hourReports = new Map<Scope, Map<string, HourReports>>();
  #applications = new Map<Scope, Map<string, BulkApplication>>();
  /** Lists of strategies, by content: instances of an application have the same list. */
  #lists = new Map<string, readonly string[]>();
  readonly #servers = new Quota(NAMES_MAX);
  readonly #browsers = new Quota(BROWSER_NAMES_MAX);

  constructor(clock: Clock, via: Via, stats?: FlagStats) {
    this.#clock = clock;
    this.#via = via;
    this.#stats = stats;
  }

  get waiting(): number {
    return this.#servers.count + this.#browsers.count + this.impact.lines;
  }

  countReport(kind: ReportKind): void {
    this.reportCounts[kind]++;
  }

  drop(reason: DropReason, count = 1): void {
    this.dropped[reason] += count;
  }

  register(scope: Scope, reporter: Reporter, strategies: readonly string[] | null): void {
    const { appName, instanceId, sdk, sdkOfRequest } = reporter;
    if (strategies) this.#stats?.addRegistration(sdk);
    const applications = getOrMake(this.#applications, scope, newMap<string, BulkApplication>);
    const key = JSON.stringify([appName, instanceId]);
    const existing = applications.get(key);
    // This is a report of a known instance: its registration is still valid.
    if (existing && strategies === null) return;
    if (!existing && !this.#takeQuota(this.#quotaOf(reporter), key)) return;
    applications.set(key, {
      appName,
      instanceId,
      environment: scope.environment,
      sdkVersion: shortened(sdk || sdkOfRequest, NAME_LENGTH_MAX),
      strategies: this.#listOf(this.#quotaOf(reporter), strategies ?? []),
      started: existing?.started ?? isoTime(this.#clock.nowMs()),
      interval: 0,
      connectVia: [this.#via],
    });
  }

  report(scope: Scope, reporter: Reporter, flags: FlagReports, untilMs: number): void {
    const quota = this.#quotaOf(reporter);
    const hourReports = this.#hourReportsFor(quota, scope, reporter.appName, untilMs);
    if (hourReports) for (const flag in flags) this.#add(quota, hourReports, flag, flags[flag] as FlagReport);
  }

  reportFlag(scope: Scope, appName: string, flag: string, use: FlagReport, untilMs: number): void {
    const hourReports = this.#hourReportsFor(this.#servers, scope, appName, untilMs);
    if (hourReports) this.#add(this.#servers, hourReports, flag, use);
  }

  /** Returns and removes all waiting reports. */
  take(): readonly ScopeReports[] {
    const [reportsByHour, applications] = [this.#hourReports, this.#applications];
    this.#hourReports = new Map();
    this.#applications = new Map();
    this.#lists = new Map();
    this.#servers.clear();
    this.#browsers.clear();
    const useReports = [...new Set([...reportsByHour.keys(), ...applications.keys()])].map((scope) => ({
      environment: scope.environment,
      projects: scope.projects === null ? ['*'] : [...scope.projects],
      metrics: [...(reportsByHour.get(scope)?.values() ?? [])].flatMap((hourReports) =>
        usesOf(hourReports, scope.environment),
      ),
      applications: [...(applications.get(scope)?.values() ?? [])],
      impactMetrics: [],
    }));
    const impactReports = Array.from(this.impact.take(), ([environment, impactMetrics]) => {
      return { environment, projects: [], metrics: [], applications: [], impactMetrics };
    });
    return [...useReports, ...impactReports];
  }

  /** The items of all waiting reports. They are not removed. */
  *peek(): Generator<BulkUse | BulkApplication, void, void> {
    for (const applications of this.#applications.values()) yield* applications.values();
    for (const [{ environment }, reportsByHour] of this.#hourReports)
      for (const hourReports of reportsByHour.values()) yield* usesOf(hourReports, environment);
  }

  /** Returns the shared list with these strategies; an empty list when the quota is exhausted. */
  #listOf(quota: Quota, strategies: readonly string[]): readonly string[] {
    const names = strategies.slice(0, STRATEGIES_MAX).map((name) => shortened(name, STRATEGY_LENGTH_MAX));
    const key = JSON.stringify(names);
    const existing = this.#lists.get(key);
    if (existing) return existing;
    if (!quota.take(names.length)) {
      this.dropped.full++;
      return [];
    }
    this.#lists.set(key, names);
    return names;
  }

  /** The sums for the hour of a report that ends at `untilMs`. Undefined if the report is too old, or if no quota is left. */
  #hourReportsFor(quota: Quota, scope: Scope, appName: string, untilMs: number): HourReports | undefined {
    const hourMs = hourOfReport(untilMs, this.#clock.nowMs());
    if (hourMs === undefined) {
      this.dropped.late++;
      return undefined;
    }
    const reportsByHour = getOrMake(this.#hourReports, scope, newMap<string, HourReports>);
    const key = `${hourMs} ${appName}`;
    const existing = reportsByHour.get(key);
    if (existing || !this.#takeQuota(quota, appName.slice(0, NAME_LENGTH_MAX))) return existing;
    const hourReports = { appName, hourMs, flags: new Map() };
    reportsByHour.set(key, hourReports);
    return hourReports;
  }

  #add(quota: Quota, { flags }: HourReports, name: string, { yes, no, variants }: FlagReport): void {
    const sum = this.#sumOf(quota, flags, name);
    if (!sum) return;
    sum.yes = sumOfTimes(sum.yes, timesOf(yes));
    sum.no = sumOfTimes(sum.no, timesOf(no));
    for (const variant in variants) this.#addVariant(quota, sum, variant, timesOf(variants[variant]));
  }

  #sumOf(quota: Quota, flags: HourReports['flags'], name: string): FlagSum | undefined {
    const existing = flags.get(name);
    if (existing || !this.#takeQuota(quota, name)) return existing;
    const sum = { yes: 0, no: 0, variants: new Map() };
    flags.set(name, sum);
    return sum;
  }

  #addVariant(quota: Quota, { variants }: FlagSum, name: string, times: number): void {
    const count = variants.get(name);
    if (count !== undefined || this.#takeQuota(quota, name)) variants.set(name, sumOfTimes(count ?? 0, times));
  }

  #quotaOf({ isPublic }: Reporter): Quota {
    return isPublic ? this.#browsers : this.#servers;
  }

  #takeQuota(quota: Quota, name: string): boolean {
    const drop: DropReason | undefined = name.length > NAME_LENGTH_MAX ? 'name' : quota.take() ? undefined : 'full';
    if (drop) this.dropped[drop]++;
    return drop === undefined;
  }
}

function usesOf({ appName, hourMs, flags }: HourReports, environment: string): BulkUse[] {
  const common = { appName, environment, timestamp: isoTime(hourMs) };
  return Array.from(flags).flatMap(([featureName, { yes, no, variants }]) => {
    const variantCounts = [...variants];
    const items = Math.max(1, Math.ceil(variantCounts.length / VARIANTS_A_REPORT));
    // The counts are divided among the items: an upstream ignores an item whose counts are 0.
    return Array.from({ length: items }, (_, at) => ({
      featureName,
      ...common,
      yes: shareOf(yes, items, at),
      no: shareOf(no, items, at),
      variants: Object.fromEntries(variantCounts.slice(at * VARIANTS_A_REPORT, (at + 1) * VARIANTS_A_REPORT)),
    }));
  });
}

/** Divides a number evenly among items and returns the share of the item at this index. */
function shareOf(times: number, items: number, at: number): number {
  const each = Math.floor(times / items);
  return at === 0 ? times - each * (items - 1) : each;
}
