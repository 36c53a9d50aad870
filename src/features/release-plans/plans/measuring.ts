import type { Safeguard } from '../../../model/release-plan.ts';
import type { Kind, SeriesReading } from '../../usage/impact-metrics.ts';

/** Maximum number of samples of one safeguard. The samples of a longer window are farther apart. */
const SAMPLES_MAX = 60;

const MINUTE_MS = 60_000;

/** Aggregation → the kinds of metrics that it is for. */
const KINDS_OF: { readonly [A in Safeguard['aggregation']]: readonly Kind[] } = {
  count: ['counter'],
  rps: ['counter'],
  avg: ['gauge', 'histogram'],
  sum: ['gauge'],
  max: ['gauge'],
  last: ['gauge'],
  p50: ['histogram'],
  p95: ['histogram'],
  p99: ['histogram'],
};

/** What all matching series report together at one time. Counters and histograms: totals since they began. */
interface Totals {
  /** Number of series. */
  series: number;
  /** Counters: the total. Gauges: the sum of the values. Histograms: the sum of the observations. */
  sum: number;
  /** Gauges: number of series. Histograms: number of observations. */
  count: number;
  /** Gauges: the largest value. */
  max: number;
  /** Histograms: upper bound of a bucket → number of observations in it alone. */
  readonly buckets: Map<number, number>;
}

interface Sample {
  readonly atMs: number;
  /** Counters and histograms: what was added since the sample before it. Gauges: the values. */
  readonly added: Totals;
}

/** Adds up series, one at a time, so that the caller can pause between them. */
export class Reading {
  readonly totals: Totals = { series: 0, sum: 0, count: 0, max: Number.NEGATIVE_INFINITY, buckets: new Map() };
  isGauge = false;
  readonly #safeguard: Safeguard;
  readonly #environment: string;
  readonly #sinceMs: number;

  constructor(safeguard: Safeguard, environment: string, nowMs: number) {
    this.#safeguard = safeguard;
    this.#environment = environment;
    this.#sinceMs = nowMs - safeguard.windowMinutes * MINUTE_MS;
  }

  add({ kind, labels, seenMs, value, count, buckets }: SeriesReading): void {
    if (!KINDS_OF[this.#safeguard.aggregation].includes(kind) || !this.#matches(labels)) return;
    const { totals } = this;
    if (kind === 'gauge') {
      if (seenMs < this.#sinceMs) return;
      this.isGauge = true;
      totals.count += 1;
      totals.max = Math.max(totals.max, value);
    } else totals.count += count;
    totals.series += 1;
    totals.sum += value;
    let below = 0;
    for (const [bound, upTo] of buckets ?? []) {
      totals.buckets.set(bound, (totals.buckets.get(bound) ?? 0) + upTo - below);
      below = upTo;
    }
  }

  #matches(labels: SeriesReading['labels']): boolean {
    const wanted = this.#safeguard.labels;
    let found = 0;
    for (const [name, value] of labels) {
      if (name === 'environment' && value !== this.#environment) return false;
      // Anyone may have the token of a page: its reports count only if the safeguard names them.
      if (name === 'origin' && value === 'browser' && !Object.hasOwn(wanted, 'origin')) return false;
      if (!Object.hasOwn(wanted, name)) continue;
      if (!wanted[name]?.includes(value)) return false;
      found++;
    }
    return found === Object.keys(wanted).length;
  }
}

/** The samples of one safeguard in its window. A new safeguard counts from its first sample on. */
export class SafeguardSamples {
  readonly #safeguard: Safeguard;
  readonly #stepMs: number;
  #beganMs: number;
  #samples: Sample[] = [];
  #last: Totals | undefined;
  #sampledMs = Number.NEGATIVE_INFINITY;

  constructor(safeguard: Safeguard, nowMs: number) {
    this.#safeguard = safeguard;
    this.#stepMs = Math.ceil(safeguard.windowMinutes / SAMPLES_MAX) * MINUTE_MS;
    this.#beganMs = nowMs;
  }

  get size(): number {
    return this.#samples.length;
  }

  /** Whether enough time has passed since the last sample. The check runs a little earlier or later than every minute. */
  isDue(nowMs: number): boolean {
    return nowMs - this.#sampledMs >= this.#stepMs - MINUTE_MS / 2 || this.#isAfterGap(nowMs);
  }

  /**
   * Whether no samples were taken for a time, as in maintenance or while the machine was suspended, or the clock was set back. One check may be missed.
   * The increase in a longer time would count as if it was in the window.
   */
  #isAfterGap(nowMs: number): boolean {
    return nowMs < this.#sampledMs || nowMs - this.#sampledMs > 2 * this.#stepMs + MINUTE_MS / 2;
  }

  /** Adds a sample. After a gap, counting begins again with it. */
  add({ totals, isGauge }: Reading, nowMs: number): void {
    if (this.#isAfterGap(nowMs)) {
      this.#samples = [];
      this.#last = undefined;
      this.#beganMs = nowMs;
    }
    this.#sampledMs = nowMs;
    const before = this.#last;
    this.#last = totals;
    if (isGauge) this.#samples.push({ atMs: nowMs, added: totals });
    else if (before) this.#samples.push({ atMs: nowMs, added: increase(before, totals) });
    const sinceMs = nowMs - this.#safeguard.windowMinutes * MINUTE_MS;
    this.#samples = this.#samples.filter(({ atMs }) => atMs > sinceMs).slice(-SAMPLES_MAX);
  }

  /** The value in the window; undefined if the reports do not give one. */
  value(nowMs: number): number | undefined {
    const { aggregation, windowMinutes, operator } = this.#safeguard;
    const last = this.#samples.at(-1);
    if (!last || !this.#last || this.#last.series === 0) return undefined;
    const all = this.#samples.map(({ added }) => added);
    const sum = total(all, (added) => added.sum);
    const count = total(all, (added) => added.count);
    const elapsedMs = Math.min(nowMs - this.#beganMs, windowMinutes * MINUTE_MS);
    switch (aggregation) {
      case 'count':
      case 'rps': {
        // A part of the window has a part of the increase: it can be too large already, but not too small.
        if (operator === '<' && elapsedMs < windowMinutes * MINUTE_MS) return undefined;
        return aggregation === 'count' ? sum : sum / Math.max(1, elapsedMs / 1_000);
      }
      case 'avg':
        return count > 0 ? sum / count : undefined;
      case 'sum':
        return last.added.sum;
      case 'max':
        return all.reduce((highest, { max }) => Math.max(highest, max), Number.NEGATIVE_INFINITY);
      case 'last':
        return last.added.sum / last.added.count;
      default:
        return quantile(all, Number(aggregation.slice(1)) / 100);
    }
  }

  /** Whether the value in the window passes the threshold; then the value. */
  tripped(nowMs: number): number | undefined {
    const value = this.value(nowMs);
    if (value === undefined || !Number.isFinite(value)) return undefined;
    const { operator, threshold } = this.#safeguard;
    return (operator === '>' ? value > threshold : value < threshold) ? value : undefined;
  }
}

function total(all: readonly Totals[], of: (totals: Totals) => number): number {
  return all.reduce((sum, totals) => sum + of(totals), 0);
}

/** What was added between two readings. A total that fell has lost series: then nothing is known to have been added. */
function increase(before: Totals, after: Totals): Totals {
  const buckets = new Map<number, number>();
  for (const [bound, count] of after.buckets) buckets.set(bound, Math.max(0, count - (before.buckets.get(bound) ?? 0)));
  return {
    ...{ series: after.series, max: after.max, buckets },
    sum: after.count === 0 || after.count >= before.count ? rise(before.sum, after.sum) : 0,
    count: rise(before.count, after.count),
  };
}

function rise(before: number, after: number): number {
  return Math.max(0, after - before);
}

/** The quantile of the observations, interpolated within its bucket as Prometheus does; undefined without observations. */
function quantile(all: readonly Totals[], part: number): number | undefined {
  const merged = new Map<number, number>();
  for (const { buckets } of all)
    for (const [bound, count] of buckets) merged.set(bound, (merged.get(bound) ?? 0) + count);
  const sorted = [...merged].sort(([left], [right]) => left - right);
  const count = sorted.reduce((sum, [, inBucket]) => sum + inBucket, 0);
  if (count === 0) return undefined;
  const wanted = part * count;
  let below = 0;
  let lower = 0;
  for (const [bound, inBucket] of sorted) {
    if (below + inBucket >= wanted && inBucket > 0) {
      // The last bucket has no upper bound: the value is at least its lower one.
      return Number.isFinite(bound) ? lower + ((bound - lower) * (wanted - below)) / inBucket : lower;
    }
    below += inBucket;
    if (Number.isFinite(bound)) lower = bound;
  }
  return lower;
}
