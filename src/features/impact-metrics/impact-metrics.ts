import { labelText, METRIC_NAME } from '../../base/prometheus-text.ts';
import { Quota } from '../../base/queues/quota.ts';
import { shortened } from '../../base/shortened.ts';
import type { Scope } from '../../model/caller.ts';
import type { ImpactNames } from '../../model/options/sdk.ts';
import { type Family, impactTexts, type Kind, type Labels, type Series } from './impact-family.ts';

/** A metric that an application measures itself, as SDKs send it: the increase since the last report or, for a gauge, the current value. */
export interface ImpactMetric {
  readonly name: string;
  readonly help?: string | null;
  readonly type: string;
  readonly samples: readonly ImpactSample[];
}

interface ImpactSample {
  readonly labels?: Readonly<Record<string, unknown>> | null;
  /** The value of a counter or a gauge. */
  readonly value?: number | null;
  /** For a histogram: the number and the sum of the values. */
  readonly count?: number | null;
  readonly sum?: number | null;
  /** Cumulative: the number of values up to `le`, which is a number or `+Inf`. */
  readonly buckets?: readonly { readonly le: number | string; readonly count: number }[] | null;
}

/** The sender of a report. */
interface ImpactSource {
  readonly scope: Scope;
  /** Null for a relay, which reports for many applications: the labels of the samples name them. */
  readonly appName: string | null;
  /** Whether the token is public, so that anyone may have it. Such reports can use only a part of the capacity. */
  readonly isPublic: boolean;
}

/** Maximum number of lines on the metrics page, and how many of these may come from reports with browser tokens. */
const LINES_MAX = 10_000;
const PUBLIC_LINES_MAX = 2_000;

const NAMES_MAX = 1_000;
/** If there are this many names, reports with browser tokens cannot add names: visitors of a page must not prevent servers from adding metrics. */
const PUBLIC_NAMES_MAX = 500;
const NAME_LENGTH_MAX = 150;
const HELP_LENGTH_MAX = 200;
const LABELS_MAX = 20;
const LABELS_SEEN_MAX = 40;
/** Total length of the labels of a series, as text. */
const LABELS_LENGTH_MAX = 1_000;
const LABEL_LENGTH_MAX = 100;
const VALUE_LENGTH_MAX = 200;
const BUCKETS_MAX = 40;

/** Maximum number of samples, labels and buckets of one report that are processed: a few milliseconds at most. */
const WORK_MAX = 10_000;

/** Maximum number of samples of one metric in a relay's report. With the longest labels, they have 90 KB; upstreams accept reports of 100 KB. */
const BATCH_SAMPLES_MAX = 10;

/** A series without a report for this time is dropped if other series need its quota. */
const IDLE_MS = 24 * 3_600_000;
/** How often idle series are searched for. */
const IDLE_SEARCH_EVERY_MS = 60_000;

/** Larger values are refused: adding one to such a number does not change it. */
const AMOUNT_MAX = Number.MAX_SAFE_INTEGER;

/**
 * The reasons for which a sample is dropped. `full`: no capacity is left. `name`: the name or the kind of the metric is invalid. `labels`: the sample
 * has too many or too long labels. `value`: a value is not a number, or a count is negative. `environment`: it is not the environment of the token.
 */
const IMPACT_DROP_REASONS = ['full', 'name', 'labels', 'value', 'environment'] as const;
type DropReason = (typeof IMPACT_DROP_REASONS)[number];

const KINDS = new Map<string, Kind>([
  ['counter', 'counter'],
  ['gauge', 'gauge'],
  ['histogram', 'histogram'],
]);
/** The totals of one series. They begin again when the series was not reported for a day, or got other buckets. */
export interface SeriesReading {
  readonly kind: Kind;
  readonly labels: Labels;
  readonly seenMs: number;
  readonly value: number;
  readonly count: number;
  readonly buckets: ReadonlyMap<number, number> | null;
}

/** Accepts metrics that applications measure themselves. */
export interface ImpactSink {
  /** Number of dropped samples since the process started, by reason. */
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Number of lines for the accepted metrics. */
  readonly lines: number;
  /** Adds a report. Samples that cannot be kept are dropped; the report is not refused because of them. */
  report(metrics: readonly ImpactMetric[], source: ImpactSource, nowMs: number): void;
  /** The metrics in Prometheus' format, in pieces. */
  texts(nowMs: number): Iterable<string>;
  /** The series of all metrics with this reported name, of every kind. */
  readings(name: string): Iterable<SeriesReading>;
}

/**
 * Metrics that applications measure themselves (`impactMetrics` of their reports), summed up for Prometheus. They are only in memory: as in every
 * process that Prometheus scrapes, counters start again with the process, and each replica shows only the reports that it received. The number of
 * lines on the page is bounded.
 */
export class ImpactMetrics implements ImpactSink {
  readonly dropped: Record<DropReason, number> = { full: 0, name: 0, labels: 0, value: 0, environment: 0 };
  /** `unleash_<kind>_<name>` → family. */
  readonly #families = new Map<string, Family>();
  readonly #lines = new Quota(LINES_MAX);
  readonly #publicLines = new Quota(PUBLIC_LINES_MAX);
  readonly #names: ImpactNames;
  #idleSearchMs = Number.NEGATIVE_INFINITY;

  constructor(names: ImpactNames = 'prefixed') {
    this.#names = names;
  }

  /** Number of lines on the page. */
  get lines(): number {
    return this.#lines.count;
  }

  /** Adds a report. Samples that cannot be kept are dropped and counted; the report is not refused because of them. */
  report(metrics: readonly ImpactMetric[], source: ImpactSource, nowMs: number): void {
    let work = 0;
    for (const { name, help, type, samples } of metrics) {
      const kind = KINDS.get(type);
      if (kind === undefined || name.length > NAME_LENGTH_MAX || !METRIC_NAME.test(name)) {
        this.dropped.name += samples.length;
        continue;
      }
      const reported = { name, kind, help: shortened(help ?? '', HELP_LENGTH_MAX) };
      for (const sample of samples) {
        const labels = work < WORK_MAX ? labelsOf(sample, source) : 'full';
        const isDropped = typeof labels === 'string';
        work += 1 + (sample.buckets?.length ?? 0) + (isDropped ? LABELS_SEEN_MAX : labels.length);
        const dropReason = isDropped ? labels : this.#add(reported, sample, labels, source, nowMs);
        if (dropReason) this.dropped[dropReason]++;
      }
    }
  }

  /** The metrics in Prometheus' format, in pieces. */
  *texts(nowMs: number): Generator<string, void, void> {
    this.#dropIdleSeries(nowMs);
    yield* impactTexts(this.#families, this.#names);
  }

  *readings(name: string): Generator<SeriesReading, void, void> {
    for (const kind of KINDS.values()) {
      const family = this.#families.get(familyNameOf(kind, name));
      for (const series of family?.series.values() ?? []) yield { kind, ...series };
    }
  }

  /** The stored metrics, as a relay reports them: with a label for the environment, and with the increase since the last call of `clear`. */
  *reports(): Generator<ImpactMetric, void, void> {
    for (const { name, kind, help, series } of this.#families.values()) {
      const samples: ImpactSample[] = [];
      for (const { labels, value, count, buckets } of series.values()) {
        const reported = { labels: Object.fromEntries(labels) };
        samples.push(
          buckets ? { ...reported, sum: value, count, buckets: bucketsOf(buckets) } : { ...reported, value },
        );
        if (samples.length >= BATCH_SAMPLES_MAX) yield { name, help, type: kind, samples: samples.splice(0) };
      }
      if (samples.length > 0) yield { name, help, type: kind, samples };
    }
  }

  /** Removes all metrics. */
  clear(): void {
    this.#families.clear();
    this.#lines.clear();
    this.#publicLines.clear();
  }

  #add(
    { name, kind, help }: Reported,
    sample: ImpactSample,
    labels: Labels,
    source: ImpactSource,
    nowMs: number,
  ): DropReason | undefined {
    const amount = amountOf(kind, sample);
    if (!amount) return 'value';
    const key = labelText(labels);
    if (key.length > LABELS_LENGTH_MAX) return 'labels';
    const familyName = familyNameOf(kind, name);
    const family = this.#families.get(familyName) ?? this.#newFamily({ name, kind, help }, source, nowMs);
    if (!family) return 'full';
    if (!source.isPublic) {
      family.help = help;
      family.isPublic = false;
    }
    let series = family.series.get(key);
    if (series && !isSameShape(series.buckets, amount.buckets)) {
      // Buckets with other bounds cannot be added to the series, so it starts again from zero, as after a restart.
      this.#drop(family, key, series);
      series = undefined;
    }
    series ??= this.#newSeries(family, labels, amount, source, nowMs);
    if (!series) return 'full';
    this.#families.set(familyName, family);
    series.seenMs = nowMs;
    add(series, amount, kind);
    return undefined;
  }

  /** Does not store the family: the caller stores it when it has a series, because a family without series would be dropped. */
  #newFamily(reported: Reported, { isPublic }: ImpactSource, nowMs: number): Family | undefined {
    const isUnderLimit = () => this.#families.size < (isPublic ? PUBLIC_NAMES_MAX : NAMES_MAX);
    if (!isUnderLimit() && !(this.#dropIdleSeries(nowMs) && isUnderLimit())) return undefined;
    return { ...reported, isPublic, series: new Map() };
  }

  #newSeries(
    family: Family,
    labels: Labels,
    { buckets }: Amount,
    source: ImpactSource,
    nowMs: number,
  ): Series | undefined {
    const { isPublic } = source;
    const lines = buckets ? buckets.size + 2 : 1;
    const takeLines = () => this.#takeLines(lines, isPublic);
    if (!takeLines() && !(this.#dropIdleSeries(nowMs) && takeLines())) return undefined;
    const bounds = buckets && new Map([...buckets.keys()].map((bound) => [bound, 0]));
    const series: Series = { labels, seenMs: nowMs, isPublic, lines, value: 0, count: 0, buckets: bounds };
    family.series.set(labelText(labels), series);
    return series;
  }

  /** Takes quota for lines; a negative number gives quota back. Returns false if no quota is left. */
  #takeLines(lines: number, isPublic: boolean): boolean {
    if (isPublic && !this.#publicLines.take(lines)) return false;
    if (this.#lines.take(lines)) return true;
    if (isPublic) this.#publicLines.take(-lines);
    return false;
  }

  #drop(family: Family, key: string, { lines, isPublic }: Series): void {
    family.series.delete(key);
    this.#takeLines(-lines, isPublic);
  }

  /** Drops series that were not reported for `IDLE_MS`. Returns false if it did not search, because the last search was less than a minute ago. */
  #dropIdleSeries(nowMs: number): boolean {
    if (nowMs - this.#idleSearchMs < IDLE_SEARCH_EVERY_MS) return false;
    this.#idleSearchMs = nowMs;
    for (const [name, family] of this.#families) {
      for (const [key, series] of family.series) {
        if (nowMs - series.seenMs > IDLE_MS) this.#drop(family, key, series);
      }
      if (family.series.size === 0) this.#families.delete(name);
    }
    return true;
  }
}

/** The key of a family. It is also the name of the exported metric, unless an option says otherwise. */
function familyNameOf(kind: Kind, name: string): string {
  return `unleash_${kind}_${name}`;
}

interface Reported {
  readonly name: string;
  readonly kind: Kind;
  readonly help: string;
}

/** The values that a sample adds. */
interface Amount {
  readonly value: number;
  readonly count: number;
  readonly buckets: ReadonlyMap<number, number> | null;
}

/** The labels of a sample, sorted by name, or the reason for which the sample is dropped. Sets the labels that identify the sender. */
function labelsOf({ labels }: ImpactSample, { scope, appName, isPublic }: ImpactSource): Labels | DropReason {
  const reported = new Map<string, string>();
  let seen = 0;
  for (const name in labels) {
    if (++seen > LABELS_SEEN_MAX) return 'labels';
    const value = labels[name];
    if (value === null || typeof value === 'object') continue;
    // Names of flags are labels, too: characters that Prometheus does not accept become `_`.
    const legalName = name.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=[0-9])/, '_');
    if (legalName === '' || legalName.startsWith('__') || legalName === 'le') continue;
    if (reported.size >= LABELS_MAX || legalName.length > LABEL_LENGTH_MAX) return 'labels';
    reported.set(legalName, shortened(String(value), VALUE_LENGTH_MAX));
  }
  const environment = reported.get('environment');
  // A relay reports for many applications. The environment that an application reports is ignored.
  if (appName === null && environment !== undefined && environment !== scope.environment) return 'environment';
  reported.set('environment', scope.environment);
  if (appName !== null) reported.set('appName', appName);
  // Without this label, visitors of a page could add to the series that servers report.
  if (isPublic) reported.set('origin', 'browser');
  // A relay's label is trusted: the relay has checked its own clients.
  else if (appName !== null && reported.get('origin') === 'browser') reported.delete('origin');
  return [...reported].sort(([left], [right]) => (left < right ? -1 : 1));
}

function bucketsOf(buckets: ReadonlyMap<number, number>): NonNullable<ImpactSample['buckets']> {
  return Array.from(buckets, ([le, count]) => ({ le: le === Number.POSITIVE_INFINITY ? '+Inf' : le, count }));
}

/** The values of a sample. Undefined if the sample has no valid value. */
function amountOf(kind: Kind, { value, count, sum, buckets }: ImpactSample): Amount | undefined {
  if (kind === 'gauge') return isAmount(value) ? { value, count: 0, buckets: null } : undefined;
  if (kind === 'counter') return isAmount(value) && value >= 0 ? { value, count: 0, buckets: null } : undefined;
  if (!isAmount(sum) || !isAmount(count) || count < 0) return undefined;
  const reported = new Map<number, number>();
  for (const { le, count: below } of buckets ?? []) {
    const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
    if (Number.isNaN(bound) || !isAmount(below) || below < 0) return undefined;
    reported.set(bound, below);
  }
  // Prometheus requires a bucket for all values.
  reported.set(Number.POSITIVE_INFINITY, count);
  if (reported.size > BUCKETS_MAX) return undefined;
  return { value: sum, count, buckets: new Map([...reported].sort(([left], [right]) => left - right)) };
}

function isAmount(value: number | null | undefined): value is number {
  return typeof value === 'number' && Math.abs(value) <= AMOUNT_MAX;
}

function isSameShape(left: ReadonlyMap<number, number> | null, right: ReadonlyMap<number, number> | null): boolean {
  if (!left || !right) return left === right;
  if (left.size !== right.size) return false;
  for (const bound of right.keys()) if (!left.has(bound)) return false;
  return true;
}

function add(series: Series, { value, count, buckets }: Amount, kind: Kind): void {
  if (kind === 'gauge') series.value = value;
  else series.value += value;
  series.count += count;
  for (const [bound, below] of buckets ?? []) series.buckets?.set(bound, (series.buckets.get(bound) ?? 0) + below);
}
